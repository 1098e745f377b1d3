import Foundation
import TestSupport

/// Policies as text, at the edges of what fields take and somewhat beyond: what may pass `check` and still fail later.
package struct RandomPolicyText {
  private var random: SeededGenerator

  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  package mutating func text() -> String {
    let keys =
      (0..<random.below(5) + 2).map { "k\($0)" } + (random.once(in: 6) ? [String(repeating: "k", count: 64)] : [])
    let sets = (0..<random.below(3)).map { "s\($0)" }
    var text = "version: 1\n" + settings() + defaults() + "keys:\n"
    for key in keys { text += "  \(key): { \(self.key()) }\(suppression())\n" }
    if !sets.isEmpty { text += "key-sets:\n" }
    for set in sets { text += "  \(set): { \(members(of: keys)) }\(suppression())\n" }
    text += "hosts:\n"
    var hosts = Self.hosts + (random.once(in: 8) ? Self.edgeHosts : [])
    for _ in 0..<random.below(4) + 1 {
      let host = hosts.remove(at: random.below(hosts.count))
      text += "  - host: \(host)\n"
      if random.once(in: 5) { text += "    port: \(random.pick(["1", "443", "65535"]))\n" }
      text += "    keys: \(sets.isEmpty || random.once(in: 3) ? "{ \(members(of: keys)) }" : random.pick(sets))"
      text += "\(suppression())\n" + entryFields(indent: "    ", isDefault: false)
      if random.once(in: 4) { text += "    trust: { \(trust()) }\(suppression())\n" }
    }
    return text
  }

  private mutating func settings() -> String {
    let durations = ["1m", "12h", "1d", "30d", "400d", "999999d"]
    var fields = ["audience: \(random.pick(["production", String(repeating: "a", count: 64)]))"]
    if random.once(in: 4) { fields.append("refresh-after: \(random.pick(durations))") }
    if random.once(in: 4) { fields.append("expires-after: \(random.pick(durations))") }
    if random.once(in: 8) { fields.append("client-max-age: \(random.pick(durations))") }
    if random.once(in: 4) { fields.append("on-stale: \(random.pick(["enforce", "report-only", "unpinned", "block"]))") }
    if random.once(in: 4) { fields.append("unpinned-hosts: \(random.pick(["allow", "deny"]))") }
    return "manifest:\(suppression())\n" + fields.map { "  \($0)\(suppression())\n" }.joined()
  }

  private mutating func defaults() -> String {
    random.once(in: 2)
      ? "" : "defaults:\n" + entryFields(indent: "  ", isDefault: true) + "  include-subdomains: false\n"
  }

  private mutating func entryFields(indent: String, isDefault: Bool) -> String {
    var fields: [String] = []
    if random.once(in: 3) { fields.append("mode: \(random.pick(["enforce", "report-only", "report-only", "off"]))") }
    if !isDefault, random.once(in: 4) { fields.append("include-subdomains: \(random.pick(["true", "false"]))") }
    if random.once(in: 8) { fields.append("require: \(random.pick(["any", "leaf-and-ca"]))") }
    if random.once(in: 2) {
      fields.append(
        "expires: \(random.pick(["2027-06-01", "2027-06-01", "9999-12-31T23:59:59Z", "2026-11-21T00:00:01Z"]))")
      if !random.once(in: 12) {
        fields.append("on-expiry: \(random.pick(["enforce", "report-only", "unpinned", "block"]))")
      }
    }
    if random.once(in: 3) {
      let count = random.once(in: 8) ? random.pick([0, 17]) : random.pick([1, 2, 16])
      let uris = (0..<count).map { "\"\(uri($0))\"" }.joined(separator: ", ")
      fields.append("report-uris: [\(uris)]")
    }
    if !isDefault, random.once(in: 5) { fields.append("reason: why") }
    return fields.map { indent + $0 + suppression() + "\n" }.joined()
  }

  private mutating func uri(_ number: Int) -> String {
    let long = 2_048 - "https://reports.example.org/".utf8.count
    return "https://reports.example.org/"
      + (random.once(in: 60)
        ? random.pick([String(repeating: "x", count: long + 1), "é", "a b"])
        : random.pick(["\(number)", "same", String(repeating: "x", count: long), "a%20b?c=d#e", "[::1]", "'"]))
  }

  private mutating func key() -> String {
    var fields: [String] = []
    if random.once(in: 3) {
      fields.append("file: keys/\(random.pick(Self.files))")
    } else {
      fields.append("pin: \(pin()), custody: HSM \(random.below(9))")
    }
    if random.once(in: 4) { fields.append("position: \(random.pick(["leaf", "intermediate", "root", "ca"]))") }
    if random.once(in: 12) {
      let texts = [
        "gone", String(repeating: "x", count: 4_096), String(repeating: "é", count: 2_048), "\\u2028 \\t \\n",
        String(repeating: "\\\"", count: 2_048), String(repeating: "\\n", count: 2_048), "\u{10FFFF}",
        String(repeating: "x", count: 4_097),
      ]
      fields.append("denied: \"\(random.pick(texts))\"")
    }
    return fields.joined(separator: ", ")
  }

  private mutating func pin() -> String {
    "sha256/" + Data(random.bytes(32)).base64EncodedString()
  }

  private mutating func members(of keys: [String]) -> String {
    var names = keys.shuffled(using: &random)
    let count = random.once(in: 12) ? random.below(names.count + 1) : names.count / 2
    let active = names.prefix(count)
    if !random.once(in: 12) { names.removeFirst(count) }
    let backup = random.once(in: 12) ? [] : names
    return "active: [\(active.joined(separator: ", "))], backup: [\(backup.joined(separator: ", "))]"
  }

  private mutating func trust() -> String {
    var fields = random.once(in: 8) ? [] : ["reason: because"]
    func files(_ random: inout SeededGenerator) -> String {
      let files = random.once(in: 3) ? Self.files : ["example-root.pem", "other-root.pem", "example-intermediate.pem"]
      return (0..<random.below(3) + 1).map { _ in "keys/" + random.pick(files) }.joined(separator: ", ")
    }
    if random.once(in: 2) { fields.append("anchors: [\(random.once(in: 3) ? "system, " : "")\(files(&random))]") }
    if random.once(in: 3) { fields.append("intermediates: [\(files(&random))]") }
    if random.once(in: 8) { fields.append("certificate: keys/\(random.pick(Self.files))") }
    if random.once(in: 4) { fields.append("server-name: \(random.pick(Self.hosts))") }
    if random.once(in: 8) { fields.append("minimum-rsa-bits: \(random.pick(["2048", "16384"]))") }
    if random.once(in: 8) { fields.append("minimum-ec-bits: \(random.pick(["256", "521"]))") }
    if random.once(in: 8) { fields.append("signatures: [\(random.pick(["ecdsa", "ecdsa, rsa-pss, ecdsa", "eddsa"]))]") }
    if random.once(in: 4) { fields.append("minimum-tls: \(random.pick(["1.2", "1.3"]))") }
    if random.once(in: 4) {
      let until = random.pick(["2027-01-01", "2027-02-01"])
      let one = "{ failure: expired, certificate: keys/\(random.pick(Self.files)), until: \(until), reason: soon }"
      fields.append("exceptions: [\(one), \(one)]")
    }
    return fields.joined(separator: ", ")
  }

  /// A comment that accepts one error, which may be one that nothing can be built with.
  private mutating func suppression() -> String {
    guard random.once(in: 3) else { return "" }
    let codes = [
      "P303", "P312", "P313", "P315", "P324", "P327", "P329", "P331", "P403", "P402", "P411", "P204", "P321",
    ]
    return " # pintle:allow \(random.pick(codes)) until 2027-01-01: tried"
  }

  private static let hosts = [
    "a.example.com", "B.Example.COM.", "bücher.example", "10.0.0.5", "\"[2001:db8::1]\"", "\"::ffff:10.0.0.9\"",
    "xn--bcher-kva.test", "localhost", "0x7f.example",
    "\(String(repeating: "l", count: 61)).\(String(repeating: "l", count: 63)).\(String(repeating: "l", count: 63)).example",
  ]

  private static let edgeHosts = [
    "a_b.example", "1.2.3", "com", "co.uk", String(repeating: "l", count: 64) + ".example",
  ]

  private static let files = [
    "example-root.pem", "other-root.pem", "example-intermediate.pem", "api.pem", "appliance.pem", "old-root.pem",
    "sha1-intermediate.pem", "weak-rsa.pem", "api-spare.csr", "api-public.pem", "legacy.pem",
    "expiring-intermediate.pem",
  ]
}

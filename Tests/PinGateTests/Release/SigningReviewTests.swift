import Diagnostics
import Foundation
import OpenSSLKit
import PinFormat
import PinRelease
import PolicySupport
import Testing

@testable import PinGate

/// What signers of a manifest are shown, each entry by itself and equal ones as one.
struct SigningReviewTests {
  /// What a manifest is compared with.
  enum Comparison: CaseIterable {
    case first
    case same
    case other
  }

  private static func certificate(_ name: String) throws -> Manifest.Certificate {
    let der = try #require(try PEMBlock.read(ExampleFiles.bytes("keys/\(name).pem")).first).bytes
    return Manifest.Certificate(fingerprint: SHA256Digest(try SHA256.digest(of: der)), der: der)
  }

  private static func digest(_ number: UInt8) -> SHA256Digest {
    SHA256Digest(InlineArray<32, UInt8>(repeating: number))
  }

  private static func entry(
    _ host: String, _ keySet: String?, port: UInt16? = nil, mode: Mode = .enforce, trust: Manifest.Trust? = nil
  ) throws -> Manifest.HostEntry {
    Manifest.HostEntry(
      host: try HostName(canonicalising: host), port: port, includeSubdomains: host.hasPrefix("w"), mode: mode,
      keySet: keySet, requirement: .any, expires: keySet == nil ? nil : Instant(written: "2027-06-01"),
      onExpiry: keySet == nil ? nil : .reportOnly, reportURIs: keySet == nil ? [] : ["https://r.example/1"],
      trust: trust)
  }

  /// Entries that are equal, some with trust and some with a key set of their own, and entries that differ.
  private static func manifest(_ change: (inout Manifest) -> Void = { _ in }) throws -> Manifest {
    let certificates = try ["api", "example-root", "other-root"].map(certificate)
    let issued = try #require(Instant(written: "2026-11-21"))
    let trust = Manifest.Trust(
      systemAnchors: false, anchors: [certificates[0].fingerprint, certificates[1].fingerprint].sorted(),
      exceptions: [
        .init(
          failure: .expired, certificate: certificates[2].fingerprint, until: issued.adding(seconds: 86_400),
          reason: "d\u{E9}j\u{E0}")
      ], minimumRSABits: 3_072)
    var hosts = try (1...6).map { try entry("svc0\($0).example.com", "web", trust: trust) }
    hosts += try (1...5).map { try entry("own\($0).example.com", "host:own\($0).example.com") }
    hosts += [
      try entry("api.example.com", "web"), try entry("api.example.com", "same", port: 8443),
      try entry("off.example.com", nil, mode: .off), try entry("www.example.com", "same", mode: .reportOnly),
    ]
    var manifest = Manifest(
      audience: "production", serial: 7, issued: issued, refreshAfter: issued.adding(seconds: 60),
      expires: issued.adding(seconds: 86_400 * 30), onStale: .enforce, previous: nil,
      provenance: .init(sources: digest(1), commit: String(repeating: "a", count: 40), compiler: "pintle test"),
      unpinnedHosts: .allow, drasticChange: "it is meant",
      keys: [
        .init(name: "a", pin: Pin(digest(2)), position: .root, denied: nil),
        .init(name: "b", pin: Pin(digest(3)), position: nil, denied: nil),
        .init(name: "c", pin: Pin(digest(4)), position: nil, denied: nil),
        .init(name: "gone", pin: Pin(digest(5)), position: nil, denied: "caf\u{E9}"),
      ],
      keySets: (1...5).map { .init(name: "host:own\($0).example.com", active: ["a"], backup: ["c"]) } + [
        .init(name: "same", active: ["a"], backup: ["b"]), .init(name: "web", active: ["a"], backup: ["b"]),
      ], certificates: certificates.sorted { $0.fingerprint < $1.fingerprint }, hosts: hosts.sortedByHost())
    change(&manifest)
    return manifest
  }

  private static func before(_ comparison: Comparison) throws -> Manifest? {
    switch comparison {
    case .first: nil
    case .same: try manifest { $0.serial = 6 }
    case .other:
      try manifest { manifest in
        manifest.serial = 6
        manifest.hosts.removeAll { $0.host.text == "svc06.example.com" || $0.host.text.hasPrefix("own") }
        for number in manifest.hosts.indices where manifest.hosts[number].host.text.hasPrefix("svc") {
          (manifest.hosts[number].mode, manifest.hosts[number].trust) = (.off, nil)
          (manifest.hosts[number].keySet, manifest.hosts[number].expires) = (nil, nil)
          (manifest.hosts[number].onExpiry, manifest.hosts[number].reportURIs) = (nil, [])
        }
        manifest.keySets.removeAll { $0.name.hasPrefix("host:") }
        manifest.keySets[0].backup = []
      }
    }
  }

  /// A draft; nil where no client would read it.
  private static func draft(_ signed: [UInt8]) -> SignableManifest? {
    try? SignableManifest(SignatureEnvelope.encode(signed: signed, signatures: []))
  }

  /// What is shown but for the digest of all that is signed.
  private static func shown(_ file: SignableManifest, after release: ReleasedManifest?, isFull: Bool) throws -> String {
    let review = SigningReview(
      file: file, comparison: release.map { .release(.after($0, isNext: true)) } ?? .first, verdict: nil,
      standings: SignatureStandings(known: nil, present: []), whyUnsafe: nil, isFull: isFull)
    return try review.text().split(separator: "\n").filter { !$0.hasPrefix("signed bytes") }.joined(separator: "\n")
  }

  private static func release(_ manifest: Manifest) throws -> ReleasedManifest {
    let file = try #require(draft(manifest.signedBytes()))
    return ReleasedManifest(
      name: "serial 6", serial: 6, issued: manifest.issued, digest: file.digest, loaded: file.loaded)
  }

  @Test(
    "whatever is signed is shown: a manifest that differs in any value is rejected, or shown in other words",
    arguments: [[.first], [.same, .other]] as [[Comparison]])
  func everyValueIsShown(comparisons: [Comparison]) throws {
    let manifest = try Self.manifest { $0.previous = comparisons == [.first] ? nil : Self.digest(9) }
    let file = try #require(Self.draft(manifest.signedBytes()))
    let views = try comparisons.flatMap { comparison in
      let release = try Self.before(comparison).map(Self.release)
      return try [false, true].map { isFull in
        (comparison, isFull, release, try Self.shown(file, after: release, isFull: isFull))
      }
    }
    var count = 0
    for (name, mutant) in try Self.mutants(of: manifest) {
      guard let other = Self.draft(mutant), other.digest != file.digest else { continue }
      count += 1
      for (comparison, isFull, release, shown) in views {
        let isShown = try !Self.shown(other, after: release, isFull: isFull).utf8.elementsEqual(shown.utf8)
        #expect(isShown, "\(name), \(comparison), \(isFull)")
      }
    }
    #expect(count > 450, "mutants that clients would read")
  }

  @Test("what clients have of an entry that is removed or changed is shown: if it differs, so do the words")
  func everyOldValueIsShown() throws {
    let file = try #require(Self.draft(Self.manifest { $0.previous = Self.digest(9) }.signedBytes()))
    let trust = try Self.manifest().hosts.first { $0.trust != nil }?.trust
    let gone = try (1...5).map { try Self.entry("gone\($0).example.com", "web", trust: trust) }
    let before = try Self.manifest { manifest in
      manifest.serial = 6
      manifest.hosts.removeAll { !$0.host.text.hasPrefix("svc") }
      for number in manifest.hosts.indices { manifest.hosts[number].reportURIs = ["https://r.example/2"] }
      manifest.hosts = (manifest.hosts + gone).sortedByHost()
    }
    let release = try Self.release(before)
    let shown = try [false, true].map { try Self.shown(file, after: release, isFull: $0) }
    var count = 0
    for (name, mutant) in try Self.mutants(of: before) where name.hasPrefix("/hosts/") {
      guard let other = Self.draft(mutant), other.digest != release.digest else { continue }
      count += 1
      let release = ReleasedManifest(
        name: "serial 6", serial: 6, issued: before.issued, digest: other.digest, loaded: other.loaded)
      for (isFull, shown) in zip([false, true], shown) {
        #expect(try Self.shown(file, after: release, isFull: isFull) != shown, "\(name), \(isFull)")
      }
    }
    #expect(count > 150, "mutants that clients would read")
  }

  /// Signed bytes that differ in one value, in two that are exchanged, or as somebody would who hides something.
  private static func mutants(of manifest: Manifest) throws -> [(name: String, bytes: [UInt8])] {
    let tree = try JSONSerialization.jsonObject(with: Data(manifest.signedBytes()))
    var mutants = JSONMutants(tree).all
    for (name, change) in changes {
      var mutant = manifest
      change(&mutant)
      mutants.append((name, mutant.signedBytes()))
    }
    return mutants
  }

  private static let changes: [String: @Sendable (inout Manifest) -> Void] = [
    "a certificate more": { manifest in
      guard let more = try? certificate("old-root") else { return }
      manifest.certificates.append(more)
    },
    "another name of a key set": { manifest in
      for number in manifest.keySets.indices where manifest.keySets[number].name == "web" {
        manifest.keySets[number].name = "web2"
      }
      for number in manifest.hosts.indices where manifest.hosts[number].keySet == "web" {
        manifest.hosts[number].keySet = "web2"
      }
    },
    "another name of a key": { manifest in
      manifest.keys[0].name = "a2"
      for number in manifest.keySets.indices { manifest.keySets[number].active = ["a2"] }
    },
    "one of equal entries left out": { $0.hosts.removeAll { $0.host.text == "svc03.example.com" } },
    "one more of equal entries": { manifest in
      guard var entry = manifest.hosts.first(where: { $0.host.text == "svc06.example.com" }),
        let host = try? HostName(canonicalising: "svc07.example.com")
      else { return }
      entry.host = host
      manifest.hosts.append(entry)
    },
    "one of equal entries with a port": { manifest in
      guard let number = manifest.hosts.firstIndex(where: { $0.host.text == "svc03.example.com" }) else { return }
      manifest.hosts[number].port = 443
    },
    "a reason in other bytes": { manifest in
      guard let number = manifest.hosts.firstIndex(where: { $0.host.text == "svc03.example.com" }) else { return }
      manifest.hosts[number].trust?.exceptions[0].reason = "de\u{301}ja\u{300}"
    },
    "a reason of a denial in other bytes": { $0.keys[3].denied = "cafe\u{301}" },
  ]

  @Test("a picture that isn't complete isn't signed")
  func incomplete() throws {
    let after = try Self.manifest()
    for comparison in [Comparison.same, .other] {
      let before = try #require(try Self.before(comparison))
      let changed = comparison == .same ? [] : after.hosts.map(\.label).filter { !$0.hasSuffix("w.example.com") }
      let listed = changed.filter { $0.hasPrefix("svc") || $0.hasPrefix("own") }
      try SigningReview.requireComplete(listed, from: before, to: after)
      for wrong in [
        Array(listed.dropFirst()), listed + ["api.example.com", "api.example.com"], listed + ["x.example"],
      ]
      where wrong != listed {
        #expect(throws: WorkFailure.self) { try SigningReview.requireComplete(wrong, from: before, to: after) }
      }
    }
  }

  /// The lines are few, and name each entry.
  @Test(arguments: [30, 4_000])
  func manyEntriesAreFewLines(count: Int) throws {
    let hosts = try (1...count).map { try Self.entry("svc\(10_000 + $0).example.com", "web") }
    let before = try Self.manifest {
      ($0.hosts, $0.keySets) = (hosts, [.init(name: "web", active: ["a"], backup: ["b"])])
    }
    var after = before
    (after.serial, after.previous, after.keySets[0].backup) = (8, Self.digest(9), ["b", "c"])
    let release = try Self.release(before)
    let first = try Self.shown(#require(Self.draft(before.signedBytes())), after: nil, isFull: false)
    let next = try Self.shown(#require(Self.draft(after.signedBytes())), after: release, isFull: false)
    for shown in [first, next] {
      #expect(shown.split(separator: "\n").count < 45)
      #expect(shown.contains("svc{10001..\(10_000 + count)}.example.com"))
    }
    #expect(next.contains("changed \(count) entries"))
    #expect(first.contains("group 1 (\(count))"))
    // One that differs isn't among them.
    after.hosts[2].mode = .reportOnly
    let other = try Self.shown(#require(Self.draft(after.signedBytes())), after: release, isFull: false)
    #expect(other.contains("changed svc10003.example.com\n"))
    #expect(other.contains("changed \(count - 1) entries"))
  }
}

/// Mutants of a JSON tree: each text and number changed, each member left out, each field exchanged with that of the next
/// item.
private struct JSONMutants {
  private(set) var all: [(name: String, bytes: [UInt8])] = []

  private static let words = [
    "report-only", "block", "off", "deny", "leaf", "leaf-and-ca", "name-mismatch", "1.3", "b", "c", "same",
  ]

  init(_ tree: Any) {
    var found: [(name: String, bytes: [UInt8])] = []
    Self.mutants(tree, "") { found.append(($0, Array(Self.text($1).utf8))) }
    all = found
  }

  private static func mutants(_ value: Any, _ path: String, _ add: (String, Any) -> Void) {
    switch value {
    case let object as [String: Any]:
      for (name, member) in object {
        var without = object
        without[name] = nil
        add("\(path)/\(name) left out", without)
        mutants(member, "\(path)/\(name)") {
          var changed = object
          changed[name] = $1
          add($0, changed)
        }
      }
      let names = object.keys.sorted()
      for (one, other) in zip(names, names.dropFirst()) {
        var changed = object
        (changed[one], changed[other]) = (object[other], object[one])
        add("\(path)/\(one) and \(other) exchanged", changed)
        exchanges(object[one], object[other]) { name, first, second in
          (changed[one], changed[other]) = (first, second)
          add("\(path)/\(one) and \(other): \(name) exchanged", changed)
        }
      }
    case let list as [Any]:
      for (number, item) in list.enumerated() {
        var without = list
        without.remove(at: number)
        add("\(path)/\(number) left out", without)
        mutants(item, "\(path)/\(number)") {
          var changed = list
          changed[number] = $1
          add($0, changed)
        }
        guard number > 0 else { continue }
        exchanges(list[number - 1], item) { name, first, second in
          var changed = list
          (changed[number - 1], changed[number]) = (first, second)
          add("\(path)/\(number): \(name) exchanged with the one before", changed)
        }
      }
    case let number as NSNumber:
      for other in [number.int64Value - 1, number.int64Value + 1] { add("\(path) = \(other)", NSNumber(value: other)) }
    case let text as String:
      for other in words + [text + "x", text.last == "Z" ? text.replacing("T00:00:0", with: "T00:00:1") : text] {
        add("\(path) = \(other)", other)
      }
      for (old, new) in [("0", "1"), ("A", "B"), ("a", "b"), ("I", "M")] where text.contains(old) {
        guard let place = text.firstRange(of: old) else { continue }
        add("\(path) with \(new)", text.replacingCharacters(in: place, with: new))
      }
    default: break
    }
  }

  /// Two objects with each of their fields exchanged, also where only one has it.
  private static func exchanges(_ one: Any?, _ other: Any?, _ add: (String, Any, Any) -> Void) {
    guard let one = one as? [String: Any], let other = other as? [String: Any] else { return }
    for name in Set(one.keys).union(other.keys).sorted() {
      var (first, second) = (one, other)
      (first[name], second[name]) = (other[name], one[name])
      add(name, first, second)
    }
  }

  /// Canonical JSON; the texts have nothing that is escaped.
  private static func text(_ value: Any) -> String {
    switch value {
    case let object as [String: Any]:
      let names = object.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return "{" + names.map { "\"\($0)\":\(text(object[$0] ?? ""))" }.joined(separator: ",") + "}"
    case let list as [Any]: return "[" + list.map(text).joined(separator: ",") + "]"
    case let text as String: return "\"\(text)\""
    default: return "\(value)"
    }
  }
}

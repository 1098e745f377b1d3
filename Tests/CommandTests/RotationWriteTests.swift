import Foundation
import OpenSSLKit
import PinFormat
import TestSupport
import Testing

/// What `rotate` shows is what `--write` accepts, for every audience; and clients go on with what was written.
///
/// The cases audience-overlay and rotate-step-refused-by-write are among the scenes.
struct RotationWriteTests {
  /// Two servers and two audiences, whose entries share a key set or don't.
  struct Scene: CustomTestStringConvertible, Sendable {
    /// Whether the audience `pc` has the key set `s` for a.example.com as well, which otherwise has `t`.
    var hasOverlay: Bool
    /// Whether the newest release has the new key as a backup.
    var isPublished: Bool
    /// Whether each server presents the new key already.
    var isNew: [Bool]
    var audience: String
    /// What the policy lists of `s`.
    var lists: String

    var testDescription: String {
      "overlay \(hasOverlay), published \(isPublished), new \(isNew), \(audience), \(lists)"
    }

    static let all =
      [true, false].flatMap { overlay in
        [true, false].flatMap { published in
          [[false, true], [true, false], [false, false]].flatMap { new in
            ["pa", "pc"].flatMap { audience in
              ["active: [old], backup: [new, spare]", "active: [old, new], backup: [spare]"].map { lists in
                Scene(hasOverlay: overlay, isPublished: published, isNew: new, audience: audience, lists: lists)
              }
            }
          }
        }
      }.filter { $0.isPublished || $0.isNew == [false, false] } + [inPlaceOfBackup]

    /// The policy lists the new key in place of the backup that clients have.
    private static let inPlaceOfBackup = Scene(
      hasOverlay: false, isPublished: false, isNew: [false, false], audience: "pa",
      lists: "active: [old], backup: [new]")
  }

  private static let hosts = ["a.example.com", "b.example.com"]

  @Test(arguments: Scene.all) func theSame(_ scene: Scene) throws {
    let maker = try Maker()
    let leaves = try ["old", "new", "spare"].map { name in
      try maker.leaf("rotated, \(name)", by: maker.root) { profile in
        profile.alternativeNames = Self.hosts.map { "DNS:" + $0 }
      }
    }
    let place = try Workplace()
    try place.write(leaves[0].pem + leaves[1].pem, to: "leaves.pem")
    try place.write(maker.root.pem, to: "root.pem")
    let published = "active: [old], backup: [\(scene.isPublished ? "new, " : "")spare]"
    try place.write(try scene.policy(published, leaves), to: "rotated/policy.yaml")
    try place.write(try scene.evidence(leaves, maker.root), to: "seen.json")
    for (number, host) in Self.hosts.enumerated() {
      try place.write(leaves[scene.isNew[number] ? 1 : 0].pem, to: host)
    }
    let common = "--against out --key a.key.pub --at 2026-11-28"
    try pass(
      place,
      "pintle key a.key && pintle build rotated -o out --sign-key a.key --serial 1 --issued-at 2026-11-01"
        + " --new-audience pa --new-audience pc")
    try place.write(try scene.policy(scene.lists, leaves), to: "rotated/policy.yaml")
    let rotate = "pintle rotate s rotated --to new --audience \(scene.audience) --evidence seen.json \(common)"
    let shown = try place.run(rotate)
    let dry = try place.run(rotate + " --write --dry-run")
    if shown.status == 0 {
      // What isn't a change of the policy, or has to wait, is shown as such.
      let isLater = ["doesn't change the policy", "has to wait"].contains { dry.stderrText.contains($0) }
      #expect(dry.status == 0 || isLater, "\(shown.stdoutText)\(dry.stderrText)")
    } else {
      #expect(dry.status == shown.status, "\(shown.stderrText)\(dry.stderrText)")
    }
    guard dry.status == 0 else { return }
    try pass(place, rotate + " --write")
    try pass(
      place,
      "pintle build rotated -o out --sign-key a.key --key a.key.pub --against out --issued-at 2026-11-28 --at 2026-11-28"
        + " --evidence seen.json")
    for audience in ["pa", "pc"] {
      for host in Self.hosts {
        let decide = try place.run(
          "pintle decide \(host) --manifest out/\(audience)/2.json --key a.key.pub --chain \(host) --anchors root.pem"
            + " --at 2026-11-28 --audience \(audience)")
        #expect(decide.status == 0, "\(audience): \(decide.stdoutText)\(decide.stderrText)\(shown.stdoutText)")
      }
    }
  }

  private func pass(_ place: Workplace, _ command: String) throws {
    let result = try place.run(command)
    #expect(result.status == 0, "\(command): \(result.stdoutText)\(result.stderrText)")
  }
}

extension RotationWriteTests.Scene {
  func policy(_ lists: String, _ leaves: [TestCertificate]) throws -> String {
    let keys = try zip(["old", "new", "spare"], leaves).map { name, leaf in
      "  \(name): { pin: \(try Self.pin(leaf)), position: leaf, custody: \(name), created: 2026-01-01 }"
    }
    let overlay = "\n      overlays:\n        - { host: a.example.com, keys: s }"
    return """
      version: 1
      owner: team
      manifest:
        expires-after: 300d
        client-max-age: 10d
        limits: { max-blast-radius: 100% }
        audiences:
          pa: { refresh-after: 1d }
          pc:
            refresh-after: 1d\(hasOverlay ? overlay : "")
      keys:
      \(keys.joined(separator: "\n"))
      key-sets:
        s: { \(lists) }
        t: { active: [old], backup: [new, spare] }
      hosts:
        - { host: a.example.com, keys: t, expires: 2027-06-01, on-expiry: report-only }
        - { host: b.example.com, keys: s, expires: 2027-06-01, on-expiry: report-only }

      """
  }

  private static func pin(_ certificate: TestCertificate) throws -> Pin {
    Pin(SHA256Digest(try Certificate(der: certificate.der).publicKeyDigest()))
  }

  /// Evidence as `probe --record` writes it: one address and one chain for each host.
  func evidence(_ leaves: [TestCertificate], _ root: TestCertificate) throws -> String {
    func fingerprint(_ certificate: TestCertificate) throws -> String {
      SHA256Digest(try SHA256.digest(of: certificate.der)).hex
    }
    let certificates = try ([root] + leaves.prefix(2)).map { certificate in
      "\"\(try fingerprint(certificate))\":\"\(Data(certificate.der).base64EncodedString())\""
    }
    let time = "\"2026-11-28T00:00:00Z\""
    let targets = try ["a.example.com", "b.example.com"].enumerated().map { number, host in
      let visit =
        "{\"chain\":[\"\(try fingerprint(leaves[isNew[number] ? 1 : 0]))\"],\"key-type\":\"ecdsa\","
        + "\"observed\":\(time),\"tls-version\":\"1.3\"}"
      return "{\"addresses\":[{\"address\":\"192.0.2.1\",\"visits\":[\(visit)]}],\"host\":\"\(host)\",\"port\":443}"
    }
    return "{\"begun\":\(time),\"certificates\":{\(certificates.sorted().joined(separator: ","))},\"ended\":\(time),"
      + "\"stores\":{\"system\":[\"\(try fingerprint(root))\"]},\"targets\":[\(targets.joined(separator: ","))],"
      + "\"tool\":\"test\",\"type\":\"application/vnd.pintle.evidence+json\",\"version\":1}"
  }
}

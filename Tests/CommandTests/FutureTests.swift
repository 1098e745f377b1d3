import Foundation
import OpenSSLKit
import PinFormat
import TestSupport
import Testing

/// Futures on the command line: a root of our own, and the root that comes after it.
@Suite("Futures by command")
struct FutureTests {
  private let place: Workplace

  /// A policy that pins `old-root`, and two files that say what becomes of it.
  init() throws {
    place = try Workplace()
    let pki = try TestPKI()
    var keys: [String: String] = [:]
    for (file, name) in [("old", "Old Root"), ("new", "New Root"), ("other", "Other Root"), ("spare", "Spare Root")] {
      let root = try pki.issue(.authority(name))
      try place.write(root.pem, to: "own/keys/\(file).pem")
      keys[file] = """
        pin: \(Pin(SHA256Digest(try Certificate(der: root.der).publicKeyDigest()))), \
        certificate: \(SHA256Digest(try SHA256.digest(of: root.der)).hex), subject: "CN=\(name)", place: root, \
        created: 2020-01-01, expires: 2049-01-01, source: news
        """
    }
    try place.write(Self.policy("old-root"), to: "own/policy.yaml")
    func file(_ old: String, _ new: String) -> String {
      """
      version: 1
      reviewed: 2026-11-01
      sources:
        news: { published: 2026-10-01, url: https://ca.example/news, says: The next root is ready. }
      authorities:
        our-ca:
          owner: Our CA
          keys:
            old-root: { \(keys["old"] ?? "")\(old) }
            new-root: { \(keys["new"] ?? "")\(new) }

      """
    }
    try place.write(
      file(
        "",
        ", signed-by: [{ key: old-root, until: 2040-01-01, source: news }], "
          + "stores: [{ store: debian, since: 2027-01-20, source: news }]"), to: "store.yaml")
    try place.write(
      file(", successors: [{ key: new-root, from: 2027-03-02, source: news }]", ""), to: "move.yaml")
  }

  private static func policy(_ active: String?) -> String {
    let end = "expires: 2027-11-01, on-expiry: block"
    return """
      version: 1
      manifest: { audience: test, client-max-age: 30d }
      keys:
        old-root: { file: keys/old.pem, position: root }
        new-root: { file: keys/new.pem, position: root }
        other-root: { file: keys/other.pem, position: root }
        spare: { file: keys/spare.pem, position: root }
      hosts:
        - { host: www.example.com, keys: { active: [other-root], backup: [spare] }, \(end) }
      \(active.map { "  - { host: api.example.com, keys: { active: [\($0)], backup: [spare] }, \(end) }" } ?? "")

      """
  }

  /// Makes the only release, in which the host has some active keys or isn't pinned, and goes back to the policy.
  private func release(_ active: String?) throws {
    let policy = try place.read("own/policy.yaml")
    try place.write(Self.policy(active), to: "own/policy.yaml")
    let made = try place.run(
      """
      rm -rf released && mkdir released && pintle build own -o released/1.json --sign-key signing/release.key \
      --serial 1 --issued-at 2026-11-01
      """)
    try #require(made.status == 0, "\(made.stderrText)")
    try place.write(policy, to: "own/policy.yaml")
  }

  private static let against = "--against released --key signing/release.key.pub --at 2026-11-21"

  @Test("simulate names the day on which a store has the successor, and the host")
  func storeWithSuccessor() throws {
    let result = try place.run("pintle simulate own --authorities store.yaml --at 2026-11-21")
    #expect(result.status == 0, "\(result.stderrText)")
    #expect(
      result.stdoutText.contains(
        """
        FUTURES (1, not planned; no effect on the verdict)
          WHEN        HOSTS                CLIENTS WOULD BE LOCKED OUT IF
          2027-01-20  api.example.com:443  paths end at 'new-root' instead of 'old-root'
        help: Pin 'new-root' as well as 'old-root'. Release this by 2026-12-21, so that every client has it in time.

        """), "\(result.stdoutText)")
  }

  @Test("simulate names the day on which issuance moves, and the host")
  func issuanceMoves() throws {
    let result = try place.run("pintle simulate own --authorities move.yaml --at 2026-11-21")
    #expect(result.status == 0, "\(result.stderrText)")
    #expect(
      result.stdoutText.contains(
        "  2027-03-02  api.example.com:443  issuance moves from 'old-root' to 'new-root'\n"), "\(result.stdoutText)")
  }

  @Test("there are no futures where nothing is known, where nobody asks, or where both roots are pinned")
  func silent() throws {
    for options in ["", "--authorities store.yaml --futures none"] {
      let result = try place.run("pintle simulate own \(options) --at 2026-11-21 --format json")
      #expect(result.status == 0 && result.stdoutText.contains("\"futures\": []"), "\(options): \(result.stdoutText)")
    }
    try place.write(Self.policy("old-root, new-root"), to: "own/policy.yaml")
    let both = try place.run("pintle simulate own --authorities store.yaml --at 2026-11-21")
    #expect(both.status == 0 && !both.stdoutText.contains("FUTURES"), "\(both.stdoutText)")
  }

  @Test("diff warns of what the release brings along, and doesn't fail for it")
  func warning() throws {
    let command = "pintle diff own \(Self.against) --authorities store.yaml --format json"
    try release(nil)
    let first = try place.run(command)
    #expect(first.status == 0 && first.stdoutText.contains("P623"), "\(first.stdoutText) \(first.stderrText)")
    #expect(first.stdoutText.contains("2027-01-20") && first.stdoutText.contains("https://ca.example/news"))
    #expect(try place.run(command + " --fail-on warning").status == 2)
    #expect(!(try place.run(command + " --futures none").stdoutText.contains("P623")))
    try release("old-root")
    let again = try place.run(command)
    #expect(again.status == 0 && !again.stdoutText.contains("P623"), "\(again.stdoutText)")
  }

  @Test("rotate has no futures")
  func rotations() throws {
    try release("old-root, new-root")
    let command = "pintle rotate api.example.com own --to new-root \(Self.against)"
    let result = try place.run(command)
    #expect(result.status == 0, "\(result.stderrText)")
    #expect(!result.stdoutText.contains("P62"), "\(result.stdoutText)")
    #expect(try place.run(command + " --futures all").status == 64)
  }
}

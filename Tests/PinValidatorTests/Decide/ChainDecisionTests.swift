import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("Steps 2 to 5: what an entry says of a chain")
struct ChainDecisionTests {
  /// The pins' numbers are those of ``Manifest/sample(hosts:denied:)``: 1 leaf, 2 middle, 3 root, 4 any, 9 denied.
  struct Row: Sendable, CustomTestStringConvertible {
    var keys: String
    var requirement: Requirement
    var chain: PinsOnly
    /// `leaf@0`, `leaf@0+root@2`, `lost@1!` for a denial, `-` for no match, `leaf-missing`, `ca-missing`, `unreadable`.
    var expected: String

    init(_ keys: String, _ chain: PinsOnly, _ expected: String) {
      self.init(keys, .any, chain, expected)
    }

    init(_ keys: String, _ requirement: Requirement, _ chain: PinsOnly, _ expected: String) {
      (self.keys, self.requirement, self.chain, self.expected) = (keys, requirement, chain, expected)
    }

    var testDescription: String { "\(keys), \(requirement): \(expected)" }
  }

  static let rows: [Row] = [
    // Positions.
    Row("leaf", PinsOnly(1, 7, 8), "leaf@0"), Row("leaf", PinsOnly(7, 1, 8), "-"), Row("leaf", PinsOnly(7, 8, 1), "-"),
    Row("middle", PinsOnly(2, 7, 8), "-"), Row("middle", PinsOnly(7, 2, 8), "middle@1"),
    Row("middle", PinsOnly(7, 8, 2), "-"), Row("middle", PinsOnly(7, 8, 2, 6), "middle@2"),
    Row("middle", PinsOnly(7, 2), "-"), Row("middle", PinsOnly(2), "-"),
    Row("root", PinsOnly(7, 8, 3), "root@2"), Row("root", PinsOnly(7, 3, 8), "-"), Row("root", PinsOnly(3, 7), "-"),
    Row("any", PinsOnly(4, 7), "any@0"), Row("any", PinsOnly(7, 4, 8), "any@1"), Row("any", PinsOnly(7, 4), "any@1"),
    // A single certificate is both leaf and root.
    Row("leaf", PinsOnly(1), "leaf@0"), Row("root", PinsOnly(3), "root@0"), Row("any", PinsOnly(4), "any@0"),
    // The first match of the chain is reported; backups match like active keys.
    Row("all", PinsOnly(7, 2, 3), "middle@1"), Row("all", PinsOnly(5, 2, 3), "spare@0"),
    Row("all", PinsOnly(6, 7, 8), "-"), Row("leaf", PinsOnly(5, 2, 3), "-"),
    // Denied keys count at any position, and before anything else.
    Row("leaf", PinsOnly(1, 9, 8), "lost@1!"), Row("leaf", PinsOnly(1, 7, 9), "lost@2!"),
    Row("leaf", PinsOnly(9, 7), "lost@0!"), Row("leaf", PinsOnly(7, 8, 9), "lost@2!"),
    // A leaf and a CA.
    Row("all", .leafAndCA, PinsOnly(1, 2, 3), "leaf@0+middle@1"),
    Row("all", .leafAndCA, PinsOnly(1, 7, 3), "leaf@0+root@2"),
    Row("all", .leafAndCA, PinsOnly(4, 4), "any@0+any@1"), Row("all", .leafAndCA, PinsOnly(1, 7, 8), "ca-missing"),
    Row("all", .leafAndCA, PinsOnly(7, 2, 3), "leaf-missing"), Row("all", .leafAndCA, PinsOnly(7, 8), "-"),
    Row("all", .leafAndCA, PinsOnly(4), "ca-missing"), Row("all", .leafAndCA, PinsOnly(1, 2, 9), "lost@2!"),
    // What can't be read is never skipped.
    Row("leaf", PinsOnly(nil, 1), "unreadable"), Row("leaf", PinsOnly(1, nil), "unreadable"),
    Row("leaf", PinsOnly(), "unreadable"),
  ]

  @Test("Requirement, position and denial", arguments: rows, [Mode.enforce, .reportOnly])
  func decisions(row: Row, mode: Mode) throws {
    let manifest = try loaded(.sample(hosts: [.init("example.com", mode, keys: row.keys, require: row.requirement)]))
    let verdict = try decide(manifest, row.chain)
    let text = text(verdict, manifest)
    #expect(text.what == row.expected)
    let isMismatch = ["-", "leaf-missing", "ca-missing"].contains(row.expected)
    let blocks = isMismatch ? mode == .enforce : row.expected.hasSuffix("!") || row.expected == "unreadable"
    #expect(text.isBlock == blocks)
    #expect(verdict.context.events.contains(.mismatch) == isMismatch)
    #expect(verdict.context.events.contains(.reportOnly) == (mode == .reportOnly))
    #expect(verdict.context.events.contains(.deniedKey) == row.expected.hasSuffix("!"))
    #expect(verdict.context.events.contains(.backupKeyMatched) == row.expected.hasPrefix("spare"))
    let step: DecisionStep =
      isMismatch ? .mismatch : blocks ? .denial : .requirement
    #expect(verdict.context.step == step)
    #expect(verdict.context.entry == 0)
    #expect(manifest.describe(verdict).hasSuffix("(entry example.com)"))
  }

  @Test(
    "A key that is in the chain where it doesn't count is named",
    arguments: [
      ("leaf", PinsOnly(7, 1, 8), "'leaf' is at the intermediate, but counts only at the leaf"),
      ("root", PinsOnly(3, 7), "'root' is at the leaf, but counts only at the root"),
      ("middle", PinsOnly(7, 8, 2), "'middle' is at the root, but counts only at the intermediate"),
      ("middle", PinsOnly(7, 8), nil), ("any", PinsOnly(nil, 4), nil), ("root", PinsOnly(nil, 3), nil),
    ] as [(String, PinsOnly, String?)])
  func misplacedKey(keys: String, chain: PinsOnly, clause: String?) throws {
    let manifest = try loaded(.sample(hosts: [.init("example.com", keys: keys)]))
    #expect(manifest.misplacedKey(ofEntry: 0, in: chain.digests.map { $0.map { Pin($0) } }) == clause)
  }

  @Test("A trust failure blocks in every mode", arguments: [Mode.enforce, .reportOnly])
  func trustFailure(mode: Mode) throws {
    let manifest = try loaded(.sample(hosts: [.init("example.com", mode)]))
    let failure = TrustFailure(.expired, certificate: 0, "the leaf expired on 2026-11-01T00:00:00Z")
    let verdict = manifest.decide(failure, for: try entry(manifest))
    guard case .block(.untrusted(failure), let context) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(context.step == .trust)
    #expect(context.events.contains(.untrusted))
    #expect(manifest.describe(verdict).contains("the leaf expired on"))
  }

  @Test(
    "Without denied keys, certificates behind the match aren't looked at",
    arguments: [
      Row("leaf", PinsOnly(1, nil, nil), "leaf@0"), Row("all", PinsOnly(7, 2, nil), "middle@1"),
      Row("all", PinsOnly(7, 8, nil), "unreadable"),
      Row("all", .leafAndCA, PinsOnly(1, 2, nil), "leaf@0+middle@1"),
      Row("all", .leafAndCA, PinsOnly(7, 2, nil), "unreadable"),
      Row("all", .leafAndCA, PinsOnly(1, 7, nil), "unreadable"),
    ])
  func noNeedlessHashing(row: Row) throws {
    let host = try Manifest.HostEntry("example.com", keys: row.keys, require: row.requirement)
    let manifest = try loaded(.sample(hosts: [host], denied: false))
    #expect(text(try decide(manifest, row.chain), manifest).what == row.expected)
  }

  @Test("A denied key is denied for an entry whose set names it, with its reason")
  func deniedKeyInTheSet() throws {
    var manifest = try Manifest.sample(hosts: [.init("example.com", keys: "lost")])
    manifest.keySets.append(.init(name: "lost", active: ["any", "lost"], backup: []))
    let loaded = try loaded(manifest)
    let verdict = try decide(loaded, PinsOnly(4, 9))
    #expect(
      loaded.describe(verdict)
        == "block: key lost at the root, certificate 1 is denied: found in a bucket (entry example.com)")
  }

  @Test(
    "A cause has the validator's words",
    arguments: [
      .noManifest, .invalidHost(.empty), .unpinnedHost(.noEntry), .expired(.entry), .mismatch(.noKey), .unreadableChain,
      .untrusted(TrustFailure(.expired, "the certificate has expired")),
    ] as [BlockReason])
  func causes(reason: BlockReason) throws {
    #expect(try loaded(.sample(hosts: [])).reason(for: reason).hasPrefix(Cause(reason).clause))
  }

  @Test("Pins are over a certificate's own SPKI bytes")
  func pinnedBytes() throws {
    let pki = try TestPKI.standard()
    let evaluator = TrustEvaluator(anchors: try TrustAnchors([pki.root.der]))
    let evaluation = evaluator.evaluate(
      try ServedChain([pki.leaf.der, pki.intermediate.der]),
      for: TrustRequest(peer: .server("example.com"), at: try instant("2026-11-20"), tlsVersion: nil),
      certificates: { _ in nil })
    guard case .trusted(let chain, _) = evaluation else { throw NotPinned() }
    let certificates = [pki.leaf, pki.intermediate, pki.root]
    #expect(chain.count == certificates.count)
    for (number, certificate) in certificates.enumerated() {
      let pem = try runSuccessfully("openssl", ["x509", "-in", certificate.path, "-noout", "-pubkey"])
      let spki = try runSuccessfully("openssl", ["pkey", "-pubin", "-outform", "DER"], stdin: pem)
      #expect(chain.publicKeyDigest(ofCertificate: number)?.bytes == (try sha256(spki)))
    }
  }

  private func entry(_ manifest: LoadedManifest) throws -> GoverningEntry {
    guard case .pinned(let entry) = manifest.govern(host: "example.com", port: 443, at: try instant("2026-11-20"))
    else {
      throw NotPinned()
    }
    return entry
  }

  private struct NotPinned: Error {}

  private func decide(_ manifest: LoadedManifest, _ chain: some PinnedChain) throws -> Verdict {
    manifest.decide(chain, for: try entry(manifest))
  }

  private func text(_ verdict: Verdict, _ manifest: LoadedManifest) -> (what: String, isBlock: Bool) {
    func name(_ match: PinMatch) -> String { "\(manifest.keyName(match.key) ?? "?")@\(match.certificate)" }
    func name(_ mismatch: Mismatch) -> String {
      switch mismatch {
      case .noKey: "-"
      case .leafMissing: "leaf-missing"
      case .authorityMissing: "ca-missing"
      }
    }
    return switch verdict {
    case .allow(.matched(let match), _): (name(match), false)
    case .allow(.matchedBoth(let leaf, let authority), _): (name(leaf) + "+" + name(authority), false)
    case .allow(.mismatchReported(let mismatch), _): (name(mismatch), false)
    case .block(.deniedKey(let match), _): (name(match) + "!", true)
    case .block(.mismatch(let mismatch), _): (name(mismatch), true)
    case .block(.unreadableChain, _): ("unreadable", true)
    default: ("\(verdict)", false)
    }
  }
}

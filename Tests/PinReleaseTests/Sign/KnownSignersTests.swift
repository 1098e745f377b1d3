import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinValidator
import Testing

/// Whose signatures count, and what is still needed.
struct KnownSignersTests {
  private let people: KeysetPeople
  private let names = ["alice", "bob", "carol"]

  init() throws { people = try KeysetPeople("alice", "bob", "carol", "dora") }

  private func known(threshold: Int, twice: Bool = false) throws -> KnownSigners {
    let keys = try names.map { try people.signer($0).keys[0].publicKey }
    return try KnownSigners(
      Trust(publicKeys: twice ? keys + keys : keys), paths: twice ? names + names : names, threshold: threshold)
  }

  private func ids(_ names: [String]) throws -> [SHA256Digest] { try names.map { try people.signer($0).keys[0].id } }

  private static let rows: [([String], Int, String)] = [
    ([], 1, "0 of 1 needed, 1 more of alice, bob, carol"),
    (["bob"], 1, "enough, 1 is needed"), (["bob"], 2, "1 of 2 needed, 1 more of alice, carol"),
    (["bob", "bob"], 2, "1 of 2 needed, 1 more of alice, carol"),
    (["dora"], 1, "0 of 1 needed, 1 more of alice, bob, carol"),
    (["alice", "bob", "carol"], 2, "enough, 2 are needed"),
  ]

  @Test(arguments: rows)
  func whatIsNeeded(_ signed: [String], _ threshold: Int, _ standing: String) throws {
    #expect(try known(threshold: threshold).standing(ids(signed)) == standing)
    #expect(try known(threshold: threshold, twice: true).standing(ids(signed)) == standing)
  }

  @Test(arguments: [0, 4])
  func thresholds(_ threshold: Int) {
    let failure = #expect(throws: WorkFailure.self) { try known(threshold: threshold) }
    #expect(failure?.kind == .usage)
    #expect(failure?.message == "\(threshold) signatures can't be required: the number of different keys is 3")
  }

  @Test func namesAndStrangers() throws {
    let known = try known(threshold: 2)
    let (bob, dora) = (try ids(["bob"])[0], try ids(["dora"])[0])
    #expect(known.name(of: bob) == "bob (\(bob.hex))" && known.name(of: dora) == dora.hex)
    #expect(known.contains(bob) && !known.contains(dora))
    let text = SignatureStandings(known: known, present: [bob, dora]).text()
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
    #expect(lines.first?.joined(separator: " ") == "signatures: 1 of 2 needed, 1 more of alice, carol")
    #expect(
      lines.dropFirst().map { $0.dropLast().joined(separator: " ") } == [
        "alice not yet", "bob has signed", "carol not yet", "somebody else counts for nothing",
      ])
    #expect(SignatureStandings(known: nil, present: []).text() == "signatures: none yet\n")
  }

  /// Who signs for which audience; in `keysets`, whose signatures count for each, and nil for one without a keyset.
  struct ShareRow: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var signers: [String]
    var keysets: [[String]?]
    /// The signers for each audience.
    var shares: [[String]] = []
    var refusal: String?
  }

  static let shareRows = [
    ShareRow(
      testDescription: "everybody, without keysets", signers: ["alice", "bob"], keysets: [nil, nil],
      shares: [["alice", "bob"], ["alice", "bob"]]),
    ShareRow(
      testDescription: "those of each keyset", signers: ["alice", "bob", "carol"],
      keysets: [["alice", "carol"], ["bob", "carol"]], shares: [["alice", "carol"], ["bob", "carol"]]),
    ShareRow(
      testDescription: "everybody where one has no keyset", signers: ["alice", "bob"], keysets: [["alice"], nil],
      shares: [["alice"], ["alice", "bob"]]),
    ShareRow(
      testDescription: "nobody for one of them", signers: ["alice"], keysets: [["alice"], ["bob"]],
      refusal: "no --sign-key is a signer of version 1 of the keyset for 'production'"),
    ShareRow(
      testDescription: "a stranger among several", signers: ["alice", "bob", "dora"], keysets: [["alice"], ["bob"]],
      refusal: "is not a signer of version 1"),
    ShareRow(
      testDescription: "a stranger to the only keyset", signers: ["alice", "dora"], keysets: [["alice"]],
      refusal: "is not a signer of version 1"),
    ShareRow(testDescription: "nobody signs", signers: [], keysets: [["alice"], nil], shares: [[], []]),
  ]

  @Test("signers are shared out among audiences", arguments: shareRows)
  func shares(row: ShareRow) throws {
    let keysets = try row.keysets.map { names in
      try names.map { names in
        let keyset = try KeysetPlan.first(
          audience: "production", issued: KeysetPeople.issued, expires: KeysetPeople.expires,
          roots: [people.key("dora", called: "root")], rootThreshold: 1, signers: names.map { try people.key($0) },
          threshold: 1)
        return try TrustedKeyset.load(shipped: people.file(keyset, signedBy: "dora").bytes, audience: "production")
      }
    }
    let signers = try row.signers.map { try people.signer($0) }
    if let refusal = row.refusal {
      let failure = #expect(throws: WorkFailure.self) { try TrustedKeyset.share(signers, among: keysets) }
      #expect(failure?.kind == .refused && failure?.message.contains(refusal) == true, "\(failure?.message ?? "")")
      return
    }
    let shares = try TrustedKeyset.share(signers, among: keysets)
    #expect(try shares.map { $0.map { $0.keys[0].id } } == row.shares.map { try ids($0) })
  }
}

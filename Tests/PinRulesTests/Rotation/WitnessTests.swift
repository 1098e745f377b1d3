import Diagnostics
import PinFormat
import Testing

@testable import PinRules

/// Who proves a finding: which client, which host, at which instant, shown which chain.
@Suite("Witnesses")
struct WitnessTests {
  /// About releases as files, a key as such, or what a collector counted: no client asks anything in these.
  static let withoutClients: Set<String> = ["P610", "P611", "P616", "P617", "P618", "P626"]
  /// In these nobody knows the chain: trust evaluation passes something more, or less.
  static let withoutChain: Set<String> = ["P609", "P627"]

  @Test("every rule about clients proves its example", arguments: Rule.rotationRules)
  func complete(_ rule: Rule) throws {
    guard !Self.withoutClients.contains(rule.code) else { return }
    let found = try RotationCheck(rule.failing).result.diagnostics.filter { $0.code == rule.code }
    #expect(!found.isEmpty)
    for finding in found {
      let witness = try #require(finding.witness, "\(finding.message)")
      #expect(!witness.client.isEmpty && !witness.reason.isEmpty && witness.host.contains(":"))
      #expect(Instant(written: witness.instant) != nil && Instant(written: witness.released) != nil)
      #expect(witness.chain.isEmpty == Self.withoutChain.contains(rule.code))
    }
  }
}

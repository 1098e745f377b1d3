import PinFormat
import PinRotation
import PinValidator
import RotationWorlds
import TestSupport
import Testing

/// A release that senders were seen to run later than expected.
@Suite("A measured run")
struct MeasuredRunTests {
  /// Each run ends as it did or later, and each client that is locked out is so from the same instant on, as long or longer.
  @Test("never ends earlier, and hides no lockout", arguments: 0..<8)
  func onlyLonger(_ seed: Int) throws {
    var chance = SeededGenerator(seed: 0x7365656E + UInt64(seed))
    let forge = try Forge()
    var prolonged = 0
    for _ in 0..<Thoroughness.pick(10, full: 100) {
      let world = PlainWorld.random(&chance)
      let plain = try world.scenario(forge)
      var measured = plain
      for number in plain.releases.indices where plain.releases[number].origin == .released {
        measured.releases[number].seenUntil = plain.now.adding(seconds: Int64(chance.below(2 * world.window + 6)) - 3)
      }
      for number in plain.releases.indices {
        let (before, after) = (plain.run(ofRelease: number).end, measured.run(ofRelease: number).end)
        #expect(before == nil ? after == nil : after.map { $0 >= before ?? $0 } ?? false, "\(world)")
        if before != after { prolonged += 1 }
      }
      let later = Simulation(measured).lockouts()
      for lockout in Simulation(plain).lockouts() {
        let isKept = later.contains { other in
          other.server == lockout.server && other.release == lockout.release && other.phase == lockout.phase
            && other.view == lockout.view && other.extent == lockout.extent && other.begin <= lockout.begin
            && (other.end.map { end in lockout.end.map { end >= $0 } ?? false } ?? true)
        }
        #expect(isKept, "\(world) \(lockout)")
      }
    }
    #expect(prolonged > 0)
  }

  /// Clients that refuse stale manifests block everything then, whatever senders say.
  @Test("ends with the manifest where clients refuse stale ones")
  func staleness() throws {
    var chance = SeededGenerator(seed: 7)
    let forge = try Forge()
    var seen = 0
    for _ in 0..<200 where seen < 3 {
      let scenario = try PlainWorld.random(&chance).scenario(forge)
      for number in scenario.releases.indices.dropLast() {
        let header = scenario.releases[number].manifest.tables.header
        guard header.onStale == .block || header.onStale == .unpinned && header.unpinnedHosts == .deny else { continue }
        var measured = scenario
        measured.releases[number].seenUntil = .latest
        let superseded = scenario.releases[number + 1].issued
        #expect(
          measured.run(ofRelease: number).end == max(superseded, scenario.releases[number].manifest.expires))
        seen += 1
      }
    }
    #expect(seen >= 3)
  }
}

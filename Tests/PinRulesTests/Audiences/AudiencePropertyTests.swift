import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import TestSupport
import Testing

/// What must hold of the manifests of several audiences, in policies by chance.
@Suite("Audiences keep to themselves")
struct AudiencePropertyTests {
  private static let rounds = Thoroughness.pick(40, full: 2_000)

  @Test("An overlay changes its own audience and no other", arguments: 0..<4)
  func overlaysStay(_ seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(7_000 + seed))
    var (compared, changed) = (0, 0)
    for _ in 0..<Self.rounds {
      let world = AudienceWorld.random(&chance)
      guard !world.overlays.isEmpty else { continue }
      let (with, without) = (world.text(), world.text(overlays: false))
      for audience in ["production", "qa", "payments"] {
        let (left, right) = (
          try AudienceWorld.manifest(with, for: audience), try AudienceWorld.manifest(without, for: audience)
        )
        #expect(left == right, "\(audience)\n\(with)")
        if left != nil { compared += 1 }
      }
      let staging = try AudienceWorld.manifest(with, for: "staging")
      if staging != nil, try staging != AudienceWorld.manifest(without, for: "staging") { changed += 1 }
    }
    // The comparison says something: both kinds come up often.
    #expect(compared > Self.rounds / 4 && changed > Self.rounds / 20, "\(compared) \(changed)")
  }

  @Test("A slice answers for its hosts as the whole does, and for others too, or blocks them", arguments: 0..<4)
  func slices(_ seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(9_000 + seed))
    var (own, others) = (0, 0)
    for _ in 0..<Self.rounds {
      let world = AudienceWorld.random(&chance)
      let text = world.text(slice: ", unpinned-hosts: \(world.unpinnedHosts)")
      guard let whole = try AudienceWorld.manifest(text, for: "production"),
        let slice = try AudienceWorld.manifest(text, for: "payments")
      else { continue }
      #expect(slice.audience == "payments")
      #expect(slice.keys.filter { $0.denied != nil } == whole.keys.filter { $0.denied != nil })
      #expect(slice.hosts.allSatisfy(whole.hosts.contains))
      let (loadedWhole, loadedSlice) = (try Rehearsal().load(whole), try Rehearsal().load(slice))
      for name in AudienceWorld.names {
        let (left, right) = (AudienceWorld.answers(loadedWhole, name), AudienceWorld.answers(loadedSlice, name))
        if world.sliced.contains(name) {
          #expect(Self.common(right, left) == right, "\(name)\n\(text)")
          own += 1
        } else if right.contains(where: { !$0.contains("unpinnedHost") && !$0.contains("noEntry") }) {
          // A name that isn't the slice's: what the slice says of it, the whole says too.
          let said = right.filter { !$0.contains("unpinnedHost") && !$0.contains("noEntry") }
          #expect(Self.common(said, left) == said, "\(name)\n\(text)")
          others += 1
        }
      }
    }
    #expect(own > Self.rounds / 3 && others > Self.rounds / 4, "\(own) \(others)")
  }

  /// Those answers that the other manifest gives too.
  ///
  /// The whole has more keys, and so is asked about more chains.
  private static func common(_ answers: [String], _ others: [String]) -> [String] {
    let known = Set(others)
    return answers.filter(known.contains)
  }

  @Test("By default, a slice blocks what is outside of it")
  func outside() throws {
    let text = """
      version: 1
      manifest:
        audiences: { production: { refresh-after: 1d }, payments: { slice-of: production, hosts: [pay.example.com] } }
      keys:
        a: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        b: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      key-sets: { web: { active: [a], backup: [b] } }
      hosts:
        - { host: pay.example.com, keys: web, expires: 2027-06-01, on-expiry: report-only }
        - { host: www.example.com, keys: web, expires: 2027-06-01, on-expiry: report-only }

      """
    let slice = try #require(try AudienceWorld.manifest(text, for: "payments"))
    #expect(slice.hosts.map(\.label) == ["pay.example.com"])
    #expect(
      AudienceWorld.answers(try Rehearsal().load(slice), "www.example.com").allSatisfy { $0.contains("unpinnedHost") })
    let whole = try #require(try AudienceWorld.manifest(text, for: "production"))
    #expect(
      AudienceWorld.answers(try Rehearsal().load(whole), "elsewhere.example").allSatisfy { $0.contains("not pinned") })
  }
}

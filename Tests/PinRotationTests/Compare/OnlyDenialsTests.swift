import PinFormat
import PinRotation
import PinValidator
import RotationWorlds
import Testing

/// Whether a release only denies keys, compared with what the validator answers.
@Suite("Releases that only deny keys")
struct OnlyDenialsTests {
  private typealias Small = SmallManifest

  /// All manifests of the keys `a` to `c`, each one active, a backup, in no set, or denied.
  private static func manifests(_ requirement: Requirement) throws -> [Manifest] {
    var manifests: [Manifest] = []
    for number in 0..<(4 * 4 * 4) {
      let states = [number % 4, number / 4 % 4, number / 16]
      let keys = states.enumerated().map { index, state in
        Small.key(["a", "b", "c"][index], UInt8(index + 1), denied: state < 3 ? nil : "stolen")
      }
      func names(_ place: Int) -> [String] { zip(keys, states).filter { $0.1 == place }.map(\.0.name) }
      guard !names(0).isEmpty else { continue }
      manifests.append(
        Small.manifest(
          [try Small.entry("a.test", requirement: requirement)], keys: keys,
          keySets: [Manifest.KeySet(name: "web", active: names(0), backup: names(1))]))
    }
    return manifests
  }

  /// The names of a manifest's only key set.
  private static func members(_ manifest: Manifest) -> Set<String> {
    Set(manifest.keySets[0].active + manifest.keySets[0].backup)
  }

  @Test(
    "block what has a key that is denied now, and are answered as before otherwise",
    arguments: [Requirement.any, .leafAndCA])
  func answers(requirement: Requirement) throws {
    let forge = try Forge()
    let manifests = try Self.manifests(requirement)
    let pins: [Pin?] = [nil] + (1...3).map { Small.pin($0) }
    let chains = pins.flatMap { leaf in pins.map { PresentedChain([leaf, $0]) } }
    var (found, activated) = (0, 0)
    for before in manifests {
      for after in manifests {
        let old = Set(before.keys.filter { $0.denied != nil })
        let new = Set(after.keys.filter { $0.denied != nil })
        let denied = Set(new.subtracting(old).map(\.name))
        let onlyDenies =
          !denied.isEmpty && old.isSubset(of: new) && Self.members(after) == Self.members(before).subtracting(denied)
        #expect(after.onlyDenies(after: before) == onlyDenies)
        guard onlyDenies else { continue }
        found += 1
        activated += Set(after.keySets[0].active).isSubset(of: before.keySets[0].active) ? 0 : 1
        let deniedPins = Set(new.subtracting(old).map(\.pin))
        let (one, other) = (try forge.manifest(before), try forge.manifest(after))
        for chain in chains {
          let was = one.passes(chain, one.govern(host: "a.test", port: 443, at: before.issued))
          let isDenied = chain.pins.contains { $0.map(deniedPins.contains) ?? false }
          let passes = other.passes(chain, other.govern(host: "a.test", port: 443, at: before.issued))
          #expect(passes == (was && !isDenied), "\(before.keySets) \(before.keys) to \(after.keySets) \(after.keys)")
        }
      }
    }
    #expect(found > 50)
    #expect(activated > 10)
  }
}

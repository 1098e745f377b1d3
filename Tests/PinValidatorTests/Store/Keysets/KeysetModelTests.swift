import Foundation
import PinFormat
import PinValidator
import TestSupport
import Testing

/// What the specification says about keysets, epochs and serials, in as few words as possible: the oracle.
struct KeysetModel {
  /// A keyset, as the model sees it.
  struct Keyset {
    var version: Int
    var signers: [Int]
    var epoch: Int64
    var minimum: Int64
  }

  /// A release: two of one serial and different variants have different signed bytes.
  struct Release: Equatable {
    var serial: Int64
    var variant: Int
    var signers: [Int]

    func isSame(_ other: Release?) -> Bool { serial == other?.serial && variant == other?.variant }
  }

  /// All that there are, the first one's version being 1.
  let keysets: [Keyset]
  let embedded: Release?
  /// What is on disk, and which keyset the program ships.
  private(set) var present: Set<Int> = []
  private(set) var shipped = 1
  private(set) var trusted = 1
  private(set) var inForce: Release?
  /// The epoch of what is in force, and whether that is what the program ships.
  private(set) var epoch: Int64 = 1
  private(set) var isShipped = false
  /// The last manifest that was stored.
  private(set) var stored: Release?

  init(_ keysets: [Keyset], embedded: Release?) {
    self.keysets = keysets
    self.embedded = embedded
  }

  func keyset(_ version: Int) -> Keyset { keysets[version - 1] }
  var newest: Keyset { keyset(trusted) }

  private func refusal(_ release: Release, by keyset: Keyset) -> String? {
    if !release.signers.contains(where: keyset.signers.contains) { return "too-few-signatures" }
    return release.serial < keyset.minimum ? "below-minimum-serial" : nil
  }

  var isEndorsed: Bool { inForce.map { refusal($0, by: newest) == nil } ?? true }

  /// Version, serial in force and the serial that an update must not be below.
  var footing: [Int64] {
    let serial = inForce?.serial ?? 0
    return [Int64(trusted), serial, epoch >= newest.epoch ? serial : 0]
  }

  mutating func offer(_ release: Release) -> String {
    if let code = refusal(release, by: newest) { return code }
    let isSame = release.isSame(inForce)
    if let inForce, epoch == newest.epoch {
      if release.serial < inForce.serial { return "older-serial" }
      if release.serial == inForce.serial, !isSame { return "conflicting-serial" }
    }
    if !isSame || !isEndorsed || epoch != newest.epoch {
      // A manifest with other signatures isn't written again if it is endorsed already.
      stored = release
      take(release, newest.epoch)
    }
    return isSame ? "unchanged" : "activated"
  }

  mutating func offer(keyset version: Int) -> String {
    if version == trusted { return "unchanged" }
    if version < trusted { return "older-version" }
    if version > trusted + 1 { return "skipped-version" }
    present.formUnion(shipped...version)
    trusted = version
    while present.contains(trusted + 1) { trusted += 1 }
    if let inForce, !isShipped { epoch = self.epoch(of: inForce) }
    lookAtDisk()
    return "activated"
  }

  mutating func restart(shipping version: Int) {
    shipped = version
    trusted = version
    while present.contains(trusted + 1) { trusted += 1 }
    if !present.isEmpty || trusted > shipped { present.formUnion(shipped...trusted) }
    (inForce, epoch, isShipped) = (nil, 1, false)
    if let embedded, isReadable(embedded), embedded.serial >= keyset(shipped).minimum {
      take(embedded, keyset(shipped).epoch)
      isShipped = true
    }
    // If both are equal, the stored one.
    if let stored, let inForce, isReadable(stored), !(rank(stored, epoch(of: stored)) < rank(inForce, epoch)) {
      take(stored, epoch(of: stored))
    }
    lookAtDisk()
  }

  /// Takes the stored one where it is above what is in force.
  private mutating func lookAtDisk() {
    guard let stored, isReadable(stored) else { return }
    if let inForce, !(rank(inForce, epoch) < rank(stored, epoch(of: stored))) { return }
    take(stored, epoch(of: stored))
  }

  private mutating func take(_ release: Release, _ epoch: Int64) {
    (inForce, self.epoch, isShipped) = (release, epoch, false)
  }

  private func rank(_ release: Release, _ epoch: Int64) -> (Int64, Int64, Int) {
    (epoch, release.serial, refusal(release, by: newest) == nil ? 1 : 0)
  }

  /// That of the newest keyset that would take it, or else of the shipped one.
  private func epoch(of release: Release) -> Int64 {
    keyset((shipped...trusted).last { refusal(release, by: keyset($0)) == nil } ?? shipped).epoch
  }

  private func isReadable(_ release: Release) -> Bool {
    (shipped...trusted).contains { release.signers.contains(where: keyset($0).signers.contains) }
  }
}

/// Random sequences of everything that can happen, played on the model and on a store.
@Suite("Keysets, epochs and serials against a model")
struct KeysetModelTests {
  /// Files in the order in which an update gives them their names.
  private static let manifestFiles = ["manifest.json", "manifest.copy.json"]
  private static let keysetFiles = ["keysets", "keysets.copy"]

  @Test(
    "whatever comes in whatever order, in two processes, with restarts and kills between",
    arguments: 0..<UInt64(Thoroughness.pick(10, full: 48)))
  func play(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let scene = try KeysetScene()
    let game = try Game(scene, &random)
    var model = game.model
    var stores: [PinStore] = []
    func restart(shipping version: Int) throws {
      stores = []
      for _ in 0..<2 {
        stores.append(
          try scene.open(shipping: game.file(version)) { settings in
            settings.embedded = try game.model.embedded.map { try game.file($0) }
            settings.activationGuard = ActivationGuard(maximumLossPercent: 100, replaysRecentChains: false)
          })
      }
      model.restart(shipping: version)
    }
    try restart(shipping: 1)
    var log: [String] = []
    for step in 0..<40 {
      let store = stores[random.below(2)]
      var isKilled = random.once(in: 5)
      let files = isKilled ? try scene.files() : [:]
      let before = model
      switch random.below(6) {
      case 0, 1, 2:
        let release = game.release(&random)
        log.append("\(release)")
        let expected = model.offer(release)
        #expect(outcome(store, try game.file(release)) == expected, "seed \(seed), step \(step): \(log)")
      case 3:
        let version = min(model.keysets.count, max(1, model.trusted + random.pick([-1, 0, 1, 1, 1, 2])))
        log.append("keyset \(version)")
        let expected = model.offer(keyset: version)
        #expect(outcome(store, keyset: try game.file(version)) == expected, "seed \(seed), step \(step): \(log)")
      default:
        let version = random.once(in: 2) ? model.shipped : 1 + random.below(model.keysets.count)
        log.append("restart with \(version)")
        try restart(shipping: version)
        isKilled = false
      }
      if isKilled, let done = try cut(files, scene, &random) {
        log.append("killed after \(done)")
        if done == 0 { model = before }
        try restart(shipping: model.shipped)
      }
      for store in stores {
        // Loads what the other process has changed.
        try store.maintain()
        #expect(store.footing == model.footing, "seed \(seed), step \(step): \(log)")
        #expect(store.status.isEndorsed == model.isEndorsed, "seed \(seed), step \(step): \(log)")
      }
      guard stores.allSatisfy({ $0.footing == model.footing && $0.status.isEndorsed == model.isEndorsed }) else {
        return
      }
    }
  }

  /// Leaves only the first few of the files that a step has written, as a kill would; nil where it has written none.
  private func cut(
    _ before: [String: [UInt8]], _ scene: KeysetScene, _ random: inout SeededGenerator
  ) throws -> Int? {
    let after = try scene.files()
    for names in [Self.manifestFiles, Self.keysetFiles] where names.contains(where: { before[$0] != after[$0] }) {
      let done = random.below(names.count)
      for name in names.dropFirst(done) {
        if let bytes = before[name] {
          try scene.write(bytes, to: name)
        } else if after[name] != nil {
          try FileManager.default.removeItem(atPath: scene.path(name))
        }
      }
      return done
    }
    return nil
  }
}

/// The keysets and releases of one sequence.
private final class Game {
  let model: KeysetModel
  private let scene: KeysetScene
  private var keysets: [Int: [UInt8]] = [:]
  private var releases: [String: [UInt8]] = [:]

  init(_ scene: KeysetScene, _ random: inout SeededGenerator) throws {
    self.scene = scene
    var keysets = [KeysetModel.Keyset(version: 1, signers: [0, 1], epoch: 1, minimum: 1)]
    for version in 2...8 {
      var next = keysets[version - 2]
      next.version = version
      next.signers = (0..<3).filter { _ in random.once(in: 2) }
      if next.signers.isEmpty { next.signers = [random.below(3)] }
      if random.once(in: 4) {
        next.epoch += 1
        next.minimum = Int64(1 + random.below(3))
      } else if random.once(in: 4) {
        next.minimum += 2
      }
      keysets.append(next)
    }
    let embedded = KeysetModel.Release(serial: 3, variant: 0, signers: [0, 1])
    model = KeysetModel(keysets, embedded: random.once(in: 2) ? embedded : nil)
  }

  func release(_ random: inout SeededGenerator) -> KeysetModel.Release {
    var signers = (0..<3).filter { _ in random.once(in: 2) }
    if signers.isEmpty { signers = [random.below(3)] }
    return KeysetModel.Release(
      serial: Int64(1 + random.below(9)), variant: random.once(in: 4) ? 1 : 0, signers: signers)
  }

  func file(_ version: Int) throws -> [UInt8] {
    if let file = keysets[version] { return file }
    let keyset = model.keyset(version)
    let file = try scene.keyset(
      Int64(version), signers: keyset.signers, epoch: keyset.epoch, minimum: keyset.minimum)
    keysets[version] = file
    return file
  }

  func file(_ release: KeysetModel.Release) throws -> [UInt8] {
    if let file = releases["\(release)"] { return file }
    let file = try scene.release(release.serial, signedBy: release.signers) {
      $0.onStale = release.variant == 0 ? .enforce : .block
    }
    releases["\(release)"] = file
    return file
  }
}

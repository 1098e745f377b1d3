import Glibc
import PinFormat
import PinValidator
import Synchronization

/// 16 threads decide without a pause while the manifest is swapped, and each decision must be one manifest's as a whole.
///
/// Every eighth time the keyset is swapped before, and what the store says of itself must belong together.
///
/// Now and then there are no swaps for a while. A quarter of the rate of these times is asked for during swaps, which
/// leaves room for the writer's own work and instrumentation, and none for readers that wait. What else the machine has
/// to do slows both.
final class RaceRun: Sendable {
  private static let threads = 16

  private enum Phase: Int {
    case quiet
    case swapping
    case over
  }

  private let scene: Scene
  private let files: [[UInt8]]
  /// The keysets, each of which comes before the file of eight times its place.
  private let keysets: [[UInt8]]
  /// What each host presents, validated once.
  private let chains: [ValidatedChain]
  private let phase = Atomic<Int>(Phase.quiet.rawValue)
  private let decisions = (quiet: Counter(), swapping: Counter())
  private let problems = Atomic<Int>(0)

  private final class Counter: Sendable {
    let count = Atomic<Int>(0)
  }

  init(fixtures: String, swaps: Int) throws {
    let scene = try Scene(fixtures: fixtures)
    self.scene = scene
    files = try (1...Int64(max(1, swaps) + 1)).map { try scene.file(serial: $0, keyset: ($0 - 1) / 8 + 1) }
    keysets = try (0...(files.count - 1) / 8).map { try scene.keyset(version: Int64($0) + 1) }
    try scene.store.update(files[0])
    chains = scene.handshakes.prefix(2).compactMap { scene.store.evaluate($0).chain }
    guard chains.count == 2 else { fail("a chain of the fixtures isn't valid") }
  }

  func run() throws {
    var threads: [pthread_t] = []
    for _ in 0..<Self.threads {
      var thread = pthread_t()
      let box = Unmanaged.passRetained(self).toOpaque()
      guard pthread_create(&thread, nil, raceThread, box) == 0 else { fail("pthread_create") }
      threads.append(thread)
    }
    var (quiet, swapping) = (Duration.zero, Duration.zero)
    var last = ContinuousClock.now
    func enter(_ next: Phase, after lasted: inout Duration) {
      phase.store(next.rawValue, ordering: .relaxed)
      let now = ContinuousClock.now
      lasted += now - last
      last = now
    }
    let swaps = files.count - 1
    for (number, file) in files.enumerated().dropFirst() {
      if (number - 1) % max(1, swaps / 10) == 0 {
        enter(.quiet, after: &swapping)
        usleep(100_000)
        enter(.swapping, after: &quiet)
      }
      if number % 8 == 0 { try scene.store.update(keyset: keysets[number / 8]) }
      try scene.store.update(file)
    }
    enter(.over, after: &swapping)
    for thread in threads { pthread_join(thread, nil) }
    guard scene.store.validator?.manifest.serial == Int64(files.count) else { fail("the last manifest isn't in force") }
    guard scene.store.keyset?.version == Int64(keysets.count) else { fail("the last keyset isn't in force") }
    guard decisions.swapping.count.load(ordering: .relaxed) > swaps else { fail("nobody decided meanwhile") }
    guard problems.load(ordering: .relaxed) == 0 else { fail("some decisions were of no one manifest") }
    print(
      "\(Self.threads) threads, \(swaps) swaps and \(keysets.count - 1) keysets in \(swapping): every decision is one "
        + "manifest's as a whole")
    let rates = (quiet: rate(decisions.quiet, quiet), swapping: rate(decisions.swapping, swapping))
    print("without swaps \(rates.quiet) decisions a second, during them \(rates.swapping)")
    guard rates.swapping * 4 >= rates.quiet else { fail("decisions slow down while manifests are swapped") }
  }

  /// Decisions a second.
  private func rate(_ counter: Counter, _ duration: Duration) -> Int64 {
    let milliseconds = Int64(duration / .milliseconds(1))
    return Int64(counter.count.load(ordering: .relaxed)) * 1_000 / max(1, milliseconds)
  }

  /// What each thread does: mostly a decision on a chain that was validated before, now and then all of an evaluation.
  fileprivate func decide() {
    var last: Int64 = 0
    var number = 0
    while let phase = Phase(rawValue: phase.load(ordering: .relaxed)), phase != .over {
      number += 1
      let problem: String?
      let serial: Int64
      if number % 256 < 3 {
        let host = number % 256
        let decision = scene.store.evaluate(scene.handshakes[host])
        guard let manifest = decision.manifest else { return complain("no manifest") }
        problem =
          scene.contradiction(decision.verdict, by: manifest, host: host) ?? scene.contradiction(scene.store.status)
        serial = manifest.serial
      } else {
        let host = number & 1
        guard let validator = scene.store.validator else { return complain("no manifest") }
        let verdict = validator.decide(chains[host], host: Scene.hosts[host], port: 443, at: scene.instant)
        problem = scene.contradiction(verdict, by: validator.manifest, host: host)
        serial = validator.manifest.serial
      }
      if let problem { return complain(problem) }
      guard serial >= last else { return complain("serial \(serial) after \(last)") }
      last = serial
      (phase == .quiet ? decisions.quiet : decisions.swapping).count.wrappingAdd(1, ordering: .relaxed)
    }
  }

  private func complain(_ problem: String) {
    say(problem)
    problems.wrappingAdd(1, ordering: .relaxed)
  }
}

private func raceThread(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let box else { return nil }
  Unmanaged<RaceRun>.fromOpaque(box).takeRetainedValue().decide()
  return nil
}

import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import TestSupport
import Testing

@testable import PinStudies

/// The answer against a brute force: each day, each release, by the validator, with a manifest that is signed without an
/// end.
@Suite("Before a certificate goes live: each day of it") struct DeployPropertyTests {
  /// Releases at random, and a certificate.
  private struct World {
    var manifests: [Manifest]
    var chain: [[UInt8]]
    var served: [[UInt8]]?
    var begin: Instant
    var end: Instant
    var window: Int64
  }

  private static let day: Int64 = 86_400

  private static func world(_ scene: DeployScene, _ random: inout SeededGenerator) throws -> World {
    let first = try DeployScene.instant("2026-11-01")
    func date(_ day: Int) -> String { String(first.adding(seconds: Int64(day) * Self.day).description.prefix(10)) }
    let old = try scene.leaf("one", "2026-09-01", random.pick([date(20), date(60)]))
    let isOther = random.once(in: 4)
    let new = try scene.leaf("two", date(random.pick([0, 0, 18])), date(random.pick([30, 45])), isOther: isOther)
    let pins = [
      "old": try scene.pin(old), "new": try scene.pin(new), "middle": try scene.pin(scene.maker.intermediate),
      "root": try scene.pin(scene.maker.root), "else": try scene.pin(scene.leaf("else")),
    ]
    var manifests: [Manifest] = []
    var issued = 0
    for serial in 1...Int64(random.below(4) + 1) {
      let names = ["old", "new", "new", "middle", "root", "else"].shuffled(using: &random)
      let active = Set(names.prefix(random.below(2) + 1))
      var manifest = try scene.manifest(
        serial, date(issued), pins, active: Array(active), backup: Array(Set(names.suffix(2)).subtracting(active)))
      manifest.onStale = random.pick(ExpiryAction.allCases)
      manifest.expires = manifest.issued.adding(seconds: Int64(random.pick([4, 12, 40])) * Self.day)
      manifest.refreshAfter = manifest.issued.adding(seconds: Self.day)
      manifest.unpinnedHosts = random.pick([.allow, .allow, .deny])
      manifest.hosts[0].requirement = random.pick([.any, .any, .leafAndCA])
      if random.once(in: 2) {
        manifest.hosts[0].expires = try DeployScene.instant(date(random.below(50)))
        manifest.hosts[0].onExpiry = random.pick(ExpiryAction.allCases)
      }
      if random.once(in: 3) { manifest = try scene.anchored(manifest, at: scene.maker.otherRoot) }
      if random.once(in: 2) { manifest.hosts[0].trust?.systemAnchors = true }
      if random.once(in: 6) { (manifest.hosts[0].mode, manifest.hosts[0].keySet) = (.off, nil) }
      if manifest.hosts[0].mode == .off { (manifest.hosts[0].expires, manifest.hosts[0].onExpiry) = (nil, nil) }
      if manifest.hosts[0].mode == .off { (manifest.hosts[0].trust, manifest.certificates) = (nil, []) }
      if manifest.hosts[0].mode == .off { manifest.hosts[0].requirement = .any }
      if random.once(in: 5), let number = manifest.keys.indices.randomElement(using: &random) {
        manifest.keys[number].denied = "stolen"
      }
      manifests.append(manifest)
      issued += random.below(12)
    }
    let begin = try DeployScene.instant(date(15 + random.below(10)))
    let end = try #require(try Certificate(der: new.der).notAfter)
    return World(
      manifests: manifests, chain: try scene.chain(new, isOther: isOther),
      served: random.once(in: 2) ? try scene.chain(old) : nil, begin: begin,
      end: Instant(secondsSinceEpoch: end), window: Int64(random.below(30)))
  }

  /// What is answered on a day without staleness: a manifest of the same content that never ends.
  private static func isBlocked(
    _ manifest: Manifest, _ chain: [[UInt8]], _ evaluator: TrustEvaluator, at instant: Instant
  ) throws -> (isBlocked: Bool, isByExpiry: Bool, isOfAny: Bool, isUnpinned: Bool) {
    var lasting = manifest
    lasting.expires = .latest
    let validator = Validator(manifest: try Rehearsal().load(lasting), evaluator: evaluator)
    let decision = validator.evaluate(
      PeerHandshake(host: DeployScene.host, port: 443, certificates: chain, tlsVersion: .tls13), at: instant,
      transport: .replaced)
    switch decision.verdict {
    case .allow: return (false, false, false, false)
    case .notPinned(.noEntry, _), .notPinned(.off, _): return (decision.disposition == .cancel, false, false, true)
    case .notPinned: return (decision.disposition == .cancel, true, false, false)
    case .block(.expired, _), .block(.unpinnedHost(.expired), _): return (true, true, true, false)
    case .block: return (true, false, false, false)
    }
  }

  @Test("Random releases and certificates, a thousand in full", arguments: 0..<8)
  func everyDay(_ part: Int) throws {
    let scene = try DeployScene()
    let evaluator = TrustEvaluator(anchors: try TrustAnchors([scene.maker.root.pem]), findsAllFailures: true)
    var verdicts: [Deploy.Verdict: Int] = [:]
    var uncounted = 0
    for seed in part * 1_000..<part * 1_000 + Thoroughness.pick(25, full: 125) {
      var random = SeededGenerator(seed: UInt64(seed))
      let world = try Self.world(scene, &random)
      let releases = try world.manifests.map { try scene.release($0) }
      let deploy = Deploy(
        try scene.question(world.chain, releases) {
          ($0.window, $0.instant, $0.served) = (world.window * Self.day, world.begin, world.served)
        })
      var lockedOut = false
      var asked: [(serial: Int64, instant: Instant, isBlocked: Bool, counts: Bool)] = []
      var isPinned = false
      let end = try world.served.flatMap { try Certificate(der: $0[0]).notAfter }.map { Instant(secondsSinceEpoch: $0) }
      for (number, manifest) in world.manifests.enumerated() {
        for instant in stride(from: world.begin.secondsSinceEpoch, to: world.end.secondsSinceEpoch, by: Int(Self.day)) {
          let instant = Instant(secondsSinceEpoch: instant)
          guard Self.isInUse(number, world, at: instant) else { continue }
          let answer = try Self.isBlocked(manifest, world.chain, evaluator, at: instant)
          var counts = answer.isBlocked
          isPinned = isPinned || !answer.isUnpinned
          if answer.isByExpiry, answer.isBlocked {
            // One that has ended excuses nothing.
            let served =
              try end.map { instant < $0 } == true
              ? world.served.map { try Self.isBlocked(manifest, $0, evaluator, at: instant).isBlocked } : nil
            counts = !answer.isOfAny && served != true
          }
          asked.append((manifest.serial, instant, answer.isBlocked, counts))
        }
      }
      for (serial, instant, isBlocked, counts) in asked {
        let found = deploy.lockouts.filter {
          $0.serial == serial && $0.begin <= instant && ($0.end.map { instant < $0 } ?? true)
        }
        #expect(found.isEmpty != (isPinned && isBlocked), "seed \(seed), serial \(serial), \(instant)")
        #expect(found.contains(where: \.counts) == (isPinned && counts), "seed \(seed), serial \(serial), \(instant)")
        lockedOut = lockedOut || isPinned && counts
        if isPinned, isBlocked, !counts { uncounted += 1 }
      }
      #expect((deploy.verdict == .locksOut) == lockedOut, "seed \(seed)")
      verdicts[deploy.verdict, default: 0] += 1
    }
    #expect(verdicts.count > 1 && uncounted > 0, "\(verdicts) \(uncounted)")
  }

  /// Until the next release is as old as the window, or until a manifest that blocks when it is stale ends.
  private static func isInUse(_ number: Int, _ world: World, at instant: Instant) -> Bool {
    guard number + 1 < world.manifests.count else { return true }
    // What says that it is issued later is there already.
    let next = min(world.manifests[number + 1].issued, world.begin)
    let manifest = world.manifests[number]
    let blocks = manifest.onStale == .block || manifest.onStale == .unpinned && manifest.unpinnedHosts == .deny
    let end = next.adding(seconds: world.window * day)
    return instant < (blocks ? min(end, max(next, manifest.expires)) : end)
  }
}

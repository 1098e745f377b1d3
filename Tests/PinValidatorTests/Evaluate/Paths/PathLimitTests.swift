import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// The work for one chain has a limit, and what a backtracking solver finds among 32 certificates is found within it.
@Suite struct PathLimitTests {
  /// RFC 4158 section 2.3, figure 7: every set of invalid certificates, and each thing that can be wrong with them.
  @Test(arguments: WovenProfile.Fault.allCases) func aMeshOfAuthorities(_ fault: WovenProfile.Fault) throws {
    let edges = [("B", "C"), ("B", "A"), ("A", "C"), ("C", "A"), ("C", "T"), ("A", "T")]
    let scene = Scene()
    let good = try edges.map { try scene.certify($0.0, by: $0.1) }
    let bad = try edges.map { try scene.certify($0.0, by: $0.1) { $0.fault = fault } }
    let (leaf, anchor) = (try scene.leaf(by: "B"), try scene.root("T"))
    let first = Thoroughness.pick(WovenProfile.Fault.allCases.firstIndex(of: fault) ?? 0, full: 0)
    let step = Thoroughness.pick(3, full: 1)
    for set in stride(from: first % step, to: 1 << edges.count, by: step) {
      let served = edges.indices.map { set >> $0 & 1 == 1 ? bad[$0] : good[$0] }
      let world = PathWorld(leaf: leaf, served: served, anchors: [anchor])
      let outcome = try world.ask(try world.evaluator(), served)
      let answers = world.answers()
      switch outcome {
      case .trusted(let chain, _): #expect(answers.plain.contains(chain), "set \(set)")
      case .refused: #expect(answers.plain.isEmpty, "set \(set): \(outcome.testDescription)")
      }
      #expect(try world.ask(try world.experiencedEvaluator(), served) == outcome, "set \(set)")
    }
  }

  /// Thirty-one certificates besides the leaf, and many more paths than anybody could check.
  @Test func whatCanBeReachedIsFoundWithinTheLimit() throws {
    var worst = (signatures: 0, seed: UInt64(0))
    var found = 0
    for seed in 0..<UInt64(Thoroughness.pick(24, full: 2_000)) {
      var random = SeededGenerator(seed: seed)
      let scene = Scene()
      let names = (0..<(3 + random.below(6))).map { "Dense \(seed) \($0)" }
      var served: [PathWorld.Link] = []
      for _ in 0..<31 {
        let subject = random.pick(names)
        let issuer = random.once(in: 12) ? "T" : random.pick(names)
        guard subject != issuer else { continue }
        served.append(
          try scene.certify(subject, by: issuer) {
            if random.once(in: 2) { $0.fault = random.pick(WovenProfile.Fault.allCases) }
          })
      }
      let world = PathWorld(leaf: try scene.leaf(by: names[0]), served: served, anchors: [try scene.root("T")])
      let path = try examine(world)
      #expect((path.validated != nil) == Self.canBeReached(world), "world \(seed): \(path.failures)")
      guard path.validated != nil else { continue }
      found += 1
      if path.signatures > worst.signatures { worst = (path.signatures, seed) }
    }
    #expect(found > Thoroughness.pick(12, full: 1_000))
    print("found \(found) of \(Thoroughness.pick(24, full: 2_000)), \(worst.signatures) signatures at most")
    #expect(worst.signatures <= 90, "world \(worst.seed): \(worst.signatures) signatures for an accepted chain")
  }

  /// Chains that only make work: each is refused, in any order for the same reasons, within the limit.
  @Test(arguments: [
    "one name, many keys", "one name, many keys, no identifiers", "twins that lead nowhere", "a tangle",
  ])
  func workEndsAtTheLimit(_ kind: String) throws {
    let scene = Scene()
    var served: [PathWorld.Link] = []
    var issuer = "N"
    switch kind {
    case "twins that lead nowhere":
      for depth in 0..<7 {
        for twin in 0..<4 {
          served.append(try scene.certify("D\(depth)", by: "D\(depth + 1)") { $0.end = "204\(twin)0101000000Z" })
        }
      }
      issuer = "D0"
    case "a tangle":
      let names = (0..<6).map { "Tangle \($0)" }
      for subject in names {
        for issuer in names where subject != issuer { served.append(try scene.certify(subject, by: issuer)) }
      }
      served.append(try scene.certify(names[5], by: "T") { $0.fault = .constrained })
      issuer = names[0]
    default:
      for number in 0..<31 {
        served.append(
          try scene.certify("N#\(number)", by: "N#\((number * 7 + 3) % 31)") {
            if kind.hasSuffix("no identifiers") { $0.authorityIdentifier = [9] }
          })
      }
      issuer = "N#5"
    }
    let leaf = try scene.leaf(by: issuer) { if kind.hasSuffix("no identifiers") { $0.authorityIdentifier = [9] } }
    var world = PathWorld(leaf: leaf, served: served, anchors: [try scene.root("T")])
    var random = SeededGenerator(seed: 3)
    var seen: Set<String> = []
    for _ in 0..<6 {
      world.served.shuffle(using: &random)
      let path = try examine(world)
      #expect(path.validated == nil)
      #expect(path.signatures <= TrustEvaluator.maximumSignatures)
      let taken = path.certificates.map { SHA256Digest($0.fingerprint).hex }
      seen.insert("\(path.signatures) \(path.failures.map(Outcome.text)) \(taken)")
    }
    #expect(seen.count == 1, "\(seen)")
  }

  private func examine(_ world: PathWorld) throws -> ExaminedPath {
    let chain = try ServedChain([world.leaf.der] + world.served.map(\.der))
    return try world.evaluator().examinePaths(
      of: chain, for: try world.request(), issuance: IssuanceCache()
    ) { _ in nil }.paths[0]
  }

  /// Whether an anchor is at most nine steps away, over certificates with which nothing is wrong.
  private static func canBeReached(_ world: PathWorld) -> Bool {
    let good = world.served.filter { $0.profile.fault == nil }
    var reached: Set<Int> = [world.leaf.signer]
    for _ in 0..<8 { reached.formUnion(good.filter { reached.contains($0.key) }.map(\.signer)) }
    return world.anchors.contains { reached.contains($0.key) }
  }
}

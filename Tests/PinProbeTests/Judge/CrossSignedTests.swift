import PinFormat
import PinProbe
import PinValidator
import TestSupport
import Testing

/// Cross-signing: what clients with one trust store see, and those with another don't.
@Suite struct CrossSignedTests {
  @Test func passesUnderTheOldStoreAndFailsUnderTheNewOne() throws {
    let make = try maker()
    let scene = try Scene(
      [make.leaf, make.intermediate, make.crossRoot], stores: [make.otherRoot], [make.root],
      [make.root, make.otherRoot]
    ).with { $0.pinned = [try make.otherRoot] }
    let short = [try make.leaf, try make.intermediate, try make.root]
    let long = [try make.leaf, try make.intermediate, try make.crossRoot, try make.otherRoot]
    let stores = try scene.report().judgements
    try expect(stores[0], [("allow", long)])
    try expect(stores[1], [("block", short)])
    // A client with both roots takes the shorter path; a store without the new root would take the longer one.
    try expect(stores[2], [("block", short), ("allow", long)])
  }

  @Test func aKeyOnEveryPathHoldsOnEveryPath() throws {
    let make = try maker()
    let scene = try Scene(
      [make.leaf, make.intermediate, make.crossRoot], stores: [make.otherRoot], [make.root, make.otherRoot]
    ).with { $0.pinned = [try make.root] }
    for path in try scene.report().judgements.flatMap(\.paths) {
      #expect(path.word == "allow")
      #expect(path.matches.map(\.certificate) == [2])
      #expect(path.matches.map(\.position) == [path.chain.count == 3 ? .root : .intermediate])
    }
  }

  @Test func aCrossSignedIntermediateHasTwoPaths() throws {
    let make = try maker()
    let scene = try Scene(
      [make.leaf, make.intermediate, make.crossIntermediate], stores: [make.root, make.otherRoot], [make.otherRoot]
    ).with { $0.pinned = [try make.otherRoot] }
    let stores = try scene.report().judgements
    let other = [try make.leaf, try make.crossIntermediate, try make.otherRoot]
    let paths = [("block", [try make.leaf, try make.intermediate, try make.root]), ("allow", other)]
    // Of equally good certificates, clients take the one with the lower fingerprint first.
    let isInOrder = try make.intermediate.fingerprint < make.crossIntermediate.fingerprint
    try expect(stores[0], isInOrder ? paths : paths.reversed())
    try expect(try #require(stores.last).paths.filter { $0.failures.isEmpty }, [("allow", other)])
  }

  @Test func rootsThatCertifyEachOtherAreNoCircle() throws {
    let make = try maker()
    let scene = try Scene(
      [make.leaf, make.intermediate, make.crossRoot, make.crossOtherRoot], stores: [make.root, make.otherRoot])
    try expect(
      try scene.report().judgements[0],
      [
        ("not pinned", [try make.leaf, try make.intermediate, try make.root]),
        ("not pinned", [try make.leaf, try make.intermediate, try make.crossRoot, try make.otherRoot]),
      ])
  }

  @Test func anExpiredRootIsPassedByUnlessAClientHasNoOther() throws {
    let make = try maker()
    let scene = try Scene(
      [make.leaf, make.intermediate, make.crossRoot], stores: [make.expiredRoot, make.otherRoot]
    ).with { $0.pinned = [try make.root] }
    let paths = try scene.report().judgements[0].paths
    #expect(paths.map(\.word) == ["allow", "block"])
    #expect(paths[0].chain.last == (try make.otherRoot.fingerprint))
    #expect(paths[1].failures.map(\.code) == [.expired])
    #expect(paths[1].chain.last == (try make.expiredRoot.fingerprint))
    #expect(paths[1].matches.isEmpty)
  }

  /// All clients have the same anchors from the policy, so their systems' stores make no difference.
  @Test func anchorsOfThePolicyLeaveOnePath() throws {
    let make = try maker()
    let scene = try Scene(
      [make.leaf, make.intermediate, make.crossRoot], stores: [make.root], [make.root, make.otherRoot]
    ).with {
      $0.pinned = [try make.otherRoot]
      $0.trust = Manifest.Trust(
        systemAnchors: false, anchors: [try make.otherRoot.fingerprint, try make.root.fingerprint].sorted())
      $0.carried = [try make.otherRoot, try make.root]
    }
    for store in try scene.report().judgements {
      try expect(store, [("block", [try make.leaf, try make.intermediate, try make.root])])
    }
  }

  /// No client goes on above an anchor that the policy names, or past one.
  @Test func anAnchorOfThePolicyEndsPathsBesidesTheSystems() throws {
    let make = try maker()
    let scene = try Scene(
      [make.leaf, make.intermediate, make.crossIntermediate], stores: [make.root, make.otherRoot]
    ).with {
      $0.pinned = [try make.root]
      $0.trust = Manifest.Trust(anchors: [try make.crossIntermediate.fingerprint])
      $0.carried = [try make.crossIntermediate]
    }
    try expect(try scene.report().judgements[0], [("block", [try make.leaf, try make.crossIntermediate])])
  }

  /// As in clients' systems, only a root of a store is an anchor.
  @Test func anIntermediateInTheStoreIsNoAnchor() throws {
    let make = try maker()
    let scene = try Scene([make.leaf, make.intermediate], stores: [make.intermediate, make.root])
      .with { $0.pinned = [try make.root] }
    try expect(
      try scene.report().judgements[0], [("allow", [try make.leaf, try make.intermediate, try make.root])])
  }

  private func expect(_ store: StoreJudgement, _ paths: [(String, [TestCertificate])]) throws {
    #expect(!store.isCutShort)
    try expect(store.paths, paths)
  }

  private func expect(_ found: [PathJudgement], _ paths: [(String, [TestCertificate])]) throws {
    #expect(found.map(\.word) == paths.map(\.0))
    #expect(try found.map(\.chain) == paths.map { try $0.1.map { try $0.fingerprint } })
  }
}

import PinFormat
import PinProbe
import PinValidator
import Testing

/// What holds of every judgement, whatever the certificates.
@Suite struct JudgePropertyTests {
  @Test(arguments: Shape.all)
  func theFirstPathIsTheRuntimesOwnDecision(_ shape: Shape) throws {
    let scene = try shape.build(try maker())
    guard let manifest = try scene.manifest() else { return }
    let evidence = try scene.evidence()
    let assessment = try scene.assessment()
    for (number, store) in try scene.namedStores().enumerated() {
      for (visit, assessed) in zip(evidence.targets[0].addresses[0].visits, assessment.targets[0].visits) {
        guard let served = visit.served, let report = assessed.served else { continue }
        let chain = served.chain.map { name in evidence.certificates.first { $0.fingerprint == name }?.der ?? [] }
        let decisions = [true, false].map { all in
          Validator(manifest: manifest, evaluator: TrustEvaluator(anchors: store.anchors, findsAllFailures: all))
            .evaluate(
              PeerHandshake(host: scene.host, port: 443, certificates: chain, tlsVersion: visit.offer.tlsVersion),
              at: assessment.instant)
        }
        let first = try #require(report.judgements[number].paths.first)
        #expect(first.verdict == decisions[0].verdict)
        #expect(first.excused == decisions[0].excused || !first.failures.isEmpty)
        if let validated = decisions[0].chain { #expect(first.chain == validated.fingerprints) }
        if case .notPinned = decisions[0].verdict { continue }
        #expect(first.failures == decisions[0].failures)
        // Searching for all failures finds more, but decides the same.
        #expect(first.word == PathJudgement(chain: [], verdict: decisions[1].verdict).word)
      }
    }
  }

  @Test(arguments: Shape.all)
  func recordedStoresGiveTheSameAnswer(_ shape: Shape) throws {
    let scene = try shape.build(try maker())
    let live = try scene.assessment()
    let manifest = try scene.manifest()
    var evidence = try scene.evidence()
    try Judge(manifest: manifest, stores: []).recordAnchors(of: scene.namedStores(), into: &evidence)
    let again = try Judge(manifest: manifest, stores: []).assess(evidence, at: live.instant)
    #expect(again.stores == live.stores)
    #expect(again.certificates == live.certificates)
    let pairs = zip(live.targets.flatMap(\.visits), again.targets.flatMap(\.visits))
    for (live, again) in pairs { #expect(text(live) == text(again)) }
    // Recording twice changes nothing.
    let once = evidence
    try Judge(manifest: manifest, stores: []).recordAnchors(of: scene.namedStores(), into: &evidence)
    #expect(evidence == once)
  }

  /// All that a visit came to, in a form that can be compared.
  private func text(_ visit: AssessedVisit) -> String { "\(visit)" }

  @Test(arguments: Shape.all)
  func eachPathStandsOnce(_ shape: Shape) throws {
    let assessment = try shape.build(try maker()).assessment()
    for judgement in assessment.targets.flatMap(\.visits).compactMap(\.served).flatMap(\.judgements) {
      #expect(!judgement.paths.isEmpty)
      #expect(Set(judgement.paths.map(\.chain)).count == judgement.paths.count)
      for path in judgement.paths where path.failures.isEmpty {
        #expect(!path.chain.isEmpty)
        for certificate in path.chain { #expect(assessment.certificates[certificate] != nil) }
      }
    }
  }
}

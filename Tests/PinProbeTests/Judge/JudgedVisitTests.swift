import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinValidator
import TestSupport
import Testing

/// What a visit comes to beside its chain.
@Suite struct JudgedVisitTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var kind: ConnectionFailure
    var alert: UInt8?
    var isNotOffered: Bool
    var testDescription: String { kind.rawValue + (alert.map { " \($0)" } ?? "") }
  }

  private static let notOffered: [(ConnectionFailure, UInt8?)] = [
    (.alert, 40), (.alert, 47), (.alert, 70), (.alert, 71), (.alert, 80), (.protocolVersion, nil), (.closed, nil),
    (.wrongKeyFamily, nil),
  ]

  static let rows: [Row] =
    notOffered.map { Row(kind: $0.0, alert: $0.1, isNotOffered: true) }
    + ([0, 42, 48, 112, 116] as [UInt8]).map { Row(kind: .alert, alert: $0, isNotOffered: false) }
    + [Row(kind: .alert, alert: nil, isNotOffered: false)]
    + ConnectionFailure.allCases.filter { kind in kind != .alert && !notOffered.contains { $0.0 == kind } }
    .map { Row(kind: $0, alert: nil, isNotOffered: false) }

  @Test(arguments: rows)
  func countsAsNotOfferedBesideAChain(_ row: Row) throws {
    let make = try maker()
    let scene = try Scene([make.leaf, make.intermediate], stores: [make.root])
      .with { $0.answers.append(.failure(row.kind, alert: row.alert)) }
    switch try scene.assessment().targets[0].visits[1].outcome {
    case .notOffered(let failure):
      #expect(row.isNotOffered)
      #expect(failure.kind == row.kind)
    case .failed(let failure):
      #expect(!row.isNotOffered)
      #expect(failure.kind == row.kind)
    case .served: Issue.record("nothing was served")
    }
  }

  @Test(arguments: rows)
  func isAFailureWhereNothingWasServed(_ row: Row) throws {
    let make = try maker()
    let scene = try Scene([], stores: [make.root]).with {
      $0.answers = [.failure(row.kind, alert: row.alert), .failure(.timedOut)]
    }
    let target = try scene.assessment().targets[0]
    #expect(!target.hasAnswered)
    for visit in target.visits {
      guard case .failed = visit.outcome else {
        Issue.record("nobody answered at this address")
        continue
      }
    }
  }

  /// What another address answers says nothing of this one.
  @Test func anotherAddressDoesNotCount() throws {
    let make = try maker()
    let scene = try Scene([make.leaf, make.intermediate], stores: [make.root])
    var evidence = try scene.evidence()
    var other = evidence.targets[0].addresses[0]
    other.address = "127.0.0.2"
    other.visits[0].served = nil
    other.visits[0].failure = Evidence.Failure(.alert, alert: 40, "no")
    evidence.targets[0].addresses.append(other)
    let judge = Judge(manifest: nil, stores: try scene.namedStores())
    let visits = try judge.assess(evidence, at: try instant(scene.at)).targets[0].visits
    #expect(visits.map(\.address) == ["127.0.0.1", "127.0.0.2"])
    guard case .failed = visits[1].outcome else {
      Issue.record("another address made it not offered")
      return
    }
  }

  @Test func whatWasObservedIsHandedOn() throws {
    let make = try maker()
    let scene = try Scene([make.leaf, make.intermediate], stores: [make.root])
    var evidence = try scene.evidence()
    evidence.isPartial = true
    evidence.shards = [Evidence.Shard(number: 3, count: 10)]
    evidence.targets[0].startTLS = .smtp
    evidence.targets[0].addresses[0].visits[0].attempts = 3
    evidence.targets[0].addresses[0].visits[0].failure = Evidence.Failure(.alert, alert: 116, "certificate required")
    evidence.targets[0].addresses[0].visits[0].served?.timestamps = 2
    evidence.targets[0].addresses[0].visits[0].served?.clientCertificate = .asked
    evidence.targets[0].addresses[0].visits[0].served?.serverDate = try instant("2026-05-31T13:30:00Z")
    evidence.targets.append(
      Evidence.Target(
        host: try HostName(canonicalising: "gone.test"), port: 8_443,
        unresolved: Evidence.Failure(.nameNotResolved, "no such name")))
    let assessment = try Judge(manifest: nil, stores: try scene.namedStores())
      .assess(evidence, at: try instant(scene.at))
    #expect(assessment.isPartial)
    #expect(assessment.shards == evidence.shards)
    #expect(assessment.begun == evidence.begun)
    #expect(assessment.stores == ["store-0"])
    #expect(assessment.targets.map(\.label) == ["example.com:443", "gone.test:8443"])
    #expect(assessment.targets[0].startTLS == .smtp)
    #expect(assessment.targets[1].unresolved?.kind == .nameNotResolved)
    #expect(assessment.targets[0].visits[0].attempts == 3)
    let report = try #require(assessment.targets[0].visits[0].served)
    #expect(report.failure?.alert == 116)
    #expect(report.timestamps == 2)
    #expect(report.clientCertificate == .asked)
    #expect(report.clockOffset == 5_400)
    #expect(report.staple == nil)
  }

  /// An entry that asks for TLS 1.3 takes the same chain in one offer and not in the other.
  @Test func eachOfferIsJudgedByItsVersion() throws {
    let make = try maker()
    let scene = try Scene([make.leaf, make.intermediate], stores: [make.root]).with {
      $0.answers = Array(repeating: $0.answers[0], count: 4)
      $0.pinned = [try make.root]
      $0.trust = Manifest.Trust(minimumTLS: .tls13)
    }
    let paths = try scene.assessment().targets[0].visits.compactMap { $0.served?.judgements[0].paths }
    #expect(paths.map { $0.map(\.word) } == [["allow"], ["allow"], ["block"], ["block"]])
    #expect(paths[3][0].failures.map(\.code) == [.oldTLSVersion])
  }

  /// A server shows a certificate with an ML-DSA key only to clients that ask for it.
  @Test(
    "Certificates for clients of other kinds are left out, unless only they were asked for",
    arguments: [
      ([Policy.ClientKind.openSSL30, .java17], 1, true), ([.java17, .openSSL35], 2, false), ([], 2, false),
    ])
  func otherKinds(_ kinds: [Policy.ClientKind], _ count: Int, _ isLeftOut: Bool) throws {
    let make = try maker()
    let scene = try Scene([make.leaf, make.intermediate], stores: [make.root])
      .with { try $0.answers.append(.chain([make.leaf])) }
    var evidence = try scene.evidence()
    evidence.targets[0].addresses[0].visits[1].offer = Evidence.Offer(.mlDSA, .tls13)
    let judge = Judge(
      manifest: try scene.manifest(), stores: try scene.namedStores(), limits: ClientLimits(kinds))
    let found = try judge.assess(evidence, at: try instant(scene.at))
    #expect(found.targets[0].visits.count == count)
    #expect(found.leavesOutMLDSA == isLeftOut)
    evidence.targets[0].addresses[0].visits.removeFirst()
    let alone = try judge.assess(evidence, at: try instant(scene.at))
    #expect(alone.targets[0].visits.count == 1)
    #expect(!alone.leavesOutMLDSA)
  }
}

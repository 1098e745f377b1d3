import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// The clients of one audience: what they answer with the policy as it would be released, and with releases.
final class TestClients {
  /// What a server presents.
  enum Presented {
    /// The leaf first, in DER.
    case served([[UInt8]], TrustAnchors)
    /// Keys whose certificates are made up.
    case madeUp(PresentedChain)
    /// What the trust stores of some clients reject.
    case distrusted(TrustFailure)

    /// Whether nobody has issued such certificates.
    var isMadeUp: Bool { if case .served = self { false } else { true } }
  }

  /// A manifest that clients have, by its number among those of the judge: 0 is the policy.
  struct Subject {
    var number: Int
    var name: String?
    var manifest: LoadedManifest
  }

  let policy: Policy
  let released: [ReleasedManifest]
  private let checked: CheckedPolicy
  private let rehearsal: Rehearsal
  private let known: KnownCertificates
  private let standings: KeyStandings
  private let keys: KeysByName
  private let kinds: [Policy.ClientKind]
  private let seesLeafOnly: Bool
  private let judge: UnseenChains
  /// Those of the judge: the policy's, and those of the releases.
  private let all: [LoadedManifest]
  private var judges: [Policy.ClientKind: UnseenChains] = [:]
  private var manifests: [Instant: LoadedManifest] = [:]
  private var evaluators: [ObjectIdentifier: TrustEvaluator] = [:]
  private var validators: [ValidatorKey: Validator] = [:]
  private var authorities: [Instant: Authorities] = [:]

  /// One is made for each time at which the policy is asked.
  private static let mostManifests = 5_000

  private struct ValidatorKey: Hashable {
    var manifest: Int
    /// Of the policy, when it is issued.
    var issued: Instant
    var anchors: ObjectIdentifier
  }

  /// - Throws: ``WorkFailure`` where the policy has errors, after its findings.
  init(_ policy: LoadedPolicy, _ released: [ReleasedManifest], at now: Instant) throws(WorkFailure) {
    self.policy = policy.policy
    self.released = released
    checked = try policy.checked(
      at: now,
      orFail: WorkFailure(
        .findings, "the policy has errors, so it can't be tested",
        help: "Fix the errors above and run the command again."))
    do throws(RehearsalError) {
      rehearsal = try Rehearsal()
      let own = try checked.manifest(issued: now, by: rehearsal)
      manifests[now] = own
      all = [own] + released.map(\.loaded)
      known = KnownCertificates(policy.policy, all, nil, nil)
      standings = KeyStandings(policy.policy, nil, known)
      keys = KeysByName(policy.policy)
      kinds = policy.policy.verifiers
      seesLeafOnly = policy.policy.settings?.views.contains { $0.value == .leafOnly } ?? false
      do throws(TrustFailure) {
        judge = try UnseenChains(all, known, ClientLimits(kinds), until: .earliest)
      } catch {
        throw RehearsalError.signing(.failed(SignerFailure(error.message)))
      }
    } catch {
      throw WorkFailure(.failed, "the policy can't be tested: \(error.message)")
    }
  }

  /// The policy as if it were released at an instant.
  func subject(issued instant: Instant) throws(RehearsalError) -> Subject {
    if let known = manifests[instant] { return Subject(number: 0, name: nil, manifest: known) }
    guard manifests.count < Self.mostManifests else {
      throw .signing(.failed(SignerFailure("the tests name more than \(Self.mostManifests) times")))
    }
    let manifest = try checked.manifest(issued: instant, by: rehearsal)
    manifests[instant] = manifest
    return Subject(number: 0, name: nil, manifest: manifest)
  }

  func subject(release number: Int) -> Subject {
    Subject(number: number + 1, name: released[number].name, manifest: released[number].loaded)
  }

  /// What is known of public CAs on a day.
  func authorities(at instant: Instant) -> Authorities {
    let found = authorities[instant] ?? policy.library.all(at: instant)
    authorities[instant] = found
    return found
  }

  /// The chain of some keys of the policy, as far as they are known, leaf first.
  func chain(of names: [Located<String>]) throws(TestMistake) -> PresentedChain {
    var standing: [StandingKey] = []
    for name in names {
      do throws(RotationWorldError) {
        let (key, pin) = try keys.key(name.value)
        standing.append(StandingKey(name.value, pin, position: key.standing, among: standings.known))
      } catch {
        throw TestMistake(place: name.place, message: error.message, help: error.help ?? "")
      }
    }
    for (number, key) in standing.enumerated()
    where number > 0 && key.position == .leaf || number < standing.count - 1 && key.position == .root {
      let place = key.position == .leaf ? "first: a leaf" : "last: a root"
      throw TestMistake(
        place: names[number].place, message: "the key \(Wording.quoted(key.name)) can only be \(place)",
        help: "List the keys from the leaf upwards.")
    }
    guard standing.count > 1, let first = standing.first, let last = standing.last else {
      return standing.first?.chain ?? UnseenChain.unknown.chain
    }
    let leaf: [Pin?] = first.position == .leaf ? [] : [nil]
    return PresentedChain(leaf + standing.dropLast().map(\.pin) + last.above)
  }

  /// What clients answer: once if all kinds answer the same, otherwise once for each kind.
  func answers(
    to presented: Presented, _ place: HostPort, _ subject: Subject, _ tlsVersion: TLSVersion, at instant: Instant
  ) throws(TrustFailure) -> [(client: String?, verdict: Verdict)] {
    var answers: [(String?, Verdict)]
    switch presented {
    case .served(let certificates, let anchors):
      answers = served(certificates, anchors, place, subject, tlsVersion, at: instant)
    case .madeUp(let chain):
      answers = try madeUp(chain, place, subject, tlsVersion, at: instant)
    case .distrusted(let failure):
      switch govern(place, subject, at: instant) {
      case .answered(let verdict): answers = [(nil, verdict)]
      case .pinned(let entry): answers = [(nil, subject.manifest.decide(failure, for: entry))]
      }
    }
    let first = answers[0].1
    return answers.allSatisfy { $0.1 == first } ? [(nil, first)] : answers
  }

  private func served(
    _ certificates: [[UInt8]], _ anchors: TrustAnchors, _ place: HostPort, _ subject: Subject,
    _ tlsVersion: TLSVersion, at instant: Instant
  ) -> [(String?, Verdict)] {
    let validator = validator(subject, anchors)
    var entry: GoverningEntry?
    if case .pinned(let pinned) = govern(place, subject, at: instant) { entry = pinned }
    let answers = ServedAnswers(of: kinds, seesLeafOnly: seesLeafOnly, with: subject.manifest, by: entry) { transport in
      let shown = transport == .leafOnly ? Array(certificates.prefix(1)) : certificates
      return validator.evaluate(
        PeerHandshake(host: place.host.text, port: place.port, certificates: shown, tlsVersion: tlsVersion),
        at: instant, transport: transport)
    }
    return answers.all.map { ($0.client.rawValue, $0.verdict) }
  }

  private func madeUp(
    _ chain: PresentedChain, _ place: HostPort, _ subject: Subject, _ tlsVersion: TLSVersion, at instant: Instant
  ) throws(TrustFailure) -> [(String?, Verdict)] {
    let entry: GoverningEntry
    switch govern(place, subject, at: instant) {
    case .answered(let verdict): return [(nil, verdict)]
    case .pinned(let pinned): entry = pinned
    }
    func landing(_ judge: UnseenChains) -> Landing.Trust {
      let server = ServerJudge(judge, host: place.host, port: place.port)
      var setup = ServerSetup.usual
      setup.tlsVersion = tlsVersion
      setup = server.setup(setup, presenting: chain)
      return server.trust(in: chain, setup, byRelease: subject.number, on: instant)
    }
    func verdict(_ trust: Landing.Trust) -> Verdict {
      switch trust {
      case .trusted(let path, _): subject.manifest.decide(path, for: entry)
      case .refused(let reason, _, let failures):
        subject.manifest.decide(
          Array(failures).inOrderOfGravity().first ?? TrustFailure(.unknownIssuer, reason), for: entry)
      }
    }
    let usual = landing(judge)
    var answers: [(String?, Verdict)] = []
    for kind in kinds {
      guard case .refused(_, _, let failures) = usual, failures.contains(where: ClientLimits.reports) else {
        answers.append((kind.rawValue, verdict(usual)))
        continue
      }
      if judges[kind] == nil { judges[kind] = try UnseenChains(all, known, ClientLimits([kind]), until: .earliest) }
      answers.append((kind.rawValue, verdict(judges[kind].map(landing) ?? usual)))
    }
    if seesLeafOnly { answers.append(leafOnly(chain, usual, entry, verdict(usual), place, subject)) }
    return answers
  }

  /// A transport that shows the leaf only, of a chain that it validated.
  private func leafOnly(
    _ chain: PresentedChain, _ trust: Landing.Trust, _ entry: GoverningEntry, _ whole: Verdict, _ place: HostPort,
    _ subject: Subject
  ) -> (String?, Verdict) {
    let kind = Policy.ClientKind.leafOnly.rawValue
    guard case .trusted = trust else { return (kind, whole) }
    if let limit = subject.manifest.limit(ofLeafOnly: .leaf, host: place.host.text, port: place.port) {
      return (kind, subject.manifest.decide(TrustFailure(.other, limit.description), for: entry))
    }
    var entry = entry
    if !subject.manifest.deniedKeysAboveLeaf.isEmpty { entry.events.insert(.denialsLeafOnly) }
    return (kind, subject.manifest.decide(PresentedChain([chain.pins[0]]), for: entry))
  }

  private func govern(_ place: HostPort, _ subject: Subject, at instant: Instant) -> Governance {
    subject.manifest.govern(host: place.host.text, port: place.port, at: instant)
  }

  private func validator(_ subject: Subject, _ anchors: TrustAnchors) -> Validator {
    let store = ObjectIdentifier(anchors)
    let key = ValidatorKey(manifest: subject.number, issued: subject.manifest.issued, anchors: store)
    if let validator = validators[key] { return validator }
    let evaluator = evaluators[store] ?? TrustEvaluator(anchors: anchors, findsAllFailures: true)
    evaluators[store] = evaluator
    let validator = Validator(manifest: subject.manifest, evaluator: evaluator)
    validators[key] = validator
    return validator
  }
}

extension CheckedPolicy {
  /// The manifest that clients would have if the policy were released at an instant.
  fileprivate func manifest(issued: Instant, by rehearsal: Rehearsal) throws(RehearsalError) -> LoadedManifest {
    let release = Release(serial: 1, issued: issued, previous: nil, commit: nil, compiler: "pintle rehearsal")
    let manifest: Manifest
    do { manifest = try lowered(standingIn: release) } catch { throw .lowering(error) }
    return try rehearsal.load(manifest)
  }
}

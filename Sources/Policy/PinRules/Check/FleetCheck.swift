package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinProbe
import PinValidator

/// A live check of a record that is read in pieces: memory grows with the policy and with what is found, not with the
/// record.
///
/// The pieces are judged one by one. What depends on the whole fleet is found out in a first pass: how many hosts answered,
/// and a few hosts that stand for all in the rules about what is missing.
package struct FleetCheck {
  /// What was found, and what it comes to.
  package struct Outcome {
    package var result: Checker.Result
    /// Nil where the policy has errors.
    package var summary: ProbeSummary?
    /// Whether there was any target.
    package var isEmpty: Bool
    /// The hosts that findings may be about, so that those with one cause are shown together.
    package var hosts: Set<String> = []
  }

  /// The policy, with the hosts that no entry governs behind its files.
  package let policy: LoadedPolicy
  package let instant: Instant
  private let pieces: EvidencePieces
  private let check: LiveCheck
  private let places: [HostPort: Place]
  private let hasEnoughAnswers: Bool
  private let isEmpty: Bool

  /// Goes through a record for the first time.
  package init(
    policy: LoadedPolicy, _ pieces: EvidencePieces, stores: [NamedStore], minimumSuccess: MinimumSuccess,
    coversPolicy: Bool, instant: Instant
  ) throws(WorkFailure) {
    let index = HostIndex(policy.policy.hosts)
    var (asked, answered) = (0, 0)
    var (strangers, examples) = (pieces.head, pieces.head)
    var isBelow: Set<Int> = []
    pieces.rewind()
    while let piece = try pieces.next() {
      let certificates = Dictionary(piece.certificates.map { ($0.fingerprint, $0) }) { first, _ in first }
      for target in piece.targets {
        asked += 1
        if target.addresses.contains(where: { $0.visits.contains { $0.served != nil } }) { answered += 1 }
        let entry = index.governing(target.host, port: target.port)
        if entry == nil || entry.map({ policy.policy.hosts[$0].mode.value }) == .off {
          strangers.targets.append(Evidence.Target(host: target.host, port: target.port))
        }
        let isEntry = entry.map { policy.policy.hosts[$0].host == target.host } ?? false
        // The rules about what is missing ask for each entry's own host, and for any name below it.
        if isEntry || entry.map({ isBelow.insert($0).inserted }) ?? false {
          examples.targets.append(target)
          examples.certificates += target.fingerprints.compactMap { certificates[$0] }
        }
      }
    }
    let places = LivePlaces(of: strangers, in: policy)
    self.policy = places.source
    self.places = places.places
    self.pieces = pieces
    self.instant = instant
    hasEnoughAnswers = minimumSuccess.isMet(by: answered, of: asked)
    isEmpty = asked == 0
    check = LiveCheck(
      policy: places.source, evidence: examples.canonical, stores: stores, minimumSuccess: minimumSuccess,
      places: places.places, coversPolicy: coversPolicy, rules: Self.rules.filter(\.isAboutFleet), instant: instant)
  }

  /// Judges all pieces, and asks the rules about servers.
  package func run() throws(WorkFailure) -> Outcome {
    let manifest: LoadedManifest?
    switch try check.rehearsed() {
    case .success(let loaded): manifest = loaded
    case .failure(let errors): return Outcome(result: errors.result, isEmpty: isEmpty)
    }
    var result = Checker.Result(diagnostics: [], suppressed: [], rules: [])
    var facts = FleetFacts()
    var hosts = Set(check.evidence.targets.lazy.map(\.host.text))
    let rules = Self.rules.filter { !$0.isAboutFleet }
    var summary: ProbeSummary?
    pieces.rewind()
    while let piece = try pieces.next() {
      let assessment = try check.assessment(of: piece, by: manifest)
      let live = LiveInput(
        assessment: assessment, minimumSuccess: .count(hasEnoughAnswers ? 0 : .max), places: places,
        coversPolicy: false)
      let input = CheckInput(policy: policy.policy, live: live, at: instant)
      let ofPiece = LiveFacts(input, live)
      let found = Checker.check(input, rules: rules, live: ofPiece)
      facts.add(ofPiece)
      // Only those that findings name: a fleet has more than memory should hold.
      let asked = found.diagnostics.isEmpty ? [] : Set(piece.targets.lazy.map(\.host.text))
      for diagnostic in found.diagnostics { hosts.formUnion(diagnostic.named(among: asked)) }
      result.diagnostics += found.diagnostics
      result.suppressed += found.suppressed
      if summary == nil { result.rules += found.rules }
      if summary == nil { summary = ProbeSummary(assessment) } else { summary?.add(assessment) }
    }
    hosts.formUnion(facts.backups.labels)
    var whole = check
    whole.fleet = facts
    let found = try whole.run().result
    result.diagnostics += found.diagnostics
    result.suppressed += found.suppressed
    result.rules += found.rules
    result.diagnostics.sort()
    result.suppressed.sort { $0.diagnostic < $1.diagnostic }
    let order = Dictionary(Self.rules.enumerated().map { ($1.code, $0) }) { first, _ in first }
    result.rules.sort { order[$0.code] ?? 0 < order[$1.code] ?? 0 }
    if summary == nil { summary = ProbeSummary(try check.assessment(of: pieces.head, by: manifest)) }
    return Outcome(result: result, summary: summary, isEmpty: isEmpty, hosts: hosts)
  }

  private static let rules = Rule.catalogue.filter { $0.family == .live }
}

extension Rule {
  /// True where a rule asks what is missing of the fleet, or speaks of the record as a whole.
  fileprivate var isAboutFleet: Bool {
    [Rule.backupInService, .subdomainsNotProbed, .notInEvidence, .evidenceOld].contains { $0.code == code }
  }
}

extension Evidence.Target {
  /// Of the certificates that it presented, each once.
  fileprivate var fingerprints: Set<SHA256Digest> {
    Set(addresses.flatMap { $0.visits.flatMap { $0.served?.chain ?? [] } })
  }
}

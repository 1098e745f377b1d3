package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinProbe
import PinRelease
import PinValidator

/// A policy, compared with what live servers presented.
///
/// The servers are judged by the policy as it would be released now, so a policy with errors, which could not be
/// released, is reported without them.
package struct LiveCheck {
  /// What was found, about the policy and about the servers.
  package struct Outcome {
    package var result: Checker.Result
    /// Nil where the policy has errors.
    package var assessment: Assessment?
  }

  package let policy: LoadedPolicy
  private let baseline: Manifest?
  let evidence: Evidence
  /// The trust stores to judge under; empty for those that the evidence records.
  let stores: [NamedStore]
  let minimumSuccess: MinimumSuccess
  /// Where targets of the command line are written.
  private let places: [HostPort: Place]
  /// Whether every pinned host of the policy was to be asked.
  let coversPolicy: Bool
  /// The rules whose findings are wanted.
  let rules: [Rule]
  package let instant: Instant
  /// Whose signatures clients have to verify, as far as the caller named them.
  package var signers: [(label: String, kind: Policy.SignerKind)] = []
  /// Of a record in pieces, what all of them show.
  var fleet: FleetFacts?
  /// The names of the keyset's signers; nil where the caller named no keyset.
  package var signerNames: [String]?
  /// The options that name what clients have and whose signatures on it count, for commands in help.
  package var releaseOptions = CheckInput.placeholders
  /// Rules of the user's own.
  package var ownRules: [Rule] = []

  package init(
    policy: LoadedPolicy, baseline: Manifest? = nil, evidence: Evidence, stores: [NamedStore] = [],
    minimumSuccess: MinimumSuccess = .all, places: [HostPort: Place] = [:], coversPolicy: Bool = true,
    rules: [Rule] = Rule.catalogue, instant: Instant
  ) {
    self.policy = policy
    self.baseline = baseline
    self.evidence = evidence
    self.stores = stores
    self.minimumSuccess = minimumSuccess
    self.places = places
    self.coversPolicy = coversPolicy
    self.rules = rules
    self.instant = instant
  }

  /// Checks the policy, judges the servers by it, and asks the rules.
  ///
  /// Where there is no entry, trust alone is judged.
  package func run() throws(WorkFailure) -> Outcome {
    let manifest: LoadedManifest?
    switch try rehearsed() {
    case .success(let loaded): manifest = loaded
    case .failure(let errors): return Outcome(result: errors.result)
    }
    let assessment = try assessment(of: evidence, by: manifest)
    var live = LiveInput(
      assessment: assessment, minimumSuccess: minimumSuccess, places: places, coversPolicy: coversPolicy)
    live.fleet = fleet
    var input = CheckInput(policy: policy.policy, baseline: baseline, live: live, at: instant)
    (input.signers, input.signerNames, input.releaseOptions) = (signers, signerNames, releaseOptions)
    input.ownRules = ownRules
    return Outcome(result: Checker.check(input, rules: rules), assessment: assessment)
  }

  /// What the policy's own rules found, where they found errors.
  struct Errors: Error {
    var result: Checker.Result
  }

  /// The policy as clients would have it; nil where it has no entry.
  func rehearsed() throws(WorkFailure) -> Result<LoadedManifest?, Errors> {
    guard !policy.policy.hosts.isEmpty else { return .success(nil) }
    var input = CheckInput(policy: policy.policy, baseline: baseline, at: instant)
    (input.signers, input.signerNames, input.releaseOptions) = (signers, signerNames, releaseOptions)
    input.ownRules = ownRules
    let alone = CheckedPolicy.check(input)
    guard let checked = alone.checked else { return .failure(Errors(result: alone.result)) }
    do {
      return .success(try checked.rehearsed(at: instant))
    } catch {
      throw WorkFailure(.failed, "the policy can't be compiled for this check: \(error.message)")
    }
  }

  func assessment(of evidence: Evidence, by manifest: LoadedManifest?) throws(WorkFailure) -> Assessment {
    do {
      let limits = ClientLimits(policy.policy.verifiers)
      return try Judge(manifest: manifest, stores: stores, limits: limits).assess(evidence, at: instant)
    } catch {
      throw WorkFailure(.failed, "the evidence can't be evaluated: \(error.message)")
    }
  }
}

/// Where findings stand about servers that no entry governs: at their names in `probe:` lists, or on lines of their own
/// in a text that isn't on disk, the list of these servers.
package struct LivePlaces {
  package let places: [HostPort: Place]
  /// The policy, with that list behind its files.
  package let source: LoadedPolicy

  package init(of evidence: Evidence, in source: LoadedPolicy) {
    let index = HostIndex(source.policy.hosts)
    let ports = Set(evidence.targets.map(\.port)).sorted()
    let named = Dictionary(
      PlannedNames(source.policy, ports: ports).names.map { (HostPort($0.host, $0.port), $0.place) }
    ) { first, _ in first }
    let id = FileID(source.policy.sources.files.count)
    var places: [HostPort: Place] = [:]
    var lines: [String] = []
    for target in evidence.targets {
      let entry = index.governing(target.host, port: target.port).map { source.policy.hosts[$0] }
      guard entry == nil || entry?.mode.value == .off else { continue }
      let key = HostPort(target.host, target.port)
      if let place = named[key] {
        places[key] = place
        continue
      }
      let line = HostLabel.text(host: target.host, port: target.port)
      lines.append(line)
      places[key] = Place(
        file: id, start: Position(line: lines.count, column: 1),
        end: Position(line: lines.count, column: line.unicodeScalars.count + 1))
    }
    self.places = places
    var extended = source
    if !lines.isEmpty {
      let file = SourceSet.File(path: "probed hosts", bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
      extended.policy.sources = source.policy.sources.adding(file).sources
      extended.asked?.insert(id)
    }
    self.source = extended
  }
}

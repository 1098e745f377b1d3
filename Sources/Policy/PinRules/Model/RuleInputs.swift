package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinProbe
package import PinRotation
package import PinValidator

/// What the rules about live servers are given.
package struct LiveInput: Sendable {
  /// What was observed, judged by the policy that is checked.
  package var assessment: Assessment
  /// How many of the targets have to answer.
  package var minimumSuccess: MinimumSuccess
  /// Where targets are written that no entry of the policy governs, such as those of the command line.
  package var places: [HostPort: Place]
  /// True where every pinned host of the policy was to be asked: then one that is missing is a finding.
  package var coversPolicy: Bool
  /// Of a record in pieces, what all of them show; nil where the assessment is of all.
  var fleet: FleetFacts?

  package init(
    assessment: Assessment, minimumSuccess: MinimumSuccess = .all, places: [HostPort: Place] = [:],
    coversPolicy: Bool = true
  ) {
    self.assessment = assessment
    self.minimumSuccess = minimumSuccess
    self.places = places
    self.coversPolicy = coversPolicy
  }

  /// True where the evidence is about the whole fleet and probing wasn't ended early.
  var holdsFleet: Bool {
    guard !assessment.isPartial else { return false }
    guard let count = assessment.shards.first?.count else { return true }
    return Set(assessment.shards.map(\.number)).count >= count
  }

  /// True where every pinned host was asked: what isn't found then isn't there.
  var isWhole: Bool { coversPolicy && holdsFleet }
}

/// A host and a port that clients ask.
package struct HostPort: Hashable, Comparable, Sendable {
  package var host: HostName
  package var port: UInt16

  package init(_ host: HostName, _ port: UInt16) {
    self.host = host
    self.port = port
  }

  package static func < (left: HostPort, right: HostPort) -> Bool {
    left.host == right.host ? left.port < right.port : left.host < right.host
  }
}

extension LoadedManifest {
  /// The number of the entry that governs a server, whatever its clocks say; nil where none does or it pins nothing.
  package func entry(at place: HostPort) -> Int? {
    guard let number = try? tables.entry(for: place.host.text.utf8Span.span, port: place.port),
      tables.hosts[number].mode != .off
    else { return nil }
    return number
  }

  /// The trust settings of that entry; nil where it has none.
  package func trust(at place: HostPort) -> Manifest.Trust? { entry(at: place).flatMap { tables.trust(ofHost: $0) } }
}

/// How many of the probed targets have to answer, for those that don't to be no more than a warning.
package enum MinimumSuccess: Hashable, Sendable {
  case count(Int)
  /// From 0 to 100.
  case percent(Int)

  /// Every target.
  package static let all = MinimumSuccess.percent(100)

  /// True where so many answers out of so many targets are enough.
  package func isMet(by answered: Int, of targets: Int) -> Bool {
    switch self {
    case .count(let least): answered >= min(least, targets)
    case .percent(let least): answered * 100 >= targets * least
    }
  }
}

/// What the rules about rotation are given: the model, and what it comes to.
package struct RotationInput: Sendable {
  /// The releases (one of them the candidate: what the policy says now), the servers, the planned steps.
  package var scenario: Scenario
  /// Every lockout of the scenario.
  package var lockouts: [Lockout]
  /// What the loss of each key that is presented would do.
  package var losses: [KeyLoss]
  /// What the candidate says that the newest release doesn't.
  package var changes: ManifestChanges
  /// The newest release.
  package var newest: Manifest
  /// How the releases and the candidate don't follow from one another.
  package var historyProblems: [HistoryProblem]
  /// What servers may come to present that the candidate blocks and the newest release doesn't.
  package var futures: [Future]
  /// How many senders were measured to run which release; nil where nobody measured.
  package var adoption: Adoption?
  /// Whether somebody said that many hosts are meant to change at once.
  package var allowsMassChange: Bool
  /// The certificates of releases, the policy and evidence; nil where they weren't read yet.
  package var certificates: KnownCertificates?

  package init(
    scenario: Scenario, lockouts: [Lockout], losses: [KeyLoss], changes: ManifestChanges, newest: Manifest,
    historyProblems: [HistoryProblem], futures: [Future] = [], adoption: Adoption? = nil,
    allowsMassChange: Bool
  ) {
    self.scenario = scenario
    self.lockouts = lockouts
    self.losses = losses
    self.changes = changes
    self.newest = newest
    self.historyProblems = historyProblems
    self.futures = futures
    self.adoption = adoption
    self.allowsMassChange = allowsMassChange
  }
}

/// All that a rule about keysets may know.
package struct KeysetInput: Sendable {
  package var keyset: Keyset
  /// Its file; nil where nobody says.
  package var path: String?
  /// The version before, as clients have it; nil for a first version, and where nobody says.
  package var previous: Keyset?
  package var instant: Instant

  package init(_ keyset: Keyset, in path: String? = nil, after previous: Keyset?, at instant: Instant) {
    self.keyset = keyset
    self.path = path
    self.previous = previous
    self.instant = instant
  }

  /// Asks all rules about keysets.
  ///
  /// - Returns: What they say, the gravest first. A finding is at the beginning of the keyset's file, which is one
  ///   line.
  package func diagnostics(rules: [Rule] = Rule.catalogue) -> [Diagnostic] {
    var found: [Diagnostic] = []
    for rule in rules {
      guard case .keyset(let check) = rule.check else { continue }
      found += check(self).map { rule.diagnostic($0) }
    }
    return Severity.allCases.sorted(by: >).flatMap { severity in found.filter { $0.severity == severity } }
  }
}

extension Finding {
  /// What a rule says of a keyset.
  static func ofKeyset(_ message: String, help: String, severity: Severity? = nil) -> Finding {
    let start = Position(line: 1, column: 1)
    let place = Place(file: FileID(0), start: start, end: Position(line: 1, column: 2))
    return Finding(at: place, message, help: help, severity: severity)
  }
}

extension Example {
  /// An example about keysets, as the commands that make them.
  package static func keyset(_ commands: String) -> Example {
    Example([File(path: "terminal.txt", text: commands)])
  }
}

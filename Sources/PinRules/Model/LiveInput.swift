package import Diagnostics
package import PinFormat
package import PinProbe

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

/// A host and a port, as a key of dictionaries.
package struct HostPort: Hashable, Sendable {
  package var host: HostName
  package var port: UInt16

  package init(_ host: HostName, _ port: UInt16) {
    self.host = host
    self.port = port
  }
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

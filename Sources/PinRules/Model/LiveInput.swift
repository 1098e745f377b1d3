package import Diagnostics
package import PinEvidence
package import PinFormat

/// What the rules about live servers are given.
package struct LiveInput: Sendable {
  /// What was observed, judged by the policy that is checked.
  package var assessment: Assessment
  /// How many of the targets have to answer.
  package var minimumSuccess: MinimumSuccess
  /// Where targets are written that no entry of the policy governs, such as those of the command line.
  package var places: [HostPort: Place]

  package init(assessment: Assessment, minimumSuccess: MinimumSuccess = .all, places: [HostPort: Place] = [:]) {
    self.assessment = assessment
    self.minimumSuccess = minimumSuccess
    self.places = places
  }
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

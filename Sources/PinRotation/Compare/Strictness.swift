import PinFormat

extension ChangeRisk {
  /// What it means that something is stricter or less strict than before.
  init(strictness before: Int, _ after: Int) {
    self = after < before ? .weakens : after > before ? .mayBlock : .none
  }

  /// What it means that a set of what is taken for good loses some and gains others.
  init(gains: Bool, loses: Bool) {
    self = gains ? .weakens : loses ? .mayBlock : .none
  }
}

extension Mode {
  /// How much it asks of a chain.
  var strictness: Int {
    switch self {
    case .off: 0
    case .reportOnly: 1
    case .enforce: 2
    }
  }
}

extension ExpiryAction {
  /// How much it asks of a chain from then on.
  var strictness: Int {
    switch self {
    case .unpinned: 0
    case .reportOnly: 1
    case .enforce: 2
    case .block: 3
    }
  }

  /// What it means that the action holds from an earlier time on.
  var riskOfComingSooner: ChangeRisk {
    switch self {
    case .unpinned, .reportOnly: .weakens
    case .enforce: .none
    case .block: .mayBlock
    }
  }
}

import Diagnostics

/// The places of each page that it links to.
extension Anchor {
  static let hosts = Anchor("hosts")
  static let legend = Anchor("legend")

  // On the page of a probe.
  static let policyFindings = Anchor("findings")
  static let accepted = Anchor("accepted")
  static let certificates = Anchor("certificates")

  static func host(_ label: String) -> Anchor { Anchor(host: label) }
  static func chain(_ number: Int) -> Anchor { Anchor("chain", number) }
  static func finding(_ number: Int) -> Anchor { Anchor("finding", number) }
  static func certificate(_ number: Int) -> Anchor { Anchor("certificate", number) }

  // On the page of a simulation.
  static let first = Anchor("first")
  static let events = Anchor("events")
  static let futures = Anchor("futures")
  static let losses = Anchor("losses")

  static func group(_ number: Int) -> Anchor { Anchor("hosts", number + 1) }
}

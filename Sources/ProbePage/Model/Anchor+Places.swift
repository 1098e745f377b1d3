import WebPage

extension Anchor {
  static let hosts = Anchor("hosts")
  static let policyFindings = Anchor("findings")
  static let accepted = Anchor("accepted")
  static let certificates = Anchor("certificates")
  static let legend = Anchor("legend")

  static func host(_ label: String) -> Anchor { Anchor(host: label) }
  static func chain(_ number: Int) -> Anchor { Anchor("chain", number) }
  static func finding(_ number: Int) -> Anchor { Anchor("finding", number) }
  static func certificate(_ number: Int) -> Anchor { Anchor("certificate", number) }
}

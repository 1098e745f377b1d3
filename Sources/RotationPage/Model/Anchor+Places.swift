import WebPage

extension Anchor {
  static let first = Anchor("first")
  static let events = Anchor("events")
  static let losses = Anchor("losses")
  static let hosts = Anchor("hosts")
  static let legend = Anchor("legend")

  static func group(_ number: Int) -> Anchor { Anchor("hosts", number + 1) }
}

/// An attribute of an element; its value is escaped where it is written.
struct Attribute {
  let name: String
  let value: String

  /// Any attribute whose value is this program's own.
  static func plain(_ name: StaticString, _ value: String) -> Attribute {
    Attribute(name: name.description, value: value)
  }

  static func kind(_ names: String) -> Attribute { Attribute(name: "class", value: names) }
  static func id(_ anchor: Anchor) -> Attribute { Attribute(name: "id", value: anchor.text) }
  static func link(_ anchor: Anchor) -> Attribute { Attribute(name: "href", value: "#" + anchor.text) }
  static func label(_ text: String) -> Attribute { Attribute(name: "aria-label", value: text) }
  static let columnHead = Attribute(name: "scope", value: "col")
  static let rowHead = Attribute(name: "scope", value: "row")
  static let open = Attribute(name: "open", value: "")
  static let hidden = Attribute(name: "aria-hidden", value: "true")
  /// Lets those who have no mouse scroll what is wider than the screen.
  static let focusable = Attribute(name: "tabindex", value: "0")
  static let region = Attribute(name: "role", value: "region")

  /// A link to another page; nil where the address isn't one of the web.
  static func link(toPage address: String) -> Attribute? {
    address.hasPrefix("https://") ? Attribute(name: "href", value: address) : nil
  }
}

/// The name of a place in the page: letters, digits and what host names have.
struct Anchor: Hashable {
  let text: String

  private init(_ text: String) {
    self.text = text
  }

  static let hosts = Anchor("hosts")
  static let policyFindings = Anchor("findings")
  static let accepted = Anchor("accepted")
  static let certificates = Anchor("certificates")
  static let legend = Anchor("legend")

  /// `host-api.example.com:443`; stays the same from one page to the next.
  static func host(_ label: String) -> Anchor { Anchor("host-" + label) }
  static func chain(_ number: Int) -> Anchor { Anchor("chain-\(number)") }
  static func finding(_ number: Int) -> Anchor { Anchor("finding-\(number)") }
  static func certificate(_ number: Int) -> Anchor { Anchor("certificate-\(number)") }
}

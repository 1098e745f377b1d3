/// An attribute of an element; its value is escaped where it is written.
package struct Attribute {
  package let name: String
  package let value: String

  /// Any attribute whose value is this program's own.
  package static func plain(_ name: StaticString, _ value: String) -> Attribute {
    Attribute(name: name.description, value: value)
  }

  package static func kind(_ names: String) -> Attribute { Attribute(name: "class", value: names) }
  package static func id(_ anchor: Anchor) -> Attribute { Attribute(name: "id", value: anchor.text) }
  package static func link(_ anchor: Anchor) -> Attribute { Attribute(name: "href", value: "#" + anchor.text) }
  package static func label(_ text: String) -> Attribute { Attribute(name: "aria-label", value: text) }
  package static let columnHead = Attribute(name: "scope", value: "col")
  package static let rowHead = Attribute(name: "scope", value: "row")
  package static let open = Attribute(name: "open", value: "")
  package static let hidden = Attribute(name: "aria-hidden", value: "true")
  /// Lets those who have no mouse scroll what is wider than the screen.
  package static let focusable = Attribute(name: "tabindex", value: "0")
  package static let region = Attribute(name: "role", value: "region")

  /// A link to another page; nil where the address isn't one of the web.
  package static func link(toPage address: String) -> Attribute? {
    address.hasPrefix("https://") ? Attribute(name: "href", value: address) : nil
  }
}

/// The name of a place in the page: letters, digits and what host names have.
package struct Anchor: Hashable {
  package let text: String

  /// A place that there is once.
  package init(_ name: StaticString) {
    text = name.description
  }

  /// One of several places of a kind, by its number: `chain-3`.
  package init(_ kind: StaticString, _ number: Int) {
    text = "\(kind)-\(number)"
  }

  /// The place of a host, by its label, which stays the same from one page to the next: `host-api.example.com:443`.
  package init(host label: String) {
    text = "host-" + label
  }
}

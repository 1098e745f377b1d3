/// An attribute of an element; its value is escaped where it is written.
package struct Attribute: Sendable {
  let name: String
  /// Its value as it was given, before it is escaped.
  package let value: String

  /// Any attribute whose value is this program's own.
  package static func plain(_ name: StaticString, _ value: String) -> Attribute {
    Attribute(name: name.description, value: value)
  }

  /// Its classes in the style sheet.
  package static func kind(_ names: String) -> Attribute { Attribute(name: "class", value: names) }
  /// The name of its place in the page.
  package static func id(_ anchor: Anchor) -> Attribute { Attribute(name: "id", value: anchor.text) }
  /// A link to a place in the page.
  package static func link(_ anchor: Anchor) -> Attribute { Attribute(name: "href", value: "#" + anchor.text) }
  /// A label for screen readers.
  package static func label(_ text: String) -> Attribute { Attribute(name: "aria-label", value: text) }
  /// The head of a column.
  package static let columnHead = Attribute(name: "scope", value: "col")
  /// The head of a row.
  package static let rowHead = Attribute(name: "scope", value: "row")
  /// Unfolded when the page opens.
  package static let open = Attribute(name: "open", value: "")
  /// Not told to those who hear the page.
  package static let hidden = Attribute(name: "aria-hidden", value: "true")
  /// Lets those who have no mouse scroll what is wider than the screen.
  package static let focusable = Attribute(name: "tabindex", value: "0")
  /// A part of the page that can be found by its label.
  package static let region = Attribute(name: "role", value: "region")

  /// A link to another page; nil where the address isn't one of the web.
  package static func link(toPage address: String) -> Attribute? {
    address.hasPrefix("https://") ? Attribute(name: "href", value: address) : nil
  }

  /// A link to another page of the same server.
  ///
  /// Whatever the parts hold, they stay one part each: everything but what RFC 3986 section 2.3 calls unreserved is
  /// percent-encoded.
  ///
  /// - Parameters:
  ///   - path: The parts between the slashes.
  ///   - query: The names and values behind the question mark.
  /// - Returns: The link.
  package static func link(toPath path: [String], query: KeyValuePairs<StaticString, String> = [:]) -> Attribute {
    var address = path.isEmpty ? "/" : path.map { "/" + encoded($0) }.joined()
    for (index, item) in query.enumerated() {
      address += (index == 0 ? "?" : "&") + item.key.description + "=" + encoded(item.value)
    }
    return Attribute(name: "href", value: address)
  }

  private static func encoded(_ part: String) -> String {
    // Browsers resolve "." and ".." (also percent-encoded), and read two slashes as the start of another server's
    // address.
    if part.isEmpty || part == "." || part == ".." { return "-" }
    var result = ""
    for byte in part.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += (digits.utf8.count == 1 ? "%0" : "%") + digits
      }
    }
    return result
  }
}

/// The name of a place in the page: letters, digits and what host names have.
package struct Anchor: Hashable, Sendable {
  /// The name as it is in the page.
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

package import Diagnostics

/// An element of a document, with what it holds and where it was written.
package struct XMLElement: Hashable, Sendable {
  /// As written, prefix included: `tools:ignore` is one name, and nobody looks for what `tools` stands for.
  package var name: String
  /// In the order in which they were written; no two have one name.
  package var attributes: [XMLAttribute]
  package var children: [XMLNode]
  /// The start tag.
  package var place: Place

  /// The elements among the children.
  package var elements: [XMLElement] {
    children.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  /// The text that the element holds itself, without white space around it; nil where there is none.
  package var text: Located<String>? {
    var found: Located<String>?
    for case .text(let text) in children where !text.value.isEmpty {
      guard let earlier = found else {
        found = text
        continue
      }
      let place = Place(file: earlier.place.file, start: earlier.place.start, end: text.place.end)
      found = Located(earlier.value + text.value, at: place)
    }
    return found
  }

  /// The value of an attribute and its place; nil where there is none.
  package func attribute(_ name: String) -> Located<String>? { attributes.first { $0.name == name }?.value }
}

/// An attribute of an element.
package struct XMLAttribute: Hashable, Sendable {
  /// As written, prefix included.
  package var name: String
  /// The place is what is between the quotation marks.
  package var value: Located<String>
}

/// What an element can contain; comments and processing instructions are ignored.
package enum XMLNode: Hashable, Sendable {
  case element(XMLElement)
  /// Text between two tags, comments in it left out, without white space at its ends; its place is what is left.
  case text(Located<String>)
}

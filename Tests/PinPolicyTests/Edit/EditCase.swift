import PinPolicy
import Testing

/// Edits of a text, and the text afterwards as people read it.
struct EditCase: CustomTestStringConvertible {
  var name: String
  var edits: [PolicyEdit]
  var before: String
  var after: String

  init(_ name: String, _ edits: [PolicyEdit], _ before: String, _ after: String) {
    self.name = name
    self.edits = edits
    self.before = before
    self.after = after
  }

  var testDescription: String { name }
}

/// What ``PolicyEdit/apply(_:to:)`` makes of a text, or why it makes nothing.
func edited(_ text: String, _ edits: [PolicyEdit]) throws(PolicyEditError) -> String {
  String(decoding: try PolicyEdit.apply(edits, to: Array(text.utf8)), as: UTF8.self)
}

/// An exchange of one key for another, as a rotation makes it.
let exchange: [PolicyEdit] = [
  .move(key: "new", from: .backup, of: .named("web")), .move(key: "old", from: .active, of: .named("web")),
]

extension LocatedJSON {
  /// A value of a text.
  package struct Value: Sendable {
    let document: LocatedJSON
    let index: Int

    private var node: Node { document.nodes[index] }

    /// Where it is; for a text, with its quotation marks.
    package var place: Place {
      let node = node
      let isText = node.kind == .text
      return document.place(Int(node.start) - (isText ? 1 : 0), Int(node.end) + (isText ? 1 : 0))
    }

    /// What it is, for messages: `a list`.
    package var noun: String {
      switch node.kind {
      case .object: "an object"
      case .list: "a list"
      case .text: "a text"
      case .number: "a number"
      case .yes, .no: "a Boolean"
      case .null: "null"
      }
    }

    /// The text, or nil where the value is something else.
    package var text: String? { node.kind == .text ? document.text(of: node) : nil }

    /// The text, or the number as it is written; nil where the value is something else.
    package var written: String? { [.text, .number].contains(node.kind) ? document.text(of: node) : nil }

    package var bool: Bool? {
      switch node.kind {
      case .yes: true
      case .no: false
      default: nil
      }
    }

    /// The members of an object in their order; nil where the value is something else.
    package var members: [Member]? {
      guard node.kind == .object else { return nil }
      var members: [Member] = []
      var position = index + 1
      while position < Int(node.next) {
        members.append(
          Member(
            name: Value(document: document, index: position), value: Value(document: document, index: position + 1)))
        position = Int(document.nodes[position + 1].next)
      }
      return members
    }

    /// The items of a list; nil where the value is something else.
    package var items: [Value]? {
      guard node.kind == .list else { return nil }
      var items: [Value] = []
      var position = index + 1
      while position < Int(node.next) {
        items.append(Value(document: document, index: position))
        position = Int(document.nodes[position].next)
      }
      return items
    }

    /// The member of an object with a name; nil where there is none, or no object.
    package subscript(_ name: StaticString) -> Value? {
      guard node.kind == .object else { return nil }
      var position = index + 1
      while position < Int(node.next) {
        if document.isText(document.nodes[position], name) { return Value(document: document, index: position + 1) }
        position = Int(document.nodes[position + 1].next)
      }
      return nil
    }

    /// Whether the text is this one, without making a string of it.
    package func isText(_ text: StaticString) -> Bool {
      node.kind == .text && document.isText(node, text)
    }
  }

  /// A member of an object.
  package struct Member: Sendable {
    package var name: Value
    package var value: Value
  }

  func isText(_ node: Node, _ text: StaticString) -> Bool {
    if node.hasEscapes { return self.text(of: node) == "\(text)" }
    return text.withUTF8Buffer { wanted in
      let count = Int(node.end) - Int(node.start)
      guard count == wanted.count else { return false }
      for offset in 0..<count where bytes[Int(node.start) + offset] != wanted[offset] { return false }
      return true
    }
  }

  func text(of node: Node) -> String {
    let range = Int(node.start)..<Int(node.end)
    guard node.hasEscapes else { return String(decoding: bytes[range], as: UTF8.self) }
    return JSONEscapes.decode(bytes[range])
  }
}

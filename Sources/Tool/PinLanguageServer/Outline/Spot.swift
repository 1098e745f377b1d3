/// The word of a policy file that an editor asks about.
struct Spot {
  var role: FieldRole
  var word: Outline.Word
  /// The way to the field or item that the word names or is the value of.
  var path: [Outline.Step]
  var node: Int
}

extension Outline {
  /// The word at a place.
  func spot(at offset: Int) -> Spot? {
    for index in nodes.indices {
      let node = nodes[index]
      if let name = node.name, name.touches(offset) {
        let path = path(of: index)
        return Spot(role: .ofName(at: path), word: name, path: path, node: index)
      }
      if let value = node.value, value.touches(offset), node.kind != .word {
        let path = path(of: index)
        return Spot(role: .ofValue(at: path), word: value, path: path, node: index)
      }
    }
    return nil
  }

  /// All words of one role, such as each place where a set names a key.
  func words(as role: FieldRole, named name: String) -> [Word] {
    nodes.indices.compactMap { index in
      let node = nodes[index]
      if let word = node.name, word.text == name, FieldRole.ofName(at: path(of: index)) == role { return word }
      guard let word = node.value, word.text == name, node.kind != .word else { return nil }
      return FieldRole.ofValue(at: path(of: index)) == role ? word : nil
    }
  }

  /// The rule's code that is at a place of a comment: `P404` in `# pintle:allow P404 until …`.
  func ruleCode(at offset: Int, in bytes: [UInt8]) -> Word? {
    guard let comment = comment(at: offset) else { return nil }
    var start = offset
    while start > comment.lowerBound, Self.isOfCode(bytes[start - 1]) { start -= 1 }
    var end = offset
    while end < comment.upperBound, Self.isOfCode(bytes[end]) { end += 1 }
    guard end - start == 4, bytes[start] == UInt8(ascii: "P") else { return nil }
    return Word(text: String(decoding: bytes[start..<end], as: UTF8.self), span: start..<end)
  }

  private static func isOfCode(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "P") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

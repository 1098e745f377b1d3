import Diagnostics

/// The one layout of policy files.
package enum PolicyFormat {
  /// Why a file is left as it is.
  package enum Failure: Error, Hashable, Sendable {
    /// It can't be taken apart: reading it finds what is wrong.
    case unreadable
    /// Written again it would say something else, or a comment would be lost or speak of another line.
    case unfaithful
  }

  /// Writes a file in the one layout; what it says, and each of its comments, stays.
  ///
  /// - Parameter bytes: A policy file; its fields may be unknown and its values wrong, but it must be YAML, without what
  ///   policies do without.
  /// - Returns: The text in its layout, which is the text itself where it has that already.
  /// - Throws: ``Failure`` where the file has to stay as it is.
  package static func format(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    guard let source = withoutTabs(bytes), let tree = try? YAMLTree(source) else { throw .unreadable }
    let text = write(EditedText(tree))
    do {
      guard try FormatMeaning(text) == FormatMeaning(source) else { throw Failure.unfaithful }
    } catch {
      throw .unfaithful
    }
    return text
  }

  /// The text with a space for each tab, as it is read; nil where a tab indents a line, since how far isn't known, and
  /// where more than tabs is in the way of reading.
  private static func withoutTabs(_ bytes: [UInt8]) -> [UInt8]? {
    let text = SourceText(bytes, file: FileID(0))
    guard text.problems.allSatisfy({ $0.kind == .tab }) else { return nil }
    guard text.isMended else { return bytes }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let blank = line.prefix(while: EditedText.isBlank)
      if blank.contains(UInt8(ascii: "\t")), !line.allSatisfy(EditedText.isSpace) { return nil }
    }
    return bytes.map { $0 == UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 }
  }

  private static func write(_ text: EditedText) -> [UInt8] {
    var placing = CommentPlacing(text)
    let file = placing.root()
    var writer = LayoutWriter(text.bytes)
    let marker = documentStart(text)
    // The comment at the top of the file stays there, whichever field comes first.
    var head = file.above
    var root = file.value
    let schema = FieldSchema.ofFile(with: root.names)
    if case .collection(var collection) = root, !collection.isFlow, !collection.parts.isEmpty {
      head += collection.parts[0].above
      let isApart = collection.parts[0].isApart
      collection.parts[0].above = []
      collection.parts = collection.ordered(as: schema)
      if !head.isEmpty, !collection.parts.isEmpty { collection.parts[0].isApart = isApart }
      root = .collection(collection)
    }
    let before = marker.map { marker in text.comments(in: 0..<marker).count } ?? 0
    writer.add(head.prefix(before).map(\.self), indent: 0)
    if marker != nil { writer.addLine(0, "---".utf8) }
    writer.add(Array(head.dropFirst(before)), indent: 0)
    writer.addRoot(root, isApart: !head.isEmpty, schema)
    writer.add(file.below, indent: 0)
    return writer.output
  }

  /// The `---` before the document, where there is one.
  private static func documentStart(_ text: EditedText) -> Int? {
    let start = text.skipTrivia(from: 0)
    return text.bytes[start...].starts(with: "---".utf8) && start < text.tree.root.range.lowerBound ? start : nil
  }
}

extension LayoutWriter {
  fileprivate mutating func addRoot(_ root: LaidOut.Value, isApart: Bool, _ schema: FieldSchema) {
    switch root {
    case .scalar(let node, _): addLine(0, bytesOf(node))
    case .collection(let collection):
      if let line = line(collection, behind: [], LaidOut.Part(value: root), schema: schema) { return addLine(0, line) }
      if isApart, let first = collection.parts.first { addGap(first.isApart) }
      add(collection, indent: 0, schema: schema)
    }
  }
}

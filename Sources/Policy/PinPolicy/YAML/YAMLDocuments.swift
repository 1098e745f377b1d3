package import Diagnostics

/// The documents of a YAML file of another tool, whose fields pintle doesn't know: only the fields that are asked for are read.
///
/// The same YAML as in policies, with the same limit on its depth: tags, anchors and aliases aren't read.
package struct YAMLDocuments {
  /// The documents before the first mistake.
  package private(set) var values: [Value] = []
  /// Why the file can't be read further: a clause, and where.
  package private(set) var problem: (reason: String, place: Place)?

  package init(_ bytes: [UInt8], file: FileID) {
    let text = SourceText(bytes, file: file)
    // A tab is read as one space, so all places stay correct.
    guard let fit = text.bytes, fit.count == bytes.count, text.firstLineShift == 0,
      let parser = YAMLParser(fit, file: file, firstLineShift: 0)
    else {
      problem = ("it isn't text in UTF-8", .beginning(of: file))
      return
    }
    var builder = TreeBuilder(parser, fit)
    do {
      while let node = try builder.nextDocument() {
        values.append(Value(node: node, lines: builder.lines, file: file))
      }
    } catch {
      problem =
        builder.complaint.map { reason, place in
          // The reader's words are about policies.
          (reason.replacing(" has no place in a policy", with: " isn't read"), place)
        } ?? ("it isn't YAML, or nested too deeply", .beginning(of: file))
    }
  }

  /// A value of a document.
  package struct Value {
    fileprivate let node: YAMLTree.Node
    fileprivate let lines: LineOffsets
    fileprivate let file: FileID

    /// The text of a scalar.
    package var text: String? { node.scalar?.text }

    /// The items of a list; none of any other value.
    package var items: [Value] { (node.items ?? []).map(with) }

    /// The fields of a mapping, in their order; none of any other value.
    package var fields: [(name: Value, value: Value)] {
      (node.entries ?? []).map { (with($0.name), with($0.value)) }
    }

    /// The value of a field; nil also if the field is given twice, because tools differ in which one counts.
    package subscript(name: String) -> Value? {
      let found = (node.entries ?? []).filter { $0.text == name }
      return found.count == 1 ? with(found[0].value) : nil
    }

    /// The field itself, from its name to the end of its value.
    package func place(of name: String) -> Place? {
      node[name].map { lines.place(of: $0.name.range, in: file) }
    }

    package var place: Place { lines.place(of: node.range, in: file) }

    private func with(_ node: YAMLTree.Node) -> Value { Value(node: node, lines: lines, file: file) }
  }
}

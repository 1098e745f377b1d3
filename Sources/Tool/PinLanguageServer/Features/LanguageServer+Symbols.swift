struct DocumentSymbol: Encodable {
  var name: String
  var detail: String?
  /// 18 for lists, 19 for mappings, 20 for keys.
  var kind: Int
  var range: WireRange
  var selectionRange: WireRange
  var children: [DocumentSymbol]?
}

extension LanguageServer {
  /// The keys, key sets and hosts of a file, below the fields that hold them.
  func symbols(_ given: DocumentParameters) -> [DocumentSymbol] {
    guard let path = DocumentAddress.path(of: given.textDocument.uri), let document = documents[path],
      project(of: path) != nil
    else { return [] }
    let lines = document.text
    let outline = outline(of: path, lines.bytes)
    let families = Dictionary(grouping: outline.nodes.indices) { outline.nodes[$0].parent }
    func symbol(_ node: Int, _ word: Outline.Word, _ detail: String?, kind: Int) -> DocumentSymbol {
      let whole = outline.nodes[node].start..<max(outline.nodes[node].end, word.span.upperBound)
      return DocumentSymbol(
        name: word.text.isEmpty ? "?" : word.text, detail: detail, kind: kind, range: lines.range(of: whole, encoding),
        selectionRange: lines.range(of: word.span, encoding))
    }
    return (families[nil] ?? []).compactMap { top in
      guard let name = outline.nodes[top].name,
        ["keys", "key-sets", "hosts", "defaults", "manifest"].contains(name.text)
      else { return nil }
      var section = symbol(top, name, nil, kind: name.text == "hosts" ? 18 : 19)
      section.children = (families[top] ?? []).compactMap { child in
        let fields = families[child] ?? []
        func field(_ name: String) -> Outline.Word? {
          fields.first { outline.nodes[$0].name?.text == name }.flatMap { outline.nodes[$0].value }
        }
        switch name.text {
        case "keys":
          return outline.nodes[child].name.map { symbol(child, $0, (field("file") ?? field("pin"))?.text, kind: 20) }
        case "key-sets": return outline.nodes[child].name.map { symbol(child, $0, nil, kind: 18) }
        case "hosts":
          guard let host = field("host") else { return nil }
          let detail = [field("port").map { "port " + $0.text }, field("mode")?.text, field("keys")?.text]
          return symbol(child, host, detail.compactMap { $0 }.joined(separator: ", "), kind: 19)
        default: return nil
        }
      }
      return section
    }
  }
}

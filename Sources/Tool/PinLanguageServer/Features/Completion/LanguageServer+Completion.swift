import Diagnostics
import PinFormat
import PinPolicy

extension LanguageServer {
  /// What may be written at a place.
  func completion(_ given: PlaceParameters) -> CompletionList {
    guard let place = place(given), let cursor = OutlineCursor(Array(place.lines.bytes[..<place.offset]))
    else { return CompletionList(items: []) }
    let meaning = meaning(of: place.root)
    switch cursor.role {
    case .comment(let start): return list(suppression(at: place, from: start), at: place)
    case .value:
      let values = ValueProposals(meaning: meaning, now: settings.clock())
      let found = values.proposals(at: cursor.path) { files(for: cursor.prefix.text, at: place) }
      return list((found, replaced(cursor, at: place)), at: place, needsSpace: cursor.needsSpace)
    case .start: return start(cursor, place, meaning)
    }
  }

  /// Where a field or an item may begin.
  private func start(_ cursor: OutlineCursor, _ place: AskedPlace, _ meaning: Meaning?) -> CompletionList {
    guard let field = FieldSchema.at(cursor.path) else { return CompletionList(items: []) }
    let indent = place.offset - place.lines.lineStart(of: place.offset) - cursor.prefix.span.count
    var found: [Proposal] = []
    if !field.fields.isEmpty {
      found = FieldProposals(schema: field, present: present(cursor, at: place)).proposals
    } else if field.item != nil, cursor.isNewLine {
      found = items(of: cursor.path, meaning, place)
    } else if cursor.path.last == .item || field.item != nil {
      let path = cursor.path.last == .item ? cursor.path : cursor.path + [.item]
      let values = ValueProposals(meaning: meaning, now: settings.clock())
      found = values.proposals(at: path) { files(for: cursor.prefix.text, at: place) }
    }
    if capabilities.takesSnippets, !cursor.isFlow {
      let sets = meaning?.policy.keySets.filter { !$0.isInline }.map(\.name) ?? []
      if cursor.path == [.field("hosts")], cursor.isNewLine {
        found.insert(FieldProposals.hostEntry(indent: indent + 2, behindDash: false, sets: sets), at: 0)
      } else if cursor.path == [.field("hosts"), .item], cursor.siblings.isEmpty {
        found.insert(FieldProposals.hostEntry(indent: indent, behindDash: true, sets: sets), at: 0)
      }
    }
    return list((found, replaced(cursor, at: place)), at: place)
  }

  /// Items of a list in lines, each behind its dash.
  private func items(of path: [Outline.Step], _ meaning: Meaning?, _ place: AskedPlace) -> [Proposal] {
    let values = ValueProposals(meaning: meaning, now: settings.clock())
    return values.proposals(at: path + [.item]) { files(for: "", at: place) }.map { value in
      var item = value
      item.text = "- " + (value.text ?? value.label)
      return item
    }
  }

  /// The fields that the mapping has already, in front of the cursor and behind it.
  private func present(_ cursor: OutlineCursor, at place: AskedPlace) -> Set<String> {
    var present = Set(cursor.siblings)
    // The cut text ends at the cursor, so the fields after it are found in the whole text.
    let whole = place.outline
    let beside = whole.nodes.indices.last { node in
      whole.nodes[node].kind == .field && whole.nodes[node].start < place.offset
        && whole.nodes[node].name.map { present.contains($0.text) } == true
        && whole.path(of: whole.nodes[node].parent) == cursor.path
    }
    if let beside {
      for node in whole.children(of: whole.nodes[beside].parent) {
        if let name = whole.nodes[node].name, !name.touches(place.offset) { present.insert(name.text) }
      }
    }
    return present
  }

  // MARK: Files

  /// The files beside the policy that a path could name, from the folder that has been typed.
  private func files(for prefix: String, at place: AskedPlace) -> [Proposal] {
    let typed = prefix.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let folder = typed.isEmpty ? "" : typed + "/"
    // By convention, key files are in `keys/`.
    let folders = typed.isEmpty ? ["", "keys/"] : [folder]
    let marker = "x"
    return folders.flatMap { folder -> [Proposal] in
      guard let inside = resolve(folder + marker, from: place.path, in: place.root) else { return [] }
      let entries = PolicyDirectory.names(in: String(inside.dropLast(marker.count)), of: place.root)
      return entries.prefix(2_000).compactMap { entry in
        if entry.isFolder { return Proposal(label: folder + entry.name + "/", kind: .folder) }
        guard !PolicyDirectory.isPolicyFile(entry.name) else { return nil }
        return Proposal(label: folder + entry.name, kind: .file)
      }
    }
  }

  // MARK: Suppressions

  /// `# pintle:allow` in a comment, and the codes behind it.
  private func suppression(at place: AskedPlace, from start: Int) -> ([Proposal], Range<Int>) {
    let bytes = place.lines.bytes
    let typed = String(decoding: bytes[start..<place.offset], as: UTF8.self)
    let words = typed.dropFirst().split(separator: " ", omittingEmptySubsequences: false).drop { $0.isEmpty }
    let last = words.last.map(String.init) ?? ""
    let code = last.split(separator: ",", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    let span = place.offset - code.utf8.count..<place.offset
    guard words.first == "pintle:allow" else {
      guard words.count <= 1, capabilities.takesSnippets else { return ([], span) }
      let until = String("\(settings.clock().adding(seconds: 182 * 86_400))".prefix(10))
      let text = "pintle:allow ${1:P000} until ${2:\(until)}: ${3:reason}"
      let whole = place.offset - last.utf8.count..<place.offset
      return (
        [
          Proposal(
            label: "pintle:allow", kind: .snippet, detail: "Accept a finding of this line for a time", text: text,
            isSnippet: true)
        ], whole
      )
    }
    guard words.count == 2 || words.count > 2 && words.dropLast().last?.hasSuffix(",") == true else {
      return ([], span)
    }
    return (ValueProposals.ruleCodes, span)
  }

  // MARK: Edits

  /// The bytes that a proposal takes the place of: what was typed of the word, and the rest of it behind the cursor.
  private func replaced(_ cursor: OutlineCursor, at place: AskedPlace) -> Range<Int> {
    let start = cursor.prefix.span.lowerBound
    guard !cursor.prefix.text.isEmpty, let spot = place.outline.spot(at: place.offset),
      spot.word.span.lowerBound == start
    else { return start..<place.offset }
    // An existing colon stays.
    return spot.role == .field ? start..<place.offset : spot.word.span
  }

  private func list(_ found: ([Proposal], Range<Int>), at place: AskedPlace, needsSpace: Bool = false) -> CompletionList
  {
    let range = place.lines.range(of: found.1, encoding)
    return CompletionList(
      items: found.0.enumerated().map { number, proposal in
        var item = CompletionItem(
          label: proposal.label, kind: proposal.kind, detail: proposal.detail.map(VisibleText.of))
        item.documentation = proposal.documentation.map { MarkupContent($0) }
        item.sortText = String(repeating: "0", count: max(0, 5 - String(number).count)) + String(number)
        if proposal.isSnippet { item.insertTextFormat = 2 }
        item.textEdit = TextEdit(range: range, newText: (needsSpace ? " " : "") + (proposal.text ?? proposal.label))
        return item
      })
  }
}

/// Proposes the fields of a mapping.
struct FieldProposals {
  let schema: FieldSchema
  let present: Set<String>

  var proposals: [Proposal] {
    schema.fields.filter { !present.contains($0.name) }.map { name, field in
      Proposal(
        label: name, kind: .field, detail: field.title, documentation: FieldHover.text(name, field), text: name + ": ")
    }
  }

  /// A whole host entry, where one may begin.
  static func hostEntry(indent: Int, behindDash: Bool, sets: [String]) -> Proposal {
    let margin = String(repeating: " ", count: indent)
    let choice = sets.isEmpty ? "${2:key-set}" : "${2|" + sets.prefix(50).joined(separator: ",") + "|}"
    return Proposal(
      label: "host entry", kind: .snippet, detail: "A host and its keys",
      documentation: "A host entry with the fields that nearly every one has.",
      text: (behindDash ? "" : "- ") + "host: ${1:api.example.com}\n\(margin)keys: " + choice + "$0", isSnippet: true)
  }
}

struct CompletionItem: Encodable {
  /// The numbers of the protocol's `CompletionItemKind`.
  enum Kind: Int, Encodable {
    case field = 5
    case value = 12
    case keyword = 14
    case snippet = 15
    case file = 17
    case reference = 18
    case folder = 19
    case enumMember = 20
  }

  var label: String
  var kind: Kind
  var detail: String?
  var documentation: MarkupContent?
  /// Orders the list.
  var sortText: String?
  /// 2 for a snippet.
  var insertTextFormat: Int?
  var textEdit: TextEdit?
}

struct CompletionList: Encodable {
  var isIncomplete = false
  var items: [CompletionItem]
}

/// A proposal, before it is known what it replaces.
struct Proposal {
  var label: String
  var kind: CompletionItem.Kind
  var detail: String?
  var documentation: String?
  /// The inserted text; the label unless given.
  var text: String?
  var isSnippet = false
}

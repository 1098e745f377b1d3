import Diagnostics
import PinFormat

/// All of a file that its layout must not change.
struct FormatMeaning: Hashable {
  /// A value; the fields of a mapping in order of name, since theirs says nothing.
  private indirect enum Value: Hashable {
    case scalar(String)
    case list([Value])
    case mapping([Field])
  }

  private struct Field: Hashable {
    var name: String
    var value: Value
  }

  /// A suppression, and what begins on its line.
  private struct Accepted: Hashable {
    var text: String
    var beside: [String]
  }

  private let root: Value
  /// How often each comment is in the file.
  private let comments: [String: Int]
  private let suppressions: [Accepted: Int]
  /// How often reading the file finds what; a text with quotes and one without aren't always the same to it.
  private let problems: [PolicyProblem.Kind: Int]

  init(_ bytes: [UInt8]) throws(PolicyEditError) {
    let (_, problems) = PolicyReader.read(bytes, file: FileID(0))
    self.problems = problems.reduce(into: [:]) { counts, problem in
      if problem.kind != .tab { counts[problem.kind, default: 0] += 1 }
    }
    let tree = try YAMLTree(bytes)
    root = Self.value(tree.root)
    comments = tree.comments.reduce(into: [:]) { $0[Self.words(bytes[$1]), default: 0] += 1 }
    suppressions = Self.suppressions(in: tree)
  }

  private static func value(_ node: YAMLTree.Node) -> Value {
    switch node.content {
    case .scalar(let scalar): .scalar(scalar.text)
    case .list(let items): .list(items.map(value))
    case .mapping(let entries):
      .mapping(
        entries.enumerated()
          .sorted { ($0.element.text ?? "", $0.offset) < ($1.element.text ?? "", $1.offset) }
          .map { Field(name: $0.element.text ?? "", value: value($0.element.value)) })
    }
  }

  /// A comment's text without white space at its end.
  private static func words(_ bytes: ArraySlice<UInt8>) -> String {
    var bytes = bytes
    while let last = bytes.last, EditedText.isSpace(last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func suppressions(in tree: YAMLTree) -> [Accepted: Int] {
    let marked = tree.comments.filter { words(tree.bytes[$0]).contains("pintle:") }
    guard !marked.isEmpty else { return [:] }
    var texts: [Int: [String]] = [:]
    let text = EditedText(tree)
    func collect(_ node: YAMLTree.Node) {
      switch node.content {
      case .scalar(let scalar): texts[text.lineStart(node.range.lowerBound), default: []].append(scalar.text)
      case .list(let items): for item in items { collect(item) }
      case .mapping(let entries):
        for entry in entries {
          collect(entry.name)
          collect(entry.value)
        }
      }
    }
    collect(tree.root)
    return marked.reduce(into: [:]) { counts, comment in
      let beside = texts[text.lineStart(comment.lowerBound), default: []].filter { !$0.isEmpty }.sorted()
      counts[Accepted(text: words(tree.bytes[comment]), beside: beside), default: 0] += 1
    }
  }
}

import Diagnostics
import PinFormat

/// All that a policy file says, without the places at which it says it: what an edit may change in one respect only.
package struct FileMeaning: Hashable {
  /// A suppression by what it says.
  private struct Accepted: Hashable {
    var code: String
    var until: Instant
    var reason: String
  }

  private var root: PlainValue
  /// The texts of the comments, and how often each is in the file.
  private let comments: [String: Int]
  private let suppressions: [Accepted: Int]

  /// - Throws: ``PolicyEditError/unreadable`` where the file has mistakes; a tab isn't one here.
  init(_ bytes: [UInt8]) throws(PolicyEditError) {
    let (file, problems) = PolicyReader.read(bytes, file: FileID(0))
    guard problems.allSatisfy({ $0.kind == .tab }) else { throw .unreadable }
    let tree = try YAMLTree(bytes)
    root = PlainValue(tree.root)
    comments = tree.comments.reduce(into: [:]) {
      $0[String(decoding: bytes[$1], as: UTF8.self), default: 0] += 1
    }
    suppressions = file.suppressions.reduce(into: [:]) {
      $0[Accepted(code: $1.code, until: $1.until, reason: $1.reason), default: 0] += 1
    }
  }

  /// Whether two texts of a policy file say the same; comments and layout say nothing, suppressions do.
  ///
  /// A file with mistakes says the same as its very bytes only.
  package static func areSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one != other else { return true }
    guard let left = try? FileMeaning(one), let right = try? FileMeaning(other) else { return false }
    return left.root == right.root && left.suppressions == right.suppressions
  }

  /// Makes the change that an edit asks for, in the meaning alone.
  mutating func make(_ edit: PolicyEdit) throws(PolicyEditError) {
    switch edit {
    case .add(let key, let list, let set):
      root[set.path + [.field(list.rawValue)]] = .list(try items(list, of: set) + [.name(key)])
    case .remove(let key, let list, let set):
      root[set.path + [.field(list.rawValue)]] = .list(try items(list, of: set).filter { $0.text != key })
    case .move(let key, let list, let set):
      try make(.remove(key: key, from: list, of: set))
      try make(.add(key: key, to: list.other, of: set))
    case .addAnchor(let path, let owner):
      let anchors = owner.path + [.field("trust"), .field("anchors")]
      guard case .list(let items)? = root[anchors] else { throw .noTarget("'anchors:'") }
      root[anchors] = .list(items + [.name(path)])
    case .set(let field, let value, let key):
      let isQuoted = PolicyEdit.isText(field) && ScalarText.unmistakable(value, inFlow: true) != value
      root[PlainValue.path(toKey: key) + field.map { .field($0) }] = .scalar(value, isQuoted ? .quoted : .plain)
    case .unset(let field, let key):
      let path = PlainValue.path(toKey: key) + field.map { .field($0) }
      root[path] = nil
      // A mapping without fields is removed with its last field.
      if field.count > 1, root[path.dropLast()] == .mapping([:]) { root[path.dropLast()] = nil }
    }
  }

  private func items(_ list: PolicyEdit.List, of set: PolicyEdit.KeySet) throws(PolicyEditError) -> [PlainValue] {
    guard root[set.path[...]] != nil else { throw .noTarget(set.label) }
    guard case .list(let items)? = root[set.path + [.field(list.rawValue)]] else { return [] }
    return items
  }
}

package import Diagnostics

extension PolicyEdit.KeySet {
  var path: [PlainValue.Step] {
    switch self {
    case .named(let name): [.field("key-sets"), .field(name)]
    case .ofHost(let number): [.field("hosts"), .item(number), .field("keys")]
    }
  }

  /// The set as messages name it.
  var label: String {
    switch self {
    case .named(let name): "key set '\(name)'"
    case .ofHost: "host entry with a key set of its own"
    }
  }
}

extension YAMLTree {
  /// The mapping of a key set.
  func mapping(of set: PolicyEdit.KeySet) throws(PolicyEditError) -> Node {
    try mapping(at: set.path, set.label)
  }

  /// The mapping of a key.
  func mapping(ofKey name: String) throws(PolicyEditError) -> Node {
    try mapping(at: PlainValue.path(toKey: name), "key '\(name)'")
  }

  private func mapping(at path: [PlainValue.Step], _ label: String) throws(PolicyEditError) -> Node {
    var node = root
    for step in path {
      let next =
        switch step {
        case .field(let name): node[name]?.value
        case .item(let number): node.items.flatMap { $0.indices.contains(number) ? $0[number] : nil }
        }
      guard let next else { throw .noTarget(label) }
      node = next
    }
    guard node.entries != nil else { throw .noTarget(label) }
    return node
  }
}

/// Edits of a policy's files, by file.
package struct PolicyEdits: Sendable {
  /// In the order in which they must be made.
  package private(set) var byFile: [FileID: [PolicyEdit]] = [:]

  package init() {}

  package mutating func add(_ edit: PolicyEdit, in file: FileID) {
    byFile[file, default: []].append(edit)
  }
}

extension Policy {
  /// A key set of the policy as edits name it, and the file that it is in.
  package func target(ofKeySet number: Int) -> (file: FileID, set: PolicyEdit.KeySet)? {
    let set = keySets[number]
    guard set.isInline else { return (set.place.file, .named(set.name)) }
    guard let file = files.first(where: { $0.id == set.place.file }) else { return nil }
    let host = file.hosts.firstIndex { host in
      if case .inline(let inline)? = host.keys { inline.place == set.place } else { false }
    }
    return host.map { (file.id, .ofHost($0)) }
  }
}

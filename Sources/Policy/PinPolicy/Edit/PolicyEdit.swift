import Diagnostics

/// One change of a policy file's text, which leaves every byte alone that it isn't about.
package enum PolicyEdit: Hashable, Sendable {
  /// The two lists of a key set.
  package enum List: String, Hashable, Sendable {
    case active
    case backup

    package var other: List { self == .active ? .backup : .active }
  }

  /// A key set of a file.
  package enum KeySet: Hashable, Sendable {
    /// An entry of `key-sets:`.
    case named(String)
    /// The set inside an entry.
    case inline(Owner)
  }

  /// What has a key set or trust settings of its own.
  package enum Owner: Hashable, Sendable {
    /// The defaults of the file, or those that one audience has for all files.
    case defaults(audience: String?)
    /// A host entry, by its index in `hosts:`.
    case host(Int)
    /// An overlay, by its index in those of an audience.
    case overlay(Int, audience: String)
  }

  /// Puts a key at the end of a list, which is added where the set has none.
  case add(key: String, to: List, of: KeySet)
  /// Removes a key from a list; one that is left empty is written `[]`.
  case remove(key: String, from: List, of: KeySet)
  /// Moves a key from one list to the end of the other, with the comment on its line.
  case move(key: String, from: List, of: KeySet)
  /// Puts a file at the end of `anchors:`.
  case addAnchor(path: String, to: Owner)
  /// Sets a key's field: `status`, `denied`, or `steps` and one of its dates.
  case set(_ field: [String], to: String, ofKey: String)
  /// Removes a key's field.
  case unset(_ field: [String], ofKey: String)

  /// Makes changes to a file.
  ///
  /// Comments stay where they are, or go along with the key on whose line they are. The result is read again, and
  /// says what was asked and nothing else that is new.
  ///
  /// - Throws: ``PolicyEditError`` where that can't be done.
  package static func apply(_ edits: [PolicyEdit], to bytes: [UInt8]) throws(PolicyEditError) -> [UInt8] {
    let before = try FileMeaning(bytes)
    var text = bytes
    // Add before removing: a list whose only key is replaced is never empty, so it keeps its layout.
    let steps = edits.flatMap(\.steps)
    for var phase in [steps.filter { !$0.isRemoval }, steps.filter(\.isRemoval)] {
      while !phase.isEmpty { text = try make(firstOf: &phase, in: text) }
    }
    var expected = before
    for edit in edits { try expected.make(edit) }
    guard try FileMeaning(text) == expected else { throw .unfaithful }
    return text
  }

  /// Makes the first step of each key and key set, and removes it from the list: the text is read again only for
  /// further steps of the same ones, and not for each of thousands of key sets that hold one key.
  private static func make(
    firstOf steps: inout [EditStep], in bytes: [UInt8]
  ) throws(PolicyEditError) -> [UInt8] {
    var text = try EditedText(bytes)
    var seen: Set<EditStep.Target> = []
    var later: [EditStep] = []
    for step in steps {
      guard seen.insert(step.target).inserted else {
        later.append(step)
        continue
      }
      try step.make(in: &text)
    }
    if text.changes == nil {
      // Two changes touch each other, so one has to be made first.
      text = try EditedText(bytes)
      try steps[0].make(in: &text)
      later = Array(steps.dropFirst())
    }
    steps = later
    return text.result()
  }

  /// A name or path as a scalar: in quotes if editors would read it as a number, or YAML as something else.
  static func written(_ name: String) -> [UInt8] {
    let isNumber = name.utf8.first.map { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } == true
    let isPlain = !isNumber && ScalarText.isPlain(name, inFlow: true)
    return Array((isPlain ? name : ScalarText.quoted(name)).utf8)
  }

  /// Whether a key's field is a text that people write, in quotes if it has to be.
  static func isText(_ field: [String]) -> Bool { field == ["denied"] }

  /// The parts that are made one by one.
  private var steps: [EditStep] {
    switch self {
    case .add(let key, let list, let set): [.append(key: key, list: list, set: set, isMoved: false)]
    case .remove(let key, let list, let set): [.drop(key: key, list: list, set: set, isMoved: false)]
    case .move(let key, let list, let set):
      [
        .append(key: key, list: list.other, set: set, isMoved: true),
        .drop(key: key, list: list, set: set, isMoved: true),
      ]
    case .addAnchor(let path, let owner): [.appendAnchor(path, owner)]
    case .set(let field, let value, let key):
      [.set(field, Self.isText(field) ? ScalarText.unmistakable(value, inFlow: true) : value, key: key)]
    case .unset(let field, let key): [.unset(field, key: key)]
    }
  }
}

/// Why a policy file can't be edited as asked; it is then left as it is.
package enum PolicyEditError: Error, Hashable, Sendable {
  /// The file has mistakes: what is where is not certain.
  case unreadable
  /// The file has no such key, key set or host entry with a set of its own.
  case noTarget(String)
  /// The list already has the key.
  case alreadyListed(key: String, list: String)
  /// The list doesn't have the key.
  case notListed(key: String, list: String)
  /// The key has no such field.
  case noField(String)
  /// The text is laid out in a way that no edit is known for.
  case layout(String)
  /// The edited text would say something else than was asked, or would lose a comment.
  case unfaithful

  /// What is in the way, as one clause.
  package var message: String {
    switch self {
    case .unreadable: "it has errors that must be fixed first"
    case .noTarget(let name): "it has no \(name)"
    case .alreadyListed(let key, let list): "'\(list)' already lists '\(key)'"
    case .notListed(let key, let list): "'\(list)' doesn't list '\(key)'"
    case .noField(let name): "there is no '\(name)' to remove"
    case .layout(let reason): reason
    case .unfaithful: "the edit would change more than was asked"
    }
  }
}

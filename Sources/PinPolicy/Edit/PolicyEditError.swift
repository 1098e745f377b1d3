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

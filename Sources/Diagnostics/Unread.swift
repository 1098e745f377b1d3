/// A part of what a command was given that it couldn't read, and so doesn't know.
package struct Unread: Hashable, Sendable {
  package var place: Place
  /// Why it can't be read, as the rest of a sentence about it: `has 30 characters of Base64, not 43`.
  package var reason: String

  package init(at place: Place, _ reason: String) {
    self.place = place
    self.reason = reason
  }
}

/// A change of the policy's text that repairs a finding.
package struct Fix: Hashable, Sendable {
  /// Whether anybody has to look at it before it is made.
  package enum Safety: String, Hashable, Sendable {
    /// The policy means what it meant, or what it can only have meant: `pintle check --fix` makes it.
    case safe
    /// It decides something that only a person can: editors offer it, and nothing makes it unasked.
    case suggested
  }

  /// A range of the text and its replacement; an empty range is where to insert.
  package struct Edit: Hashable, Sendable {
    package var place: Place
    package var text: String

    package init(replacing place: Place, with text: String) {
      self.place = place
      self.text = text
    }
  }

  /// What it does, as an instruction without a full stop: `write 'api.example.com'`.
  package var title: String
  package var safety: Safety
  /// In order of place; no two of them meet.
  package var edits: [Edit]

  package init(_ title: String, _ safety: Safety, edits: [Edit]) {
    self.title = title
    self.safety = safety
    self.edits = edits
  }
}

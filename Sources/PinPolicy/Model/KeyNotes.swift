package import Diagnostics
package import PinFormat

/// What a policy says of a key beside its name and where its pin comes from: of many keys nothing.
package struct KeyNotes: Sendable {
  package var position: Located<KeyPosition>?
  /// Why the key is denied.
  package var denied: Located<String>?
  /// Who holds the private key, and where.
  package var custody: Located<String>?
  package var created: Located<Instant>?
  /// Where the key is in its life, by its owners' word.
  package var status: Located<KeyStatus>?
  /// When the next steps of its life are planned.
  package var steps: KeySteps {
    get { dated ?? KeySteps() }
    set { dated = newValue }
  }
  @Rare private var dated: KeySteps?
  package var reason: Located<String>?

  package init() {}
}

/// The one case that proves a finding about clients: who connects to what, when, and the result.
package struct Witness: Hashable, Sendable {
  /// A certificate's place in the chain, and what its key is called.
  package struct Link: Hashable, Sendable {
    /// `leaf`, `intermediate` or `root`.
    package var position: String
    /// The pin, or nil for a key that isn't known.
    package var pin: String?
    /// The key's name in a policy or manifest, where it has one.
    package var name: String?

    package init(position: String, pin: String?, name: String?) {
      self.position = position
      self.pin = pin
      self.name = name
    }
  }

  /// The result.
  package enum Outcome: String, Hashable, Sendable {
    /// The client goes away: it is locked out.
    case blocked
    /// The client goes on, whatever key it is shown: it is not protected.
    case admitted
  }

  /// The clients, by the release that they run: `serial 7`, `this policy`.
  package var client: String
  /// The release's serial; nil where it isn't released.
  package var serial: Int64?
  /// When those clients may have got it, in RFC 3339.
  package var released: String
  /// A kind of client among those, such as a trust store's name; nil where all are alike.
  package var kind: String?
  /// What they ask: `api.example.com:443`.
  package var host: String
  /// The first instant at which it is so, in RFC 3339.
  package var instant: String
  /// The last such instant's successor, in RFC 3339; nil where it doesn't end by itself.
  package var until: String?
  /// Where the connection ends up, such as an address; nil where there is one place.
  package var place: String?
  /// What they are shown, from the leaf to the anchor; empty where trust evaluation gives no chain.
  package var chain: [Link]
  package var outcome: Outcome
  /// Why it comes to that: one clause.
  package var reason: String

  package init(
    client: String, serial: Int64?, released: String, kind: String?, host: String, instant: String, until: String?,
    place: String?, chain: [Link], outcome: Outcome = .blocked, reason: String
  ) {
    self.client = client
    self.serial = serial
    self.released = released
    self.kind = kind
    self.host = host
    self.instant = instant
    self.until = until
    self.place = place
    self.chain = chain
    self.outcome = outcome
    self.reason = reason
  }
}

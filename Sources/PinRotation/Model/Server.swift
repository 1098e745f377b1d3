package import PinFormat

/// A host and port that clients ask, and what they are shown there as time goes on.
package struct Server: Sendable {
  package var host: HostName
  package var port: UInt16
  /// In order of ``ServerPhase/begin``; the first begins at or before the scenario's now.
  package var phases: [ServerPhase]

  package init(host: HostName, port: UInt16, phases: [ServerPhase]) {
    self.host = host
    self.port = port
    self.phases = phases
  }

  /// `api.example.com:443`.
  package var label: String { HostLabel.text(host: host, port: port) }
}

/// What a server presents from one instant until the next phase begins.
package struct ServerPhase: Sendable {
  /// How it is known what is presented.
  package enum Source: Hashable, Sendable {
    /// Recorded evidence. A client is locked out where every landing is blocked, in part where some are.
    case observed
    /// Nobody looked: any one of the landings may be what the server presents, so each that is blocked locks out.
    case assumed
    /// A change that somebody planned; as with ``observed``.
    case planned
    /// What is left to present after a key was lost; as with ``observed``. Where nothing known is left, it is a chain of
    /// which nothing is known: a new certificate for a new key can always be had.
    case afterLoss
  }

  package var begin: Instant
  package var source: Source
  /// One for each kind of client that is shown something else: a trust store, a path among cross-signed ones.
  package var views: [ClientView]
  /// The same for releases, by their index in the scenario, whose `trust` leads to other chains; mostly empty.
  package var otherViews: [Int: [ClientView]]

  package init(begin: Instant, source: Source, views: [ClientView], otherViews: [Int: [ClientView]] = [:]) {
    self.begin = begin
    self.source = source
    self.views = views
    self.otherViews = otherViews
  }

  /// What the clients of a release are shown.
  package func views(ofRelease number: Int) -> [ClientView] { otherViews.isEmpty ? views : otherViews[number] ?? views }
}

/// What one kind of client is shown.
package struct ClientView: Hashable, Sendable {
  /// As messages name the kind, such as a trust store's name; nil where all clients are alike.
  package var kind: String?
  /// Where a connection may end up, each chain once; empty where nothing is known, and then nothing is said.
  package var landings: [Landing]

  package init(kind: String? = nil, landings: [Landing]) {
    self.kind = kind
    self.landings = landings
  }
}

/// A place where a connection may end up, and what a client makes of the chain there.
package struct Landing: Hashable, Sendable {
  /// What trust evaluation comes to.
  package enum Trust: Hashable, Sendable {
    /// It gives this chain; where an exception excuses a failure, until the exception ends.
    case trusted(PresentedChain, until: Instant? = nil)
    /// It fails, for a reason in one clause.
    case refused(String)
  }

  /// The address and type of key, as messages name them; nil where there is one place.
  package var place: String?
  package var trust: Trust

  package init(place: String? = nil, trust: Trust) {
    self.place = place
    self.trust = trust
  }
}

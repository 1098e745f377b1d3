package import PinFormat
package import PinValidator

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
    /// Nobody looked: any one of the landings may be what the server presents.
    case assumed
    /// A change that somebody planned.
    case planned
    /// What is left to present after a key was lost; as with ``observed``. Where nothing known is left, it is a chain of
    /// which nothing is known: a new certificate for a new key can always be had.
    case afterLoss
  }

  package var begin: Instant
  package var source: Source
  /// Whether nobody knows which of the landings the server presents, so that each one that is blocked locks out: where
  /// it is only assumed what is presented, and behind a planned change of that.
  package var isUncertain: Bool
  /// One for each kind of client that is shown something else: a trust store, a path among cross-signed ones.
  package var views: [ClientView]
  /// The same for releases, by their index in the scenario, whose `trust` leads to other chains; mostly empty.
  package var otherViews: [Int: [ClientView]]

  package init(
    begin: Instant, source: Source, isUncertain: Bool? = nil, views: [ClientView], otherViews: [Int: [ClientView]] = [:]
  ) {
    self.begin = begin
    self.source = source
    self.isUncertain = isUncertain ?? (source == .assumed)
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
  /// Where a connection may end up, each chain once; empty if nothing is known, and then nothing is reported.
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
    /// It gives this chain, until an exception that excuses a failure ends, or a certificate that nobody can renew.
    case trusted(PresentedChain, until: TrustEnd? = nil)
    /// It fails, for a reason in one clause. The chain has the keys whose signatures verify, and ends in nil where it
    /// leads to no self-signed certificate: then it is not known what is above. The failures tell whether another
    /// release's clients have the same ones.
    case refused(String, PresentedChain, failures: Set<TrustFailure> = [])

    /// The chain that pins are matched with, whatever trust evaluation says.
    package var chain: PresentedChain {
      switch self {
      case .trusted(let chain, _), .refused(_, let chain, _): chain
      }
    }

    /// The same of another chain.
    func with(_ chain: PresentedChain) -> Self {
      switch self {
      case .trusted(_, let until): .trusted(chain, until: until)
      case .refused(let reason, _, let failures): .refused(reason, chain, failures: failures)
      }
    }

    /// Whether the server shows a chain of which it isn't known where it ends.
    package var hasUnknownEnd: Bool {
      if case .refused(_, let chain, _) = self { chain.pins.last.flatMap(\.self) == nil } else { false }
    }
  }

  /// The address and type of key, as messages name them; nil where there is one place.
  package var place: String?
  /// Only a ``ServerJudge`` changes it, by what the clients' validator answers.
  package internal(set) var trust: Trust
  package internal(set) var setup: ServerSetup
  /// What the server presents to clients of other releases, and another leaf takes the rest of; nil for the same chain.
  ///
  /// It is another one if the path ends at an anchor of this release below the others' end. And if the certificate of
  /// the leaf's key shows issuers that are denied: the next has others.
  var usual: PresentedChain?

  /// What the clients' validator answered: of a chain in evidence, or of an ``UnseenChain``, as a ``ServerJudge`` asks.
  package init(place: String? = nil, judged trust: Trust, setup: ServerSetup = .usual) {
    self.place = place
    self.trust = trust
    self.setup = setup
  }

  /// The chain, whatever this release's clients make of its end.
  var shown: PresentedChain { usual ?? trust.chain }
}

/// A chain that nobody has seen, and that no client has judged yet: a ``ServerJudge`` makes a landing of it.
package struct UnseenChain: Hashable, Sendable {
  /// As of the landing.
  package var place: String?
  package var chain: PresentedChain
  package var setup: ServerSetup

  package init(place: String? = nil, _ chain: PresentedChain, _ setup: ServerSetup = .usual) {
    self.place = place
    self.chain = chain
    self.setup = setup
  }

  /// Of which nothing is known.
  package static let unknown = UnseenChain(PresentedChain([nil, nil]))
}

/// Why trust evaluation fails from an instant on.
package struct TrustEnd: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case exception
    /// A certificate that releases carry, by a clause: `the anchor 'Example Root' expires`.
    case certificate(String)
  }

  package var instant: Instant
  package var reason: Reason

  package init(_ instant: Instant, _ reason: Reason) {
    self.instant = instant
    self.reason = reason
  }

  var obstacle: Lockout.Obstacle {
    switch reason {
    case .exception: .exceptionEnded
    case .certificate(let clause): .untrusted(clause)
    }
  }
}

/// The validated chain that a client builds of what a server presents, as far as a decision sees it: its keys.
package struct PresentedChain: Hashable, Sendable {
  /// From the leaf to the anchor, at least one; nil stands for a key that is neither known nor pinned nor denied.
  ///
  /// A planned change says which key a server will present, and nothing of the others in its chain.
  package var pins: [Pin?]

  package init(_ pins: [Pin?]) {
    self.pins = pins
  }
}

extension PresentedChain: PinnedChain {
  package var certificateCount: Int { pins.count }

  package func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? {
    pins[number]?.digest ?? Self.unknownKey
  }

  /// Stands for a key that nobody knows: 32 bytes that no SPKI is known to hash to.
  private static let unknownKey = SHA256Digest(InlineArray<32, UInt8>(repeating: 0xA5))
}

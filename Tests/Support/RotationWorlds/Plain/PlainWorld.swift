package import PinFormat

/// A world of the rotation model, written down plainly: numbers for instants and keys, no manifest and no engine.
///
/// An instant is a number of ticks; a key is a number from 1 up, and 0 stands for one that nobody knows. Written so
/// that a world can be printed as Swift and pasted back as a test case.
package struct PlainWorld: Hashable, Sendable {
  package var now: Int
  /// Not looked at any more.
  package var end: Int
  package var window: Int
  package var releases: [PlainRelease]
  package var servers: [PlainServer]
  /// The known keys above an intermediate, from the lowest up, for each path.
  package var issuers: [Int: [[Int]]]

  package init(
    now: Int = 0, end: Int, window: Int, releases: [PlainRelease], servers: [PlainServer], issuers: [Int: [[Int]]] = [:]
  ) {
    self.now = now
    self.end = end
    self.window = window
    self.releases = releases
    self.servers = servers
    self.issuers = issuers
  }
}

/// A release: what its manifest says, and when it came out.
package struct PlainRelease: Hashable, Sendable {
  package enum Origin: Hashable, Sendable { case released, candidate, planned }

  package var issued: Int
  package var origin: Origin
  package var entries: [PlainEntry]
  package var denied: [Int]
  /// When the manifest goes stale; nil for long after any end.
  package var expires: Int?
  package var onStale: ExpiryAction
  package var deniesUnpinned: Bool

  package init(
    _ origin: Origin, issued: Int, _ entries: [PlainEntry], denied: [Int] = [], expires: Int? = nil,
    onStale: ExpiryAction = .enforce, deniesUnpinned: Bool = false
  ) {
    self.issued = issued
    self.origin = origin
    self.entries = entries
    self.denied = denied
    self.expires = expires
    self.onStale = onStale
    self.deniesUnpinned = deniesUnpinned
  }
}

/// A host entry.
package struct PlainEntry: Hashable, Sendable {
  package var host: String
  package var port: Int?
  package var subdomains: Bool
  package var mode: Mode
  package var keys: [PlainKey]
  package var requirement: Requirement
  package var expires: Int?
  package var onExpiry: ExpiryAction?

  package init(
    _ host: String, port: Int? = nil, subdomains: Bool = false, _ mode: Mode = .enforce, keys: [PlainKey] = [],
    _ requirement: Requirement = .any, expires: Int? = nil, onExpiry: ExpiryAction? = nil
  ) {
    self.host = host
    self.port = port
    self.subdomains = subdomains
    self.mode = mode
    self.keys = keys
    self.requirement = requirement
    self.expires = expires
    self.onExpiry = onExpiry
  }
}

/// A key of an entry's set; a plain number stands for an active key that may stand anywhere.
package struct PlainKey: Hashable, Sendable, ExpressibleByIntegerLiteral {
  package var number: Int
  package var position: ChainPosition?
  package var isBackup: Bool

  package init(_ number: Int, _ position: ChainPosition? = nil, backup: Bool = false) {
    self.number = number
    self.position = position
    isBackup = backup
  }

  package init(integerLiteral value: Int) { self.init(value) }
}

/// A server, and what it presents as time goes on.
package struct PlainServer: Hashable, Sendable {
  package var host: String
  package var port: Int
  package var phases: [PlainPhase]

  package init(_ host: String, port: Int = 443, _ phases: [PlainPhase]) {
    self.host = host
    self.port = port
    self.phases = phases
  }
}

package struct PlainPhase: Hashable, Sendable {
  package enum Source: Hashable, Sendable { case observed, assumed, planned, afterLoss }

  package var begin: Int
  package var source: Source
  /// Whether any one of the landings may be all that is presented.
  package var isUncertain: Bool
  package var views: [PlainView]

  package init(_ source: Source, at begin: Int, isUncertain: Bool? = nil, _ views: [PlainView]) {
    self.begin = begin
    self.source = source
    self.isUncertain = isUncertain ?? (source == .assumed)
    self.views = views
  }

  /// One kind of client, and one chain.
  package init(_ source: Source, at begin: Int, _ chain: [Int]) {
    self.init(source, at: begin, [PlainView([.chain(chain)])])
  }
}

package struct PlainView: Hashable, Sendable {
  package var kind: String?
  package var landings: [PlainLanding]

  package init(kind: String? = nil, _ landings: [PlainLanding]) {
    self.kind = kind
    self.landings = landings
  }
}

package enum PlainLanding: Hashable, Sendable {
  /// Keys from the leaf to the anchor.
  case chain([Int], until: Int? = nil)
  /// Trust evaluation fails. The chain has the keys whose signatures verify; a last key of 0 stands for an end that
  /// nobody knows.
  case refused([Int] = [0])

  package var keys: [Int] {
    switch self {
    case .chain(let keys, _), .refused(let keys): keys
    }
  }
}

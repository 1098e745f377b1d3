import PinProbe

/// A policy, the releases before it and what is asked about it, written down plainly: no YAML, no manifest.
///
/// There are two hosts, 0 and 1, of which the second is a name below the first, and three keys, 1 to 3. Now is 0.
package struct PolicyWorld: Hashable, Sendable {
  /// The position that a key states.
  package enum Role: CaseIterable, Sendable { case leaf, intermediate, root, ca, unsaid }

  /// How a key set lists a key.
  package enum Listing: Sendable { case absent, active, backup }

  /// What the owners of a key say about its life.
  package enum Word: Sendable {
    case nothing
    /// `steps: { active: … }` in the past, the near future, and later.
    case servedSince, soon, later
    /// `status: active`, alone and with a step to come.
    case served, servedAndSoon
    /// An `active` step in the past and a `retiring` one after it.
    case retiring

    /// When the key becomes active.
    package var step: Int? {
      switch self {
      case .nothing, .served: nil
      case .servedSince: -10
      case .retiring: -20
      case .soon, .servedAndSoon: 10
      case .later: 20
      }
    }

    package var isServed: Bool { self == .servedSince || self == .served || self == .servedAndSoon }
  }

  /// The entry that a policy or a release has for a host; one with `mode: off` leaves out subdomains, too.
  package enum Entry: Sendable { case none, exact, subtree, off }

  /// What the policy or a release says.
  package struct Layer: Hashable, Sendable {
    /// Of host 0 and host 1.
    package var entries: [Entry]
    /// Of keys 1 to 3; both entries have the same set.
    package var keys: [Listing]
    package var wantsBoth: Bool

    package init(_ entries: [Entry] = [.exact, .none], keys: [Listing], wantsBoth: Bool = false) {
      self.entries = entries
      self.keys = keys
      self.wantsBoth = wantsBoth
    }
  }

  /// `--server HOST=KEYS@TICK`; key 0 is `unknown`.
  package struct Change: Hashable, Sendable {
    package var host: Int
    package var keys: [Int]
    package var tick: Int

    package init(_ host: Int, _ keys: [Int], at tick: Int) {
      self.host = host
      self.keys = keys
      self.tick = tick
    }
  }

  /// What was recorded of the servers.
  package enum Evidence: Sendable {
    case none
    /// Host 1 didn't answer.
    case silent
    /// Host 0 presented key 2, then ``PolicyWorld/observedIntermediate``, then key 3.
    case observed
  }

  /// A key that no layer has.
  package static let observedIntermediate = 9

  package var roles: [Role]
  package var words: [Word]
  package var policy: Layer
  /// In order of release, at most two; the keys of a layer have no words.
  package var releases: [Layer]
  /// Whether the newest release is out for longer than a window, so that nobody runs the one before it.
  package var isFirstForgotten: Bool
  package var changes: [Change]
  package var evidence: Evidence

  package init(
    roles: [Role], words: [Word] = [.nothing, .nothing, .nothing], policy: Layer, releases: [Layer] = [],
    isFirstForgotten: Bool = false, changes: [Change] = [], evidence: Evidence = .none
  ) {
    self.roles = roles
    self.words = words
    self.policy = policy
    self.releases = releases
    self.isFirstForgotten = isFirstForgotten
    self.changes = changes
    self.evidence = evidence
  }
}

/// A span in which a server presents the same.
package struct PolicyPhase: Hashable, Sendable, CustomStringConvertible {
  package var begin: Int
  package var isPlanned: Bool
  /// Whether any one of the chains may be all that is presented.
  package var isUncertain: Bool
  /// Keys from the leaf to the anchor; 0 is a key that nobody knows.
  package var chains: Set<[Int]>

  package init(begin: Int, isPlanned: Bool, isUncertain: Bool, chains: Set<[Int]>) {
    self.begin = begin
    self.isPlanned = isPlanned
    self.isUncertain = isUncertain
    self.chains = chains
  }

  package var description: String {
    let chains = chains.map { "\($0)" }.sorted().joined(separator: " ")
    return "\(begin) \(isPlanned ? "planned" : "assumed")\(isUncertain ? "?" : "") \(chains)"
  }
}

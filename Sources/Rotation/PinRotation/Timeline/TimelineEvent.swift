package import PinFormat

/// Something that happens at an instant, once for all the servers that it happens to alike.
package struct TimelineEvent: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Clients may have a release from then on.
    case release(Int)
    /// No client runs a release any more.
    case lastClientGone(release: Int)
    /// A manifest runs out while clients may run it, with what holds from then on.
    case manifestExpires(release: Int, action: ExpiryAction)
    /// Host entries run out, in the manifests of these releases, with what holds from then on.
    case entriesExpire(releases: [Int], action: ExpiryAction)
    /// An exception that excuses a failure of trust evaluation ends.
    case exceptionsEnd
    /// Servers present something else: the known keys of the chain before and after, from the leaf upwards.
    case serversChange(from: [String], to: [String], source: ServerPhase.Source)
    /// A certificate that is shown ends; of leaves, all those of one day.
    case certificateEnds(CertificateSpan.Role, name: String)
    /// A key is to reach a step of its life.
    case keyStep(key: String, status: String)
    /// Clients of some releases begin to be blocked.
    case lockoutBegins(Blocked)
    /// They no longer are.
    case lockoutEnds(Blocked)
  }

  /// Which clients are blocked, and why.
  package struct Blocked: Hashable, Sendable {
    /// By their index in the scenario, rising.
    package var releases: [Int]
    package var cause: LockoutCause
    package var extent: Lockout.Extent
    package var isStanding: Bool
  }

  package var instant: Instant
  package var kind: Kind
  /// The servers that it concerns, by their index in the scenario; empty where it is of a release or a key.
  package var servers: [Int]

  package init(at instant: Instant, _ kind: Kind, servers: [Int] = []) {
    self.instant = instant
    self.kind = kind
    self.servers = servers
  }
}

extension TimelineEvent.Kind {
  /// Its name for programs.
  package var name: String {
    switch self {
    case .release: "release"
    case .lastClientGone: "last-client-gone"
    case .manifestExpires: "manifest-expires"
    case .entriesExpire: "entries-expire"
    case .exceptionsEnd: "exceptions-end"
    case .serversChange: "servers-change"
    case .certificateEnds: "certificate-ends"
    case .keyStep: "key-step"
    case .lockoutBegins(let blocked): blocked.extent == .every ? "lockout-begins" : "partial-lockout-begins"
    case .lockoutEnds(let blocked): blocked.extent == .every ? "lockout-ends" : "partial-lockout-ends"
    }
  }

  /// The order of events at one instant: what is planned, what it does, what follows.
  var rank: Int {
    switch self {
    case .keyStep: 0
    case .release: 1
    case .serversChange: 2
    case .lastClientGone: 3
    case .manifestExpires: 4
    case .entriesExpire: 5
    case .exceptionsEnd: 6
    case .certificateEnds(let role, _): 7 + role.rawValue
    case .lockoutEnds: 10
    case .lockoutBegins: 11
    }
  }
}

/// A step in a key's life that a policy gives a date.
package struct PlannedStep: Hashable, Sendable {
  /// The key's name.
  package var key: String
  /// The status that it is to have from then on, as the policy writes it: `active`.
  package var status: String
  package var instant: Instant

  package init(key: String, status: String, instant: Instant) {
    self.key = key
    self.status = status
    self.instant = instant
  }
}

/// When a certificate that a server shows is valid.
package struct CertificateSpan: Hashable, Sendable {
  /// What it is in the chain.
  package enum Role: Int, Hashable, Sendable, Comparable, CaseIterable {
    case leaf
    case intermediate
    case root

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
  }

  /// The server's index in the scenario.
  package var server: Int
  package var role: Role
  /// What people call it, such as its common name.
  package var name: String
  /// The first instant at which it is valid; nil where it can't be read.
  package var begin: Instant?
  /// The last such instant.
  package var end: Instant

  package init(server: Int, role: Role, name: String, begin: Instant?, end: Instant) {
    self.server = server
    self.role = role
    self.name = name
    self.begin = begin
    self.end = end
  }
}

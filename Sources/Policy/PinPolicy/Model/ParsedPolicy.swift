package import Diagnostics
package import PinFormat

/// The policy files as they were written: typed, each value with its place, names not yet looked up.
///
/// What could not be read is nil here and a ``PolicyProblem`` there, so that one mistake never hides another.
package struct ParsedPolicy: Sendable {
  package var sources: SourceSet
  package var files: [ParsedFile]
  /// Problems of all files, in order of place.
  package var problems: [PolicyProblem]
  /// Of keys and key sets that are left out of an audience, by name: the `audiences` that leave them out.
  var keysOfOthers: [String: Place] = [:]
  var keySetsOfOthers: [String: Place] = [:]

  package init(sources: SourceSet, files: [ParsedFile], problems: [PolicyProblem]) {
    self.sources = sources
    self.files = files
    self.problems = problems
  }
}

/// One policy file.
package struct ParsedFile: Sendable {
  package var id: FileID
  /// False where a part of the file could not be read: what is missing here may be there.
  package var isComplete = true
  @Rare package var owner: Located<String>?
  /// Names of signers of the keyset, one of whom must sign a release that changes what the file says; empty for anybody.
  package var owners: [Located<String>] = []
  /// The audiences that the file is for; empty for all.
  package var audiences: [Located<String>] = []
  /// What its hosts have unless they say otherwise.
  package var defaults = ParsedTerms()
  package var settings: ParsedSettings?
  package var keys: [ParsedKey] = []
  package var keySets: [ParsedKeySet] = []
  package var hosts: [ParsedHost] = []
  package var suppressions: [Suppression] = []

  package init(id: FileID) {
    self.id = id
  }
}

/// How a host is pinned but for its keys: what an entry says, or `defaults:` for all entries of a file or an audience.
package struct ParsedTerms: Sendable {
  package var mode: Located<Mode>?
  package var includeSubdomains: Located<Bool>?
  @Rare package var requirement: Located<Requirement>?
  package var expires: Located<Instant>?
  package var onExpiry: Located<ExpiryAction>?
  package var reportURIs: [Located<String>]?
  /// Takes effect whole: an entry's own `trust` replaces its file's.
  @Rare package var trust: ParsedTrust?

  package init() {}

  /// These, and where they say nothing, the others.
  func over(_ others: borrowing ParsedTerms) -> ParsedTerms {
    var terms = self
    terms.mode = mode ?? others.mode
    terms.includeSubdomains = includeSubdomains ?? others.includeSubdomains
    if requirement == nil { terms.$requirement = others.$requirement }
    terms.expires = expires ?? others.expires
    terms.onExpiry = onExpiry ?? others.onExpiry
    terms.reportURIs = reportURIs ?? others.reportURIs
    if trust == nil { terms.$trust = others.$trust }
    return terms
  }

  /// What of them is left where the host is excluded: the names, and that it is.
  var ofExclusion: ParsedTerms {
    var terms = ParsedTerms()
    (terms.mode, terms.includeSubdomains) = (mode, includeSubdomains)
    return terms
  }

  /// Each field that is written, by its name in a policy.
  package var places: [(name: String, place: Place)] {
    let places: KeyValuePairs<String, Place?> = [
      "mode": mode?.place, "include-subdomains": includeSubdomains?.place, "require": requirement?.place,
      "expires": expires?.place, "on-expiry": onExpiry?.place, "report-uris": reportURIs?.first?.place,
      "trust": trust?.place,
    ]
    return places.compactMap { name, place in place.map { (name, $0) } }
  }
}

/// `manifest:`, what holds for the whole manifest.
package struct ParsedSettings: Sendable {
  /// Where `manifest:` is.
  package var place: Place
  package var audience: Located<String>?
  /// Several in place of one.
  package var audiences: [ParsedAudience] = []
  /// Seconds from release until a client should refresh.
  package var refreshAfter: Located<Int64>?
  /// Seconds from release until the manifest is stale.
  package var expiresAfter: Located<Int64>?
  package var onStale: Located<ExpiryAction>?
  /// The adoption window, in seconds.
  package var clientMaxAge: Located<Int64>?
  package var clients: [Located<Policy.ClientKind>] = []
  package var signerKinds: [Located<Policy.SignerKind>] = []
  package var stores: [Located<TrustStoreName>] = []
  package var unpinnedHosts: Located<UnpinnedHosts>?
  /// The longest time that a host entry may still have to live, in seconds.
  package var maximumLifetime: Located<Int64>?
  /// How long before an expiry it is announced, in seconds.
  package var expiryWarning: Located<Int64>?
  package var maximumHosts: Located<Int>?
  /// The share of hosts, in percent, that the loss of one key may cut off from clients.
  package var maximumBlastRadius: Located<Int>?

  package init(place: Place) {
    self.place = place
  }
}

/// One entry of `keys:`.
package struct ParsedKey: Sendable {
  /// What the pin comes from.
  package enum Source: Sendable {
    case pin(Located<Pin>)
    /// A path relative to the policy file.
    case file(Located<String>)
  }

  package var name: Located<String>
  /// Nil where it is missing or unreadable, which is a problem of its own.
  package var source: Source?
  /// Its other fields; nil for none.
  @Rare package var notes: KeyNotes?

  package init(name: Located<String>, source: Source?, notes: KeyNotes?) {
    self.name = name
    self.source = source
    if notes != nil { self.notes = notes }
  }
}

/// One entry of `key-sets:`, or the set written inside a host entry, whose name is nil.
package struct ParsedKeySet: Sendable {
  @Rare package var name: Located<String>?
  /// The place of the name, or of the inline set's first line.
  package var place: Place
  package var active: [Located<String>] = []
  package var backup: [Located<String>] = []
  /// The CDN or managed service that its hosts get their certificates from.
  @Rare package var service: Located<String>?
  @Rare package var reason: Located<String>?
  /// The audiences that it is for; empty for all.
  package var audiences: [Located<String>] = []

  package init(name: Located<String>?, place: Place) {
    self.place = place
    self.name = name
  }
}

/// One entry of `hosts:`.
package struct ParsedHost: Sendable {
  /// The keys of a host entry: a set's name, or a set of its own.
  package enum Keys: Sendable {
    case named(Located<String>)
    case inline(ParsedKeySet)
  }

  /// The first field of the entry.
  package var place: Place
  package var host: Located<String>?
  @Rare package var port: Located<UInt16>?
  package var keys: Keys?
  package var terms = ParsedTerms()
  @Rare package var owner: Located<String>?
  @Rare package var reason: Located<String>?
  /// The audiences that it is for; empty for all.
  package var audiences: [Located<String>] = []
  /// Names below the host that live checks try.
  package var probe: [Located<String>] = []

  package init(place: Place) {
    self.place = place
  }
}

/// `trust:` of a host entry (TN2232 as data).
package struct ParsedTrust: Sendable {
  /// One entry of `exceptions:`.
  package struct Exception: Sendable {
    package var place: Place
    package var failure: Located<ExcusableFailure>?
    package var certificate: Located<String>?
    package var until: Located<Instant>?
    package var reason: Located<String>?

    package init(place: Place) {
      self.place = place
    }
  }

  package var place: Place
  /// `system`, or paths relative to the policy file.
  package var anchors: [Located<String>]?
  package var intermediates: [Located<String>] = []
  package var certificate: Located<String>?
  package var serverName: Located<String>?
  package var exceptions: [Exception] = []
  package var minimumRSABits: Located<Int>?
  package var minimumECBits: Located<Int>?
  package var signatures: [Located<SignatureFamily>] = []
  package var minimumTLS: Located<TLSVersion>?
  package var reason: Located<String>?

  package init(place: Place) {
    self.place = place
  }
}

/// `# pintle:allow CODE until DATE: REASON`, a finding that somebody accepted for a time.
package struct Suppression: Hashable, Sendable {
  /// From the `#` to the end of the line; it speaks of the findings that begin on this line.
  package var place: Place
  package var code: String
  package var until: Instant
  package var reason: String

  package init(place: Place, code: String, until: Instant, reason: String) {
    self.place = place
    self.code = code
    self.until = until
    self.reason = reason
  }
}

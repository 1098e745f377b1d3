package import Diagnostics
package import PinFormat

/// The policy with its names looked up and its files read: what the rules see and what is lowered to a manifest.
package struct Policy: Sendable {
  package var sources: SourceSet
  /// Nil where no file states them; a problem then says so.
  package var settings: Settings?
  /// Sorted by name.
  package var keys: [Key]
  /// Sorted by name; the sets written inside host entries are among them.
  package var keySets: [KeySet]
  /// Sorted by host, then port, those without a port first.
  package var hosts: [HostEntry]
  /// Certificates that `trust` refers to, sorted by fingerprint.
  package var certificates: [Manifest.Certificate]
  /// The DER of the certificates that are files of keys, by fingerprint.
  package var keyCertificates: [SHA256Digest: [UInt8]] = [:]
  /// SHA-256 over all source files, as the manifest format describes it.
  package var sourcesDigest: SHA256Digest
  package var suppressions: [Suppression]
  /// What reading and resolving found, in order of place.
  package var problems: [PolicyProblem]
  /// False where a part could not be read or resolved: what seems unused or missing may only seem so.
  package var isComplete = true
  /// The files as they were written, for rules that tell an entry's own field from its file's default.
  package var files: [ParsedFile] = []
  /// All audiences, in the order of the file, if there are several: the policy is then that of one of them.
  package var audiences: [String] = []
  /// Whether it has a few hosts of another audience.
  package var isSlice = false
  /// The policy as its development audiences have it, for any other audience.
  package var developments: [Policy] = []
  /// The anchors that only one audience may have, of all audiences.
  package var reservedAnchors: [ReservedAnchor] = []
  /// What is known of public CAs.
  package var library = AuthorityLibrary.embedded

  package init(
    sources: SourceSet, settings: Settings?, keys: [Key], keySets: [KeySet], hosts: [HostEntry],
    certificates: [Manifest.Certificate], sourcesDigest: SHA256Digest, suppressions: [Suppression],
    problems: [PolicyProblem]
  ) {
    self.sources = sources
    self.settings = settings
    self.keys = keys
    self.keySets = keySets
    self.hosts = hosts
    self.certificates = certificates
    self.sourcesDigest = sourcesDigest
    self.suppressions = suppressions
    self.problems = problems
  }
}

extension Policy {
  /// An anchor that only one audience may trust or pin.
  package struct ReservedAnchor: Hashable, Sendable {
    package var audience: String
    package var pin: Pin
    package var place: Place
  }

  /// What holds for the whole manifest, with the defaults filled in.
  ///
  /// Durations are in seconds.
  package struct Settings: Sendable {
    package var place: Place
    package var audience: Located<String>?
    package var refreshAfter: Int64
    package var expiresAfter: Int64
    package var onStale: ExpiryAction
    package var clientMaxAge: Int64
    /// The kinds of clients that there are; empty where the policy doesn't say.
    package var clients: [Located<ClientKind>]
    /// The kinds of signing keys that all clients can verify; empty for all kinds.
    package var signerKinds: [Located<SignerKind>]
    /// The stores whose roots the clients trust.
    package var stores: [TrustStoreName]
    package var unpinnedHosts: UnpinnedHosts
    package var maximumLifetime: Int64
    package var expiryWarning: Int64
    package var maximumHosts: Int
    /// The share of hosts, in percent, that the loss of one key may cut off from clients.
    package var maximumBlastRadius: Int

    /// `client-max-age` where nobody states it.
    package static let defaultClientMaxAge: Int64 = 90 * 86_400

    /// The settings that hold where a policy doesn't state them.
    package init(place: Place, audience: Located<String>?) {
      self.place = place
      self.audience = audience
      refreshAfter = 86_400
      expiresAfter = 30 * 86_400
      onStale = .enforce
      clientMaxAge = Self.defaultClientMaxAge
      clients = []
      signerKinds = []
      stores = TrustStoreName.mozillaLine
      unpinnedHosts = .allow
      maximumLifetime = 400 * 86_400
      expiryWarning = 30 * 86_400
      maximumHosts = 100_000
      maximumBlastRadius = 20
    }
  }

  /// The key of somebody who signs manifests and keysets.
  package enum SignerKind: String, Sendable, CaseIterable {
    case ed25519
    case ecdsaP256 = "ecdsa-p256"
  }

  /// A named pin and what is known about it.
  package struct Key: Sendable {
    package var name: Located<String>
    /// Nil where the pin or its file could not be read, which is a problem of its own.
    package var pin: Pin?
    /// Where the pin, or the name of its file, is written.
    package var sourcePlace: Place
    /// What the file says, where the pin was computed from one.
    @Rare package var material: KeyMaterial?
    @Rare private var notes: KeyNotes?

    package var position: Located<KeyPosition>? { _notes.part { $0.position } }
    package var isDenied: Bool { _notes.part { $0.denied != nil } ?? false }
    package var denied: Located<String>? { _notes.part { $0.denied } }
    package var hasCustody: Bool { _notes.part { $0.custody != nil } ?? false }
    package var custody: Located<String>? { _notes.part { $0.custody } }
    package var created: Located<Instant>? { _notes.part { $0.created } }
    /// Where the key is in its life, by its owners' word; nil where nobody says.
    package var status: Located<KeyStatus>? { _notes.part { $0.status } }
    /// What the policy says that it is, which files may contradict.
    package var statedAlgorithm: Located<KeyMaterial.StatedAlgorithm>? { _notes.part { $0.algorithm } }
    package var steps: KeySteps { _notes.part { $0.steps } ?? KeySteps() }
    package var reason: Located<String>? { _notes.part { $0.reason } }

    /// Takes over what a policy file says about the key, except its pin, which may come from a key file.
    package init(_ parsed: borrowing ParsedKey, pin: Pin?, sourcePlace: Place) {
      name = parsed.name
      self.pin = pin
      self.sourcePlace = sourcePlace
      _notes = parsed.$notes
    }
  }

  /// A set of keys that host entries use.
  package struct KeySet: Sendable {
    /// A key of the set: the index in ``Policy/keys``, and where the set names it.
    package struct Member: Hashable, Sendable {
      package var key: Int
      package var place: Place

      package init(key: Int, place: Place) {
        self.key = key
        self.place = place
      }
    }

    /// The declared name, or `host:` and the entry's label for a set written inside a host entry.
    package var name: String
    package var place: Place
    package var isInline: Bool
    /// The members that could be looked up, in the order of the text.
    package var active: [Member]
    package var backup: [Member]
    /// The CDN or managed service that its hosts get their certificates from.
    @Rare package var service: Located<String>?

    package init(name: String, place: Place, isInline: Bool, active: [Member], backup: [Member]) {
      self.name = name
      self.place = place
      self.isInline = isInline
      self.active = active
      self.backup = backup
    }

    package var members: [Member] { active + backup }
  }

  /// A host entry with its file's defaults filled in; the place of such a value is in `defaults:`.
  package struct HostEntry: Sendable {
    package var host: HostName
    /// The text as written, before it was brought into canonical form.
    package var written: Located<String>
    @Rare package var port: Located<UInt16>?
    package var includeSubdomains: Located<Bool>?
    /// `enforce` where neither the entry nor the defaults say; the place is then the host's.
    package var mode: Located<Mode>
    /// The index in ``Policy/keySets``, and where the entry names the set; nil where it has none.
    package var keySet: Located<Int>?
    @Rare package var requirement: Located<Requirement>?
    package var expires: Located<Instant>?
    package var onExpiry: Located<ExpiryAction>?
    package var reportURIs: [Located<String>]
    @Rare package var trust: Trust?
    /// The entry's own, or its file's.
    @Rare package var owner: Located<String>?
    @Rare package var reason: Located<String>?
    package var probe: [Located<String>]

    package init(host: HostName, written: Located<String>, mode: Located<Mode>) {
      self.host = host
      self.written = written
      self.mode = mode
      reportURIs = []
      probe = []
    }

    /// Takes over what a policy file says about the entry, with the file's defaults, except its trust.
    package init(
      _ parsed: borrowing ParsedHost, in file: borrowing ParsedFile, host: HostName, written: Located<String>,
      keySet: Located<Int>?, probe: [Located<String>]
    ) {
      let mode = parsed.terms.mode ?? file.defaults.mode ?? Located(.enforce, at: written.place)
      let terms = parsed.terms.over(mode.value == .off ? file.defaults.ofExclusion : file.defaults)
      self.host = host
      self.written = written
      self.mode = mode
      _port = parsed.$port
      // The default applies to names only: an address has no subdomains.
      includeSubdomains = host.isAddress ? parsed.terms.includeSubdomains : terms.includeSubdomains
      self.keySet = keySet
      _requirement = terms.$requirement
      expires = terms.expires
      // The default waits for an expiry.
      onExpiry = terms.expires == nil ? parsed.terms.onExpiry : terms.onExpiry
      reportURIs = terms.reportURIs ?? []
      _owner = parsed.owner == nil ? file.$owner : parsed.$owner
      _reason = parsed.$reason
      self.probe = probe
    }

    /// The entry as messages name it: `api.example.com`, `10.0.0.5:8443`.
    package var label: String { HostLabel.text(host: host, port: port?.value) }

    /// True where names below the host are covered; never for an address, whatever its file's defaults say.
    package var coversSubdomains: Bool { !host.isAddress && includeSubdomains?.value ?? false }
  }

  /// `trust:` with its files read.
  package struct Trust: Sendable {
    /// One excused failure.
    package struct Exception: Sendable {
      package var place: Place
      package var failure: Located<ExcusableFailure>
      package var certificate: SHA256Digest
      /// What the certificate's file says.
      package var material: KeyMaterial?
      package var until: Located<Instant>
      package var reason: Located<String>

      package init(
        place: Place, failure: Located<ExcusableFailure>, certificate: SHA256Digest, until: Located<Instant>,
        reason: Located<String>
      ) {
        self.place = place
        self.failure = failure
        self.certificate = certificate
        self.until = until
        self.reason = reason
      }
    }

    package var place: Place
    package var systemAnchors: Bool
    /// The certificates of each file of anchors that is one; entries that name one file share them.
    package var anchorFiles: [Located<[KeyMaterial]>]
    package var intermediateFiles: [Located<[KeyMaterial]>]
    package var certificate: Located<KeyMaterial>?
    package var serverName: Located<HostName>?
    package var exceptions: [Exception]
    package var minimumRSABits: Located<Int>?
    package var minimumECBits: Located<Int>?
    package var signatures: [Located<SignatureFamily>]
    package var minimumTLS: Located<TLSVersion>?
    package var reason: Located<String>?

    package init(place: Place) {
      self.place = place
      systemAnchors = true
      anchorFiles = []
      intermediateFiles = []
      exceptions = []
      signatures = []
    }

    /// The anchors as a manifest lists them: each once, in order.
    package var anchors: [SHA256Digest] { Self.fingerprints(in: anchorFiles) }

    /// The intermediates as a manifest lists them: each once, in order.
    package var intermediates: [SHA256Digest] { Self.fingerprints(in: intermediateFiles) }

    private static func fingerprints(in files: [Located<[KeyMaterial]>]) -> [SHA256Digest] {
      Set(files.lazy.flatMap(\.value).compactMap { $0.certificate?.fingerprint }).sorted()
    }
  }
}

extension Policy {
  /// Whether a file says anything for an audience; a slice has hosts of its whole.
  package func has(_ file: ParsedFile, for audience: String) -> Bool {
    let audiences = files.lazy.compactMap(\.settings).first?.audiences ?? []
    let whole = audiences.first { $0.name.value == audience }?.sliceOf?.value ?? audience
    return file.audiences.isEmpty || file.audiences.contains { $0.value == whole }
  }
}

/// What a manifest says: the signed content, in the order of meaning; `docs/manifest-format.md` has the order of bytes.
///
/// This is the form of producers and tools. A client never builds one: it decides on the flat tables that loading
/// verified bytes gives it.
public struct Manifest: Hashable, Sendable {
  /// The environment that the manifest is meant for, such as `production`; a client refuses any other.
  public var audience: String
  /// Grows with each release; a client never goes back.
  public var serial: Int64
  /// When it was released.
  public var issued: Instant
  /// From when on a client should look for a newer one.
  public var refreshAfter: Instant
  /// From when on the manifest is stale.
  public var expires: Instant
  /// What a stale manifest means.
  public var onStale: ExpiryAction
  /// SHA-256 over the signed bytes of the release before; nil for the first.
  public var previous: SHA256Digest?
  /// What it was made from.
  public var provenance: Provenance
  /// What the answer is where no entry applies.
  public var unpinnedHosts: UnpinnedHosts
  /// Names of extensions without which the manifest must not be used, sorted.
  public var critical: [String]
  /// Why the release takes pins away that clients have: they then activate it without asking back; nil for a plain one.
  public var drasticChange: String?
  /// All keys, sorted by name.
  public var keys: [Key]
  /// All key sets, sorted by name.
  public var keySets: [KeySet]
  /// Certificates that `trust` refers to, DER, sorted by fingerprint.
  public var certificates: [Certificate]
  /// All host entries, sorted by host, then port, those without a port first.
  public var hosts: [HostEntry]

  /// The media type of the signed bytes: DSSE's payload type, and `type` in the manifest itself.
  public static let mediaType = "application/vnd.pintle.manifest.v1+json"

  /// The version of the format that is written and read.
  public static let version: Int64 = 1

  /// Puts a manifest together from its parts; the sorted lists are sorted by the writer, not here.
  public init(
    audience: String, serial: Int64, issued: Instant, refreshAfter: Instant, expires: Instant, onStale: ExpiryAction,
    previous: SHA256Digest?, provenance: Provenance, unpinnedHosts: UnpinnedHosts, critical: [String] = [],
    drasticChange: String? = nil, keys: [Key], keySets: [KeySet], certificates: [Certificate], hosts: [HostEntry]
  ) {
    self.audience = audience
    self.serial = serial
    self.issued = issued
    self.refreshAfter = refreshAfter
    self.expires = expires
    self.onStale = onStale
    self.previous = previous
    self.provenance = provenance
    self.unpinnedHosts = unpinnedHosts
    self.critical = critical
    self.drasticChange = drasticChange
    self.keys = keys
    self.keySets = keySets
    self.certificates = certificates
    self.hosts = hosts
  }
}

extension Manifest {
  /// What a manifest was made from.
  public struct Provenance: Hashable, Sendable {
    /// SHA-256 over the policy's source files, as the format's specification describes it.
    public var sources: SHA256Digest
    /// The commit of the sources, where they are in git: 40 or 64 hexadecimal digits.
    public var commit: String?
    /// The compiler and its version, such as `pintle 0.1.0`.
    public var compiler: String

    /// Puts a provenance together.
    public init(sources: SHA256Digest, commit: String?, compiler: String) {
      self.sources = sources
      self.commit = commit
      self.compiler = compiler
    }
  }

  /// A named pin and what the decision needs to know about it.
  public struct Key: Hashable, Sendable {
    /// The name that key sets use.
    public var name: String
    /// The pin.
    public var pin: Pin
    /// Where it must be in the validated chain; nil for anywhere.
    public var position: ChainPosition?
    /// Why the key is denied; nil where it isn't.
    public var denied: String?

    /// Puts a key together.
    public init(name: String, pin: Pin, position: ChainPosition?, denied: String?) {
      self.name = name
      self.pin = pin
      self.position = position
      self.denied = denied
    }
  }

  /// A named set of keys.
  ///
  /// The decision treats active and backup keys alike; people, rules and reports don't.
  public struct KeySet: Hashable, Sendable {
    /// The name that host entries use.
    ///
    /// A set written inside a host entry has the name `host:` and the entry's label.
    public var name: String
    /// Names of the keys in use, sorted.
    public var active: [String]
    /// Names of the keys kept for later, sorted.
    public var backup: [String]

    /// Puts a key set together.
    public init(name: String, active: [String], backup: [String]) {
      self.name = name
      self.active = active
      self.backup = backup
    }
  }

  /// A certificate that some entry's `trust` refers to.
  public struct Certificate: Hashable, Sendable {
    /// SHA-256 over the DER bytes: the name by which `trust` refers to it.
    public var fingerprint: SHA256Digest
    /// The certificate, DER.
    public var der: [UInt8]

    /// Puts a certificate together; the caller computed the fingerprint.
    public init(fingerprint: SHA256Digest, der: [UInt8]) {
      self.fingerprint = fingerprint
      self.der = der
    }
  }

  /// One host, optionally one port, optionally its subdomains.
  public struct HostEntry: Hashable, Sendable {
    /// The host in canonical form.
    public var host: HostName
    /// The one port that is covered; nil for all.
    public var port: UInt16?
    /// Whether the names below it are covered, at any depth.
    public var includeSubdomains: Bool
    /// What a mismatch does.
    public var mode: Mode
    /// The key set's name; nil with `mode: off`.
    public var keySet: String?
    /// How much of the key set is asked for.
    public var requirement: Requirement
    /// When the entry expires; nil for never.
    public var expires: Instant?
    /// What holds from then on; present exactly where `expires` is.
    public var onExpiry: ExpiryAction?
    /// Where mismatches are reported, in order of preference.
    public var reportURIs: [String]
    /// How trust evaluation differs from the system's, where it does.
    public var trust: Trust?

    /// Puts a host entry together.
    public init(
      host: HostName, port: UInt16?, includeSubdomains: Bool, mode: Mode, keySet: String?, requirement: Requirement,
      expires: Instant?, onExpiry: ExpiryAction?, reportURIs: [String], trust: Trust?
    ) {
      self.host = host
      self.port = port
      self.includeSubdomains = includeSubdomains
      self.mode = mode
      self.keySet = keySet
      self.requirement = requirement
      self.expires = expires
      self.onExpiry = onExpiry
      self.reportURIs = reportURIs
      self.trust = trust
    }

    /// The entry as messages name it: `api.example.com`, `api.example.com:8443`, `[2001:db8::1]:8443`.
    public var label: String { HostLabel.text(host: host, port: port) }
  }

  /// How an entry's trust evaluation differs from the system's (TN2232).
  ///
  /// Certificates are named by fingerprint.
  public struct Trust: Hashable, Sendable {
    /// Whether the system's trust store counts.
    ///
    /// True where the policy names no anchors.
    public var systemAnchors: Bool
    /// Further anchors, sorted.
    public var anchors: [SHA256Digest]
    /// Intermediates that complete what servers leave out, sorted.
    public var intermediates: [SHA256Digest]
    /// The one certificate that the server must present, byte for byte; replaces path and name validation.
    public var certificate: SHA256Digest?
    /// The name to verify in place of the host.
    public var serverName: HostName?
    /// Named failures that are excused until a date, sorted by certificate, then failure.
    public var exceptions: [Exception]
    /// The least RSA modulus, in bits; nil for the validator's own minimum.
    public var minimumRSABits: Int?
    /// The least elliptic-curve field size, in bits; nil for the validator's own minimum.
    public var minimumECBits: Int?
    /// The families of signatures that certificates of the chain may bear, sorted; empty for all.
    public var signatures: [SignatureFamily]
    /// The least TLS version; nil for the transport's own.
    public var minimumTLS: TLSVersion?

    /// Puts trust customisations together.
    public init(
      systemAnchors: Bool = true, anchors: [SHA256Digest] = [], intermediates: [SHA256Digest] = [],
      certificate: SHA256Digest? = nil, serverName: HostName? = nil, exceptions: [Exception] = [],
      minimumRSABits: Int? = nil, minimumECBits: Int? = nil, signatures: [SignatureFamily] = [],
      minimumTLS: TLSVersion? = nil
    ) {
      self.systemAnchors = systemAnchors
      self.anchors = anchors
      self.intermediates = intermediates
      self.certificate = certificate
      self.serverName = serverName
      self.exceptions = exceptions
      self.minimumRSABits = minimumRSABits
      self.minimumECBits = minimumECBits
      self.signatures = signatures
      self.minimumTLS = minimumTLS
    }
  }

  /// One named failure that is excused for one certificate until a date.
  public struct Exception: Hashable, Sendable {
    /// The failure.
    public var failure: ExcusableFailure
    /// The certificate, by SHA-256 over its DER bytes.
    public var certificate: SHA256Digest
    /// From when on the exception no longer holds.
    public var until: Instant
    /// Why it was granted.
    public var reason: String

    /// Puts an exception together.
    public init(failure: ExcusableFailure, certificate: SHA256Digest, until: Instant, reason: String) {
      self.failure = failure
      self.certificate = certificate
      self.until = until
      self.reason = reason
    }
  }
}

extension Manifest.Trust {
  /// True where it customises nothing, which the format doesn't write.
  var isEmpty: Bool {
    systemAnchors && anchors.isEmpty && intermediates.isEmpty && certificate == nil && serverName == nil
      && exceptions.isEmpty && minimumRSABits == nil && minimumECBits == nil && signatures.isEmpty && minimumTLS == nil
  }
}

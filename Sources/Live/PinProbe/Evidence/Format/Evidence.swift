package import PinFormat

/// A recorded, dated result of probing live servers: what each of them sent, to be judged again at any time.
///
/// It holds what was observed and no judgement. The file format is `docs/evidence-format.md`'s.
package struct Evidence: Hashable, Sendable {
  /// The media type, which a file states as its `type`.
  package static let mediaType = "application/vnd.pintle.evidence+json"
  /// The version of the format that is written and read.
  package static let version: Int64 = 1

  /// A part of a fleet: the shard `number` of `count`, counted from 1.
  package struct Shard: Hashable, Sendable {
    package var number: Int
    package var count: Int

    package init(number: Int, count: Int) {
      self.number = number
      self.count = count
    }
  }

  /// A trust store with which the chains were evaluated; only the anchors to which they lead.
  package struct Store: Hashable, Sendable {
    /// `system`, or the name that the command line gave.
    package var name: String
    /// The anchors that a recorded certificate names as an issuer, or is itself; each is in ``certificates``.
    package var anchors: [SHA256Digest]

    package init(name: String, anchors: [SHA256Digest]) {
      self.name = name
      self.anchors = anchors
    }
  }

  /// A host and port that a client would ask, and what came of asking.
  package struct Target: Hashable, Sendable {
    package var host: HostName
    package var port: UInt16
    /// The protocol in which TLS was asked for; nil where TLS comes first.
    package var startTLS: StartTLS?
    /// Why the host has no address, or may have others than these; nil where these are all.
    package var unresolved: Failure?
    /// Every address that was visited, sorted by its text.
    package var addresses: [Address]

    package init(
      host: HostName, port: UInt16, startTLS: StartTLS? = nil, unresolved: Failure? = nil, addresses: [Address] = []
    ) {
      self.host = host
      self.port = port
      self.startTLS = startTLS
      self.unresolved = unresolved
      self.addresses = addresses
    }
  }

  /// One place where a client can land.
  package struct Address: Hashable, Sendable {
    /// An IP address as text, or `proxy` where a proxy chose it.
    package var address: String
    /// The port that was connected to; another than the target's where the command line said so.
    package var port: UInt16
    /// One for each offer, in the order of ``Offer``.
    package var visits: [Visit]

    package init(address: String, port: UInt16, visits: [Visit]) {
      self.address = address
      self.port = port
      self.visits = visits
    }
  }

  /// What a handshake offered: one family of keys in one version of TLS, so that each certificate has to show itself.
  package struct Offer: Hashable, Sendable, Comparable {
    package var keyFamily: KeyFamily
    package var tlsVersion: TLSVersion

    package init(_ keyFamily: KeyFamily, _ tlsVersion: TLSVersion) {
      self.keyFamily = keyFamily
      self.tlsVersion = tlsVersion
    }

    /// The offers that every libssl makes, in order: the newest version first.
    package static let all: [Offer] = [
      Offer(.ecdsa, .tls13), Offer(.rsa, .tls13), Offer(.ecdsa, .tls12), Offer(.rsa, .tls12),
    ]

    /// One that libssl makes since 3.5.
    package static let postQuantum = Offer(.mlDSA, .tls13)

    /// All of these.
    package static let every = (all + [postQuantum]).sorted()

    /// The newest version first, and in it ECDSA, ML-DSA and RSA.
    package static func < (left: Offer, right: Offer) -> Bool {
      if left.tlsVersion != right.tlsVersion { return left.tlsVersion > right.tlsVersion }
      return left.keyFamily.rawValue < right.keyFamily.rawValue
    }
  }

  /// What came of one offer to one address.
  package struct Visit: Hashable, Sendable {
    package var offer: Offer
    /// When it ended.
    package var observed: Instant
    /// How often it was tried, at least 1.
    package var attempts: Int
    /// What the server sent; nil where it came to no certificate.
    package var served: Served?
    /// Why the handshake was not completed; with ``served`` where the server had already proved its key.
    package var failure: Failure?

    package init(offer: Offer, observed: Instant, attempts: Int, served: Served?, failure: Failure?) {
      self.offer = offer
      self.observed = observed
      self.attempts = attempts
      self.served = served
      self.failure = failure
    }
  }

  /// What a server sent in a handshake.
  package struct Served: Hashable, Sendable {
    /// The certificates as they were sent, the leaf first, by fingerprint.
    package var chain: [SHA256Digest]
    /// The stapled OCSP response in DER (RFC 6066 section 8).
    package var staple: [UInt8]?
    /// Signed certificate timestamps that came with the handshake or in the leaf (RFC 6962).
    package var timestamps: Int
    package var clientCertificate: ClientCertificate
    /// What the server's `Date` field said (RFC 9110 section 6.6.1), where it was asked for.
    package var serverDate: Instant?

    package init(
      chain: [SHA256Digest], staple: [UInt8]? = nil, timestamps: Int = 0,
      clientCertificate: ClientCertificate = .notAsked, serverDate: Instant? = nil
    ) {
      self.chain = chain
      self.staple = staple
      self.timestamps = timestamps
      self.clientCertificate = clientCertificate
      self.serverDate = serverDate
    }
  }

  /// Whether the server asked for a client certificate, and whether one was there to be sent.
  package enum ClientCertificate: String, Hashable, Sendable, CaseIterable {
    case notAsked = "not-asked"
    case asked = "asked"
    case sent = "sent"
  }

  /// Why a server could not be asked, or would not go on.
  package struct Failure: Hashable, Sendable {
    package var kind: ConnectionFailure
    /// The number of the TLS alert (RFC 8446 section 6), where the server sent one.
    package var alert: UInt8?
    /// One clause for people, without the address.
    package private(set) var message: String

    /// Takes any message, shortened to what a file may hold, so that replaying evidence says what probing said.
    package init(_ kind: ConnectionFailure, alert: UInt8? = nil, _ message: String) {
      self.kind = kind
      self.alert = alert
      self.message = EvidenceMessage.shortened(message)
    }
  }

  /// When probing began and ended.
  package var begun: Instant
  package var ended: Instant
  /// True where probing was ended before everything had been asked.
  package var isPartial: Bool
  /// The program and its version.
  package var tool: String
  /// Kinds of keys that the program was to offer and couldn't; sorted.
  package var unasked: [KeyFamily] = []
  /// The parts of the fleet that this is about, sorted; empty for all of it.
  package var shards: [Shard]
  /// Sorted by name.
  package var stores: [Store]
  /// Every certificate that is named above, sorted by fingerprint.
  package var certificates: [Manifest.Certificate]
  /// Sorted by host, then port.
  package var targets: [Target]

  package init(
    begun: Instant, ended: Instant, isPartial: Bool = false, tool: String, shards: [Shard] = [], stores: [Store] = [],
    certificates: [Manifest.Certificate] = [], targets: [Target] = []
  ) {
    self.begun = begun
    self.ended = ended
    self.isPartial = isPartial
    self.tool = tool
    self.shards = shards
    self.stores = stores
    self.certificates = certificates
    self.targets = targets
  }
}

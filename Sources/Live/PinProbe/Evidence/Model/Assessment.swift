package import PinFormat
package import PinValidator

/// Evidence, judged: what each client would have made of each chain, at one instant.
///
/// Plain data, in the order of the evidence. It holds facts and the validator's verdicts; what they mean for the policy
/// is for the rules to say.
package struct Assessment: Sendable {
  /// The instant that everything was judged at.
  package var instant: Instant
  /// When the evidence was recorded.
  package var begun: Instant
  package var ended: Instant
  /// The program that recorded it, and its version.
  package var tool: String
  /// True where probing was ended before everything had been asked.
  package var isPartial: Bool
  /// Kinds of keys that couldn't be asked for.
  package var unasked: [KeyFamily] = []
  /// Whether certificates with ML-DSA keys were left out, because no client of the policy asks for them.
  package var leavesOutMLDSA = false
  /// The parts of the fleet that this is about; empty for all of it.
  package var shards: [Evidence.Shard]
  /// The names of the trust stores, in the order in which each judgement lists them.
  package var stores: [String]
  /// What is written in each certificate that was served or is in a path; bytes that aren't a certificate have no
  /// record.
  package var certificates: [SHA256Digest: CertificateRecord]
  /// In the order of the evidence.
  package var targets: [AssessedTarget]

  package init(
    instant: Instant, begun: Instant, ended: Instant, tool: String, isPartial: Bool, shards: [Evidence.Shard],
    stores: [String], certificates: [SHA256Digest: CertificateRecord], targets: [AssessedTarget]
  ) {
    self.instant = instant
    self.begun = begun
    self.ended = ended
    self.tool = tool
    self.isPartial = isPartial
    self.shards = shards
    self.stores = stores
    self.certificates = certificates
    self.targets = targets
  }
}

/// A host and port, and what every visit to it came to.
package struct AssessedTarget: Sendable {
  package var host: HostName
  package var port: UInt16
  package var startTLS: StartTLS?
  /// Why the host has no address, or may have others than those that were visited.
  package var unresolved: Evidence.Failure?
  /// In the order of the evidence.
  package var visits: [AssessedVisit]

  package init(
    host: HostName, port: UInt16, startTLS: StartTLS? = nil, unresolved: Evidence.Failure? = nil,
    visits: [AssessedVisit] = []
  ) {
    self.host = host
    self.port = port
    self.startTLS = startTLS
    self.unresolved = unresolved
    self.visits = visits
  }

  /// `api.example.com:443`.
  package var label: String { HostLabel.text(host: host, port: port) }

  /// True where at least one visit brought a chain.
  package var hasAnswered: Bool { visits.contains { $0.served != nil } }
}

/// One address asked with one offer.
package struct AssessedVisit: Sendable {
  /// What a visit came to.
  package enum Outcome: Sendable {
    /// The server showed a chain.
    case served(ServedReport)
    /// The server has no such key or no such version: it answered another offer at the same address.
    case notOffered(Evidence.Failure)
    /// It could not be asked.
    case failed(Evidence.Failure)
  }

  /// An IP address as text, or `proxy`.
  package var address: String
  /// The port that was connected to.
  package var port: UInt16
  package var offer: Evidence.Offer
  package var observed: Instant
  package var attempts: Int
  package var outcome: Outcome

  package init(
    address: String, port: UInt16, offer: Evidence.Offer, observed: Instant, attempts: Int, outcome: Outcome
  ) {
    self.address = address
    self.port = port
    self.offer = offer
    self.observed = observed
    self.attempts = attempts
    self.outcome = outcome
  }

  package var served: ServedReport? {
    if case .served(let report) = outcome { report } else { nil }
  }

  /// Why the server's chain is more than clients read, so that all of them block it; nil where it isn't.
  package var oversizedChain: Evidence.Failure? {
    if case .failed(let failure) = outcome, failure.kind == .oversizedChain { failure } else { nil }
  }
}

/// A served chain: its form, and what each trust store makes of it.
package struct ServedReport: Sendable {
  /// The certificates as they were sent, the leaf first.
  package var chain: [SHA256Digest]
  /// What is wrong with the form of the chain, no matter who judges it.
  package var flaws: [ChainFlaw]
  /// What the stapled OCSP response says of the leaf; nil where nothing was stapled.
  package var staple: StapleStatus?
  package var timestamps: Int
  package var clientCertificate: Evidence.ClientCertificate
  /// Seconds by which the server's clock was ahead of ours; nil where its `Date` wasn't asked for or given.
  package var clockOffset: Int64?
  /// Why the handshake ended behind the server's certificate, as for lack of a client certificate.
  package var failure: Evidence.Failure?
  /// One for each trust store, in the order of ``Assessment/stores``.
  package var judgements: [StoreJudgement]

  /// True where the server's own certificate isn't the first, so that clients take another one for it.
  package var isMisordered: Bool {
    flaws.contains { if case .wrongOrder(let expected) = $0 { expected.first != 0 } else { false } }
  }

  package init(
    chain: [SHA256Digest], flaws: [ChainFlaw] = [], staple: StapleStatus? = nil, timestamps: Int = 0,
    clientCertificate: Evidence.ClientCertificate = .notAsked, clockOffset: Int64? = nil,
    failure: Evidence.Failure? = nil, judgements: [StoreJudgement] = []
  ) {
    self.chain = chain
    self.flaws = flaws
    self.staple = staple
    self.timestamps = timestamps
    self.clientCertificate = clientCertificate
    self.clockOffset = clockOffset
    self.failure = failure
    self.judgements = judgements
  }
}

/// What is wrong with the form of a served chain; places are those of the served chain, the leaf being 0.
package enum ChainFlaw: Hashable, Sendable {
  /// A certificate isn't behind the one that it issued (RFC 8446 section 4.4.2); `expected` is a right order
  /// of those places that belong to the chain. It doesn't begin with 0 where the server's own certificate isn't the first.
  case wrongOrder(expected: [Int])
  /// A certificate that has nothing to do with the leaf.
  case superfluous(Int)
  /// A self-signed root, which a client has or doesn't trust.
  case root(Int)
  /// The same certificate as an earlier one.
  case repeated(Int)
  /// The chain stops below an issuer that isn't self-signed and wasn't sent. `issuer` is its name (RFC 4514), `urls`
  /// where Authority Information Access says it is (RFC 5280 section 4.2.2.1); it was not fetched.
  ///
  /// Said only where no trust store at hand has the issuer either, so that a path ends below it, or where a path goes
  /// on over it because the policy's `intermediates:` or a trust store supplied what the server left out. A chain that
  /// stops below an anchor is as it should be.
  case incomplete(last: Int, issuer: String, urls: [String])
}

/// What a stapled OCSP response says of the leaf (RFC 6960).
package enum StapleStatus: Hashable, Sendable {
  case good(nextUpdate: Instant?)
  case revoked(at: Instant, reason: String?)
  /// The responder doesn't know the certificate.
  case unknown
  /// Its validity is past, or not yet begun.
  case stale(nextUpdate: Instant?)
  /// It can't be read, is not signed by anybody who may, or speaks of another certificate; a clause says which.
  case unusable(String)
}

/// What one trust store makes of a served chain: every path that a client could take.
package struct StoreJudgement: Sendable {
  /// At least one: the first is what the runtime validator decides on the chain as it was served.
  ///
  /// The others are what it would decide for a client that has the path's anchor and not the others, as before or after
  /// an update of its trust store. One that fails beside a first one that is fine isn't an error by itself: it may lead
  /// over an authority that has expired. There are no others where the policy says which anchors count (`anchors:`
  /// without `system`) or which certificate it has to be, because all clients have the same ones.
  package var paths: [PathJudgement]
  /// True where the search for further paths ended at a limit; only chains made for it come to that.
  package var isCutShort: Bool
  /// What is wrong with the first path and with each other one on which the same client may try the chain.
  package var inevitable: Set<TrustFailure>

  package init(paths: [PathJudgement], isCutShort: Bool = false, inevitable: Set<TrustFailure>? = nil) {
    self.paths = paths
    self.isCutShort = isCutShort
    self.inevitable = inevitable ?? Set(paths.first?.failures ?? [])
  }
}

/// The runtime validator's word on one path.
package struct PathJudgement: Sendable {
  /// Leaf to anchor, or as far as the path could be built where ``failures`` aren't empty.
  package var chain: [SHA256Digest]
  /// How many of ``chain``, from the leaf up, are linked by signatures that verify: all of it where nothing failed.
  package var linked: Int
  /// Whether ``chain`` ends in an anchor or in another self-signed certificate; else it isn't known what is above.
  package var hasEnd: Bool
  /// Nil where nobody gave a policy, and only then.
  ///
  /// Where no entry pins the host at this time it is `notPinned` on every path, or the `block` that the policy has for
  /// that, whatever the chain; ``failures`` say what a client's own trust evaluation would find.
  package var verdict: Verdict?
  /// What trust evaluation found wrong, the gravest first.
  package var failures: [TrustFailure]
  /// What it found wrong and an exception of the policy excused.
  package var excused: [ExcusedFailure]
  /// Every key of the governing entry's set, and every denied key, that is in the validated chain; empty where
  /// ``failures`` aren't, since there is no validated chain then.
  package var matches: [KeyMatch]

  package init(
    chain: [SHA256Digest], linked: Int? = nil, hasEnd: Bool = true, verdict: Verdict?, failures: [TrustFailure] = [],
    excused: [ExcusedFailure] = [], matches: [KeyMatch] = []
  ) {
    self.chain = chain
    self.linked = linked ?? chain.count
    self.hasEnd = hasEnd
    self.verdict = verdict
    self.failures = failures
    self.excused = excused
    self.matches = matches
  }
}

/// A key of the policy in a validated chain.
package struct KeyMatch: Hashable, Sendable {
  /// The key's name.
  package var key: String
  /// The place in the validated chain, the leaf being 0.
  package var certificate: Int
  package var position: ChainPosition
  package var isBackup: Bool
  package var isDenied: Bool
  /// False where the key may not be at this position, so that it doesn't count.
  package var counts: Bool

  package init(
    key: String, certificate: Int, position: ChainPosition, isBackup: Bool, isDenied: Bool = false, counts: Bool = true
  ) {
    self.key = key
    self.certificate = certificate
    self.position = position
    self.isBackup = isBackup
    self.isDenied = isDenied
    self.counts = counts
  }
}

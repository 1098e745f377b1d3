import Diagnostics
import OpenSSLKit
package import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// May a server install a certificate: which clients of the releases in use it would lock out, from when until when.
package struct Deploy {
  package enum Verdict: String {
    /// Every client accepts it until it ends.
    case accepted
    case locksOut = "locks-out"
    /// No release in use pins the host.
    case notPinned = "not-pinned"
  }

  /// Clients that don't accept a certificate.
  package struct Lockout {
    package var audience: String
    package var release: String
    package var serial: Int64?
    /// The kind of client; nil for all kinds.
    package var client: String?
    package var begin: Instant
    /// When it ends before the certificate does; nil if it doesn't.
    package var end: Instant?
    /// The code of the reason, as tests of a policy write it.
    package var because: String
    package var reason: String
    /// Whether it comes from the entry's expiry.
    package var isByExpiry: Bool
    /// False where a certificate can't help: the entry's expiry does the same to the one that is served now.
    package var counts: Bool
    /// When no client runs the release any more; nil for the newest.
    var runEnd: Instant?
    var obstacle: BlockReason?
  }

  /// An entry that expires before the certificate does, in a release that is in use then.
  package struct Expiry {
    package var audience: String
    package var release: String
    package var entry: String
    package var instant: Instant
    package var action: ExpiryAction
  }

  /// A release in use.
  package struct Release {
    package var audience: String
    package var name: String
    package var serial: Int64?
    package var issued: Instant
    /// When no client runs it any more; nil for the newest.
    package var end: Instant?
    package var isAccepting: Bool
  }

  let question: DeployQuestion
  /// The new certificate.
  let certificate: CertificateRecord?
  let served: CertificateRecord?
  package private(set) var verdict: Verdict
  package private(set) var releases: [Release] = []
  package private(set) var lockouts: [Lockout] = []
  package private(set) var expiries: [Expiry] = []
  /// Lockouts by releases that no client should run any more.
  package private(set) var outdated: [Lockout] = []
  /// Whom the certificate that is served now locks out.
  package private(set) var servedLockouts: [Lockout] = []
  /// The names of keys that all releases in use accept from the host, backups first.
  let acceptedKeys: [String]

  /// Asks the validator about each release in use, at each instant at which an answer may change.
  package init(_ question: DeployQuestion) {
    self.question = question
    certificate = CertificateRecord(leafOf: question.chain)
    served = question.served.flatMap { CertificateRecord(leafOf: $0) }
    let evaluator = TrustEvaluator(anchors: question.anchors, findsAllFailures: true)
    var inUse: [ReleasedManifest] = []
    var isPinned = false
    for audience in question.audiences {
      // Clients take what is there, also if it says that it is issued later.
      let runs = audience.releases.runs(window: question.window, issuedBy: question.instant)
      for (release, run) in zip(audience.releases, runs) {
        let clients = DeployClients(release, of: audience.name, from: run.begin, to: run.end, question, evaluator)
        if let end = run.end, end <= question.instant {
          outdated += clients.answers(to: question.chain, in: question.now).lockouts
          continue
        }
        guard let span = question.span(of: question.chain, whileInUse: clients) else { continue }
        let life = clients.answers(to: question.chain, in: span)
        inUse.append(release)
        lockouts += life.lockouts
        isPinned = isPinned || !life.isUnpinned
        releases.append(
          Release(
            audience: audience.name, name: release.name, serial: release.serial, issued: release.issued, end: run.end,
            isAccepting: !life.lockouts.contains(where: \.counts)))
        if let expiry = clients.expiry, expiry.instant < span.upperBound {
          expiries.append(
            Expiry(
              audience: audience.name, release: release.name, entry: expiry.entry, instant: expiry.instant,
              action: expiry.action))
        }
        if let served = question.served, let span = question.span(of: served, whileInUse: clients) {
          servedLockouts += clients.answers(to: served, in: span).lockouts
        }
      }
    }
    if !isPinned {
      lockouts = []
      for number in releases.indices { releases[number].isAccepting = true }
    }
    verdict = lockouts.contains(where: \.counts) ? .locksOut : isPinned ? .accepted : .notPinned
    // Read only where it is shown: a manifest may be large.
    acceptedKeys = verdict == .locksOut ? inUse.acceptedKeys(host: question.host, port: question.port) : []
  }
}

extension DeployQuestion {
  /// The present alone.
  var now: Range<Instant> { instant..<instant.adding(seconds: 1) }

  /// From now until a chain's certificate ends, as far as clients run their release then; nil if they never do.
  ///
  /// Of a certificate that has ended, or whose end can't be read, the present counts.
  func span(of chain: [[UInt8]], whileInUse clients: DeployClients) -> Range<Instant>? {
    let end = max(CertificateRecord(leafOf: chain)?.notAfter ?? instant, now.upperBound)
    let (begin, last) = (max(instant, clients.begin), min(end, clients.end ?? end))
    return begin < last ? begin..<last : nil
  }
}

extension CertificateRecord {
  /// Nil where it isn't a certificate.
  init?(leafOf chain: [[UInt8]]) {
    guard let leaf = chain.first.flatMap({ try? Certificate(der: $0) }) else { return nil }
    self.init(leaf)
  }
}

extension [ReleasedManifest] {
  /// The names of keys that each of them accepts from a host, by the last one that pins it, backups first.
  fileprivate func acceptedKeys(host: String, port: UInt16) -> [String] {
    let pinning = map { release in
      let denied = Set(release.manifest.keys.filter { $0.denied != nil }.map(\.pin))
      return (release, release.loaded.entryKeys(host: host, port: port).filter { !denied.contains($0.pin) })
    }.filter { !$0.1.isEmpty }
    guard let (newest, keys) = pinning.last else { return [] }
    let names = Dictionary(newest.manifest.keys.map { ($0.pin, $0.name) }) { first, _ in first }
    let common = keys.filter { key in pinning.allSatisfy { $0.1.contains { $0.pin == key.pin } } }
    return (common.filter(\.isBackup) + common.filter { !$0.isBackup }).compactMap { key in
      names[key.pin].map { "'\($0)'" + (key.isBackup ? " (backup)" : "") }
    }
  }
}

import OpenSSLKit
import PinFormat
import PinValidator

/// Judges target after target, and keeps what they share.
struct TargetJudge {
  private let manifest: LoadedManifest?
  private let stores: [StoreJudge]
  private let instant: Instant
  private let library: CertificateLibrary
  private let issuance: IssuanceCache
  /// What is written in each certificate that was met.
  private(set) var records: [SHA256Digest: CertificateRecord] = [:]

  /// A chain as some offers brought it; the version only where the entry asks for one.
  private struct Question: Hashable {
    var chain: [SHA256Digest]
    var tlsVersion: TLSVersion?
  }

  private struct Answer {
    var judgements: [StoreJudgement]
    var flaws: [ChainFlaw]
    /// Every certificate that was met and issued the leaf.
    var issuers: [Certificate]
    /// What stapled responses say of the leaf, each verified once.
    var staples: [[UInt8]: StapleStatus] = [:]
  }

  init(
    manifest: LoadedManifest?, stores: [StoreJudge], instant: Instant, library: CertificateLibrary,
    issuance: IssuanceCache
  ) {
    self.manifest = manifest
    self.stores = stores
    self.instant = instant
    self.library = library
    self.issuance = issuance
  }

  /// Judges all visits to a target; a chain that several brought is judged once.
  mutating func assess(_ target: Evidence.Target) throws(JudgeError) -> AssessedTarget {
    var answers: [Question: Answer] = [:]
    var visits: [AssessedVisit] = []
    let dependsOnVersion = dependsOnVersion(target)
    for address in target.addresses {
      for visit in address.visits {
        let outcome: AssessedVisit.Outcome
        if let served = visit.served {
          let version = visit.offer.tlsVersion
          let question = Question(chain: served.chain, tlsVersion: dependsOnVersion ? version : nil)
          var judged: Answer
          if let known = answers[question] {
            judged = known
          } else {
            judged = try answer(to: question, for: target, version)
          }
          note(served.staple, of: served.chain, in: &judged)
          answers[question] = judged
          outcome = .served(report(on: served, of: visit, judged))
        } else {
          let failure = visit.failure ?? Evidence.Failure(.local, "nothing was recorded of this visit")
          outcome = address.isNotOffered(failure) ? .notOffered(failure) : .failed(failure)
        }
        visits.append(
          AssessedVisit(
            address: address.address, port: address.port, offer: visit.offer, observed: visit.observed,
            attempts: visit.attempts, outcome: outcome))
      }
    }
    return AssessedTarget(
      host: target.host, port: target.port, startTLS: target.startTLS, unresolved: target.unresolved, visits: visits)
  }

  /// True where the entry that governs the target asks for a version of TLS, so that each offer is a case of its own.
  private func dependsOnVersion(_ target: Evidence.Target) -> Bool {
    guard let manifest,
      case .pinned(let entry) = manifest.govern(host: target.host.text, port: target.port, at: instant)
    else { return false }
    return manifest.tables.trust(ofHost: entry.number)?.minimumTLS != nil
  }

  private mutating func answer(
    to question: Question, for target: Evidence.Target, _ version: TLSVersion
  ) throws(JudgeError) -> Answer {
    var served: [[UInt8]] = []
    var met: [Certificate] = []
    for fingerprint in question.chain {
      served.append(try library.der(fingerprint, namedBy: "a visit to \(target.label)"))
      if let certificate = library.certificate(fingerprint) { met.append(certificate) }
    }
    var judgements: [StoreJudgement] = []
    for store in stores {
      judgements.append(
        store.judge(served, for: target, at: instant, tlsVersion: version) { met.append($0) })
    }
    for certificate in met { note(certificate) }
    let gaps = IncompleteChain(judgements: judgements, served: question.chain, records: records).flaws
    return Answer(
      judgements: judgements, flaws: form(of: question.chain).flaws + gaps,
      issuers: issuers(ofLeaf: question.chain.first, among: met))
  }

  /// Those that issued the leaf, each authority once.
  private func issuers(ofLeaf leaf: SHA256Digest?, among met: [Certificate]) -> [Certificate] {
    guard let leaf = leaf.flatMap({ library.certificate($0) }) else { return [] }
    var issuers: [Certificate] = []
    var budget = 16
    for candidate in met where candidate.mayHaveIssued(leaf) {
      guard !issuers.contains(where: { $0.isSameAuthority(as: candidate) }),
        issuance.hasSigned(candidate, leaf, budget: &budget) == true
      else { continue }
      issuers.append(candidate)
    }
    return issuers
  }

  private func note(_ staple: [UInt8]?, of chain: [SHA256Digest], in answer: inout Answer) {
    guard let staple, answer.staples[staple] == nil else { return }
    guard let leaf = chain.first.flatMap({ library.certificate($0) }) else {
      answer.staples[staple] = .unusable("the leaf that it should speak of can't be read")
      return
    }
    answer.staples[staple] = Staple(bytes: staple, leaf: leaf, issuers: answer.issuers).status(at: instant)
  }

  /// If a chain is too long to be judged, only its beginning is read.
  private func form(of chain: [SHA256Digest]) -> ChainForm {
    ChainForm(
      chain.prefix(ServedChain.maximumCertificates).map { library.certificate($0) }, issuance: issuance)
  }

  private mutating func note(_ certificate: Certificate) {
    let fingerprint = SHA256Digest(certificate.fingerprint)
    guard records[fingerprint] == nil else { return }
    records[fingerprint] = CertificateRecord(certificate)
  }

  private func report(on served: Evidence.Served, of visit: Evidence.Visit, _ answer: Answer) -> ServedReport {
    ServedReport(
      chain: served.chain, flaws: answer.flaws, staple: served.staple.flatMap { answer.staples[$0] },
      timestamps: served.timestamps,
      clientCertificate: served.clientCertificate,
      clockOffset: served.serverDate.map { $0.seconds(since: visit.observed) }, failure: visit.failure,
      judgements: answer.judgements)
  }
}

extension Evidence.Target {
  /// `api.example.com:443`.
  var label: String { HostLabel.text(host: host, port: port) }
}

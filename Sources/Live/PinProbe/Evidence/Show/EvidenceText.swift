import Diagnostics
import OpenSSLKit
import PinFormat

/// Evidence as tables that people read.
package struct EvidenceText {
  private let evidence: Evidence

  package init(evidence: Evidence) { self.evidence = evidence }

  package func text() -> String {
    [head(), targets(), certificates()].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private func head() -> String {
    let seconds = evidence.ended.seconds(since: evidence.begun)
    let answered = evidence.targets.count { $0.addresses.contains { $0.visits.contains { $0.served != nil } } }
    var table = Table()
    table.add("recorded", "\(evidence.begun) to \(evidence.ended) (\(seconds) s)")
    table.add("by", VisibleText.of(evidence.tool))
    table.add("covers", coverage)
    if !evidence.unasked.isEmpty {
      table.add("not asked for", evidence.unasked.map { $0.title + " keys" }.joined(separator: ", "))
    }
    table.add("trust stores", stores.isEmpty ? "none" : stores)
    table.add("hosts", "\(evidence.targets.count), of which \(answered) answered")
    return table.text()
  }

  private var coverage: String {
    let numbers = evidence.shards.map { String($0.number) }.joined(separator: ", ")
    let part = evidence.shards.first.map {
      (evidence.shards.count == 1 ? "shard" : "shards") + " \(numbers) of \($0.count)"
    }
    let extent = part ?? (evidence.isPartial ? "a part" : "everything that was to be probed")
    return extent + (evidence.isPartial ? ": probing was stopped early" : "")
  }

  private var stores: String {
    evidence.stores.map { "\($0.name) (\(counted($0.anchors.count, "anchor")))" }.joined(separator: ", ")
  }

  private func targets() -> String {
    guard !evidence.targets.isEmpty else { return "" }
    var table = Table()
    table.add("HOST", "ADDRESS", "OFFERS", "OUTCOME")
    for target in evidence.targets {
      let label = HostLabel.text(host: target.host, port: target.port)
      var title = label + (target.startTLS.map { " (\($0.rawValue))" } ?? "")
      for address in target.addresses {
        var place = address.port == target.port ? address.address : address.label
        for (outcome, offers) in Self.outcomes(of: address) {
          table.add(title, place, offers, outcome)
          (title, place) = ("", "")
        }
      }
      if let failure = target.unresolved {
        table.add(title, target.addresses.isEmpty ? "-" : "others", "-", Self.text(failure))
      }
    }
    return "HOSTS (\(evidence.targets.count))\n" + table.text(indent: 2)
  }

  /// Each distinct outcome of an address, with the offers that came to it.
  private static func outcomes(of address: Evidence.Address) -> [(outcome: String, offers: String)] {
    var outcomes: [(outcome: String, offers: [String])] = []
    for visit in address.visits {
      let outcome = text(visit)
      let offer = "\(visit.offer.keyFamily.title) \(visit.offer.tlsVersion.rawValue)"
      if let index = outcomes.firstIndex(where: { $0.outcome == outcome }) {
        outcomes[index].offers.append(offer)
      } else {
        outcomes.append((outcome, [offer]))
      }
    }
    return outcomes.map { ($0.outcome, $0.offers.joined(separator: ", ")) }
  }

  private static func text(_ visit: Evidence.Visit) -> String {
    var parts: [String] = []
    if let served = visit.served {
      parts.append("chain " + served.chain.map(short).joined(separator: " "))
      if served.timestamps > 0 { parts.append(counted(served.timestamps, "timestamp")) }
      if let staple = served.staple { parts.append("staple of \(counted(staple.count, "byte"))") }
      if let date = served.serverDate { parts.append("its clock: \(date)") }
      switch served.clientCertificate {
      case .notAsked: break
      case .asked: parts.append("client certificate requested")
      case .sent: parts.append("client certificate sent")
      }
    }
    if let failure = visit.failure { parts.append(text(failure)) }
    if visit.attempts > 1 { parts.append("\(visit.attempts) attempts") }
    return parts.joined(separator: "; ")
  }

  private static func text(_ failure: Evidence.Failure) -> String {
    failure.message.isEmpty ? failure.kind.rawValue : VisibleText.of(failure.message)
  }

  private func certificates() -> String {
    guard !evidence.certificates.isEmpty else { return "" }
    var table = Table()
    table.add("DIGEST", "EXPIRES", "PIN", "SUBJECT")
    for item in evidence.certificates {
      let facts = CertificateSummary(item.der)
      table.add(
        Self.short(item.fingerprint), facts?.notAfter?.description ?? "-", facts?.pin?.description ?? "-",
        facts.map { VisibleText.of($0.subject) } ?? "not a certificate")
    }
    return "CERTIFICATES (\(evidence.certificates.count))\n" + table.text(indent: 2)
  }

  /// The first digits, which people tell certificates apart by.
  private static func short(_ digest: SHA256Digest) -> String { String(digest.hex.prefix(8)) }
}

/// What is shown of a certificate; nil where the bytes aren't a certificate.
struct CertificateSummary {
  var subject: String
  var issuer: String
  var notBefore: Instant?
  var notAfter: Instant?
  var pin: Pin?

  init?(_ der: [UInt8]) {
    guard let certificate = try? Certificate(der: der) else { return nil }
    subject = certificate.subject
    issuer = certificate.issuer
    notBefore = certificate.notBefore.map { Instant(secondsSinceEpoch: $0) }
    notAfter = certificate.notAfter.map { Instant(secondsSinceEpoch: $0) }
    pin = (try? certificate.publicKeyDigest()).map { Pin(SHA256Digest($0)) }
  }
}

extension Evidence.Address {
  /// The address with the port that was connected to.
  package var label: String {
    (address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address) + ":\(port)"
  }
}

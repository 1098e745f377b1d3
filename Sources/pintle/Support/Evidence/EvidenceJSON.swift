import Diagnostics
import PinFormat
import PinProbe

/// Evidence as JSON for programs: the record's content without the certificates' bytes, but with what they say.
struct EvidenceJSON {
  let evidence: Evidence

  func text() -> String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("begun", evidence.begun.description)
      writer.member("ended", evidence.ended.description)
      writer.member("partial", evidence.isPartial)
      writer.member("tool", evidence.tool)
      if let count = evidence.shards.first?.count {
        writer.object("shards") { writer in
          writer.member("count", count)
          writer.array("numbers") { writer in evidence.shards.forEach { writer.member(nil, $0.number) } }
        }
      }
      writer.array("stores") { writer in
        for store in evidence.stores {
          writer.object { writer in
            writer.member("name", store.name)
            Self.write("anchors", store.anchors, to: &writer)
          }
        }
      }
      writer.array("targets") { writer in evidence.targets.forEach { Self.write($0, to: &writer) } }
      writer.array("certificates") { writer in evidence.certificates.forEach { Self.write($0, to: &writer) } }
    }
    return writer.text + "\n"
  }

  private static func write(_ target: Evidence.Target, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("host", target.host.text)
      writer.member("port", Int(target.port))
      if let startTLS = target.startTLS { writer.member("startTLS", startTLS.rawValue) }
      if let unresolved = target.unresolved { write("unresolved", unresolved, to: &writer) }
      writer.array("addresses") { writer in
        for address in target.addresses {
          writer.object { writer in
            writer.member("address", address.address)
            writer.member("port", Int(address.port))
            writer.array("visits") { writer in address.visits.forEach { write($0, to: &writer) } }
          }
        }
      }
    }
  }

  private static func write(_ visit: Evidence.Visit, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("keyType", visit.offer.keyFamily.rawValue)
      writer.member("tlsVersion", visit.offer.tlsVersion.rawValue)
      writer.member("observed", visit.observed.description)
      writer.member("attempts", visit.attempts)
      if let served = visit.served {
        write("chain", served.chain, to: &writer)
        writer.member("timestamps", served.timestamps)
        if let staple = served.staple { writer.member("stapleBytes", staple.count) }
        writer.member("clientCertificate", served.clientCertificate.rawValue)
        if let date = served.serverDate { writer.member("serverDate", date.description) }
      }
      if let failure = visit.failure { write("failure", failure, to: &writer) }
    }
  }

  private static func write(_ name: String, _ failure: Evidence.Failure, to writer: inout JSONWriter) {
    writer.object(name) { writer in
      writer.member("kind", failure.kind.rawValue)
      if let alert = failure.alert { writer.member("alert", Int(alert)) }
      writer.member("message", failure.message)
    }
  }

  private static func write(_ certificate: Manifest.Certificate, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("digest", certificate.fingerprint.hex)
      guard let facts = CertificateSummary(certificate.der) else { return }
      writer.member("subject", facts.subject)
      writer.member("issuer", facts.issuer)
      if let notBefore = facts.notBefore { writer.member("notBefore", notBefore.description) }
      if let notAfter = facts.notAfter { writer.member("notAfter", notAfter.description) }
      if let pin = facts.pin { writer.member("pin", pin.description) }
    }
  }

  private static func write(_ name: String, _ digests: [SHA256Digest], to writer: inout JSONWriter) {
    writer.array(name) { writer in digests.forEach { writer.member(nil, $0.hex) } }
  }
}

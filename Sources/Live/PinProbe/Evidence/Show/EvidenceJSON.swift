import Diagnostics
import PinFormat

/// Evidence as JSON for programs: the record's content without the certificates' bytes, but with what they say.
package struct EvidenceJSON {
  private let evidence: Evidence

  package init(evidence: Evidence) { self.evidence = evidence }

  package func text() -> String {
    JSONWriter.text { writer in
      writer.member("begun", evidence.begun)
      writer.member("ended", evidence.ended)
      writer.member("partial", evidence.isPartial)
      writer.member("tool", evidence.tool)
      if !evidence.unasked.isEmpty { writer.array("unasked", evidence.unasked.map(\.rawValue)) }
      if let count = evidence.shards.first?.count {
        writer.object("shards") { writer in
          writer.member("count", count)
          writer.array("numbers") { writer in evidence.shards.forEach { writer.member(nil, $0.number) } }
        }
      }
      writer.objects("stores", evidence.stores) { store, writer in
        writer.member("name", store.name)
        writer.array("anchors", store.anchors.map(\.hex))
      }
      writer.objects("targets", evidence.targets) { Self.add($0, to: &$1) }
      writer.objects("certificates", evidence.certificates) { Self.add($0, to: &$1) }
    }
  }

  private static func add(_ target: Evidence.Target, to writer: inout JSONWriter) {
    writer.member("host", target.host.text)
    writer.member("port", target.port)
    writer.member("startTLS", target.startTLS)
    add(target.unresolved, as: "unresolved", to: &writer)
    writer.objects("addresses", target.addresses) { address, writer in
      writer.member("address", address.address)
      writer.member("port", address.port)
      writer.objects("visits", address.visits) { add($0, to: &$1) }
    }
  }

  private static func add(_ visit: Evidence.Visit, to writer: inout JSONWriter) {
    writer.member("keyType", visit.offer.keyFamily)
    writer.member("tlsVersion", visit.offer.tlsVersion)
    writer.member("observed", visit.observed)
    writer.member("attempts", visit.attempts)
    if let served = visit.served {
      writer.array("chain", served.chain.map(\.hex))
      writer.member("timestamps", served.timestamps)
      writer.member("stapleBytes", served.staple?.count)
      writer.member("clientCertificate", served.clientCertificate)
      writer.member("serverDate", served.serverDate)
    }
    add(visit.failure, as: "failure", to: &writer)
  }

  private static func add(_ failure: Evidence.Failure?, as name: String, to writer: inout JSONWriter) {
    guard let failure else { return }
    writer.object(name) { writer in
      writer.member("kind", failure.kind)
      writer.member("alert", failure.alert)
      writer.member("message", failure.message)
    }
  }

  private static func add(_ certificate: Manifest.Certificate, to writer: inout JSONWriter) {
    let facts = CertificateSummary(certificate.der)
    writer.member("digest", certificate.fingerprint.hex)
    writer.member("subject", facts?.subject)
    writer.member("issuer", facts?.issuer)
    writer.member("notBefore", facts?.notBefore)
    writer.member("notAfter", facts?.notAfter)
    writer.member("pin", facts?.pin)
  }
}

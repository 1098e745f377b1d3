import Diagnostics
import OpenSSLKit
import PinFormat

extension JSONWriter {
  /// What a manifest says of itself.
  mutating func release(_ name: String, _ manifest: Manifest) {
    object(name) { writer in
      writer.member("audience", manifest.audience)
      writer.member("serial", manifest.serial)
      writer.member("issued", manifest.issued)
      writer.member("refreshAfter", manifest.refreshAfter)
      writer.member("expires", manifest.expires)
      writer.member("onStale", manifest.onStale)
      writer.member("unpinnedHosts", manifest.unpinnedHosts)
      writer.digest("previous", manifest.previous)
      writer.digest("sources", manifest.provenance.sources)
      writer.member("commit", manifest.provenance.commit)
      writer.member("compiler", manifest.provenance.compiler)
      writer.array("critical", manifest.critical)
      writer.member("drasticChange", manifest.drasticChange)
      writer.member("entries", manifest.hosts.count)
    }
  }

  /// The lists of a manifest, in its order.
  mutating func content(_ name: String, _ manifest: Manifest) {
    object(name) { writer in
      writer.objects("hosts", manifest.hosts) { $1.entry($0) }
      writer.objects("keySets", manifest.keySets) { set, writer in
        writer.member("name", set.name)
        writer.array("active", set.active)
        writer.array("backup", set.backup)
      }
      writer.manifestKeys("keys", manifest.keys)
      writer.objects("certificates", manifest.certificates) { certificate, writer in
        writer.digest("digest", certificate.fingerprint)
        writer.member("bytes", certificate.der.count)
        writer.member("subject", (try? OpenSSLKit.Certificate(der: certificate.der))?.subject)
      }
    }
  }

  /// Keys with what a manifest says of each.
  mutating func manifestKeys(_ name: String, _ keys: [Manifest.Key]) {
    objects(name, keys) { key, writer in
      writer.member("name", key.name)
      writer.member("pin", key.pin)
      writer.member("position", key.position)
      writer.member("denied", key.denied)
    }
  }

  private mutating func entry(_ entry: Manifest.HostEntry) {
    member("host", entry.host.text)
    member("port", entry.port)
    member("includeSubdomains", entry.includeSubdomains)
    member("mode", entry.mode)
    member("keySet", entry.keySet)
    member("require", entry.requirement)
    member("expires", entry.expires)
    member("onExpiry", entry.onExpiry)
    array("reportURIs", entry.reportURIs)
    if let trust = entry.trust { object("trust") { $0.trust(trust) } }
  }

  private mutating func trust(_ trust: Manifest.Trust) {
    member("systemAnchors", trust.systemAnchors)
    digests("anchors", trust.anchors)
    digests("intermediates", trust.intermediates)
    digest("certificate", trust.certificate)
    member("serverName", trust.serverName?.text)
    objects("exceptions", trust.exceptions) { exception, writer in
      writer.member("failure", exception.failure)
      writer.digest("certificate", exception.certificate)
      writer.member("until", exception.until)
      writer.member("reason", exception.reason)
    }
    member("minimumRSABits", trust.minimumRSABits)
    member("minimumECBits", trust.minimumECBits)
    array("signatures", trust.signatures.map(\.rawValue))
    member("minimumTLS", trust.minimumTLS)
  }
}

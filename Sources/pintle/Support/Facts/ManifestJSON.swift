import Diagnostics
import OpenSSLKit
import PinFormat

extension JSONWriter {
  /// What a manifest says of itself.
  mutating func release(_ name: String, _ manifest: Manifest) {
    object(name) { writer in
      writer.member("audience", manifest.audience)
      writer.member("serial", Int(manifest.serial))
      writer.member("issued", manifest.issued.description)
      writer.member("refreshAfter", manifest.refreshAfter.description)
      writer.member("expires", manifest.expires.description)
      writer.member("onStale", manifest.onStale.rawValue)
      writer.member("unpinnedHosts", manifest.unpinnedHosts.rawValue)
      if let previous = manifest.previous { writer.digest("previous", previous) }
      writer.digest("sources", manifest.provenance.sources)
      if let commit = manifest.provenance.commit { writer.member("commit", commit) }
      writer.member("compiler", manifest.provenance.compiler)
      writer.array("critical", manifest.critical)
      if let reason = manifest.drasticChange { writer.member("drasticChange", reason) }
      writer.member("entries", manifest.hosts.count)
    }
  }

  /// The lists of a manifest, in its order.
  mutating func content(_ name: String, _ manifest: Manifest) {
    object(name) { writer in
      writer.array("hosts") { writer in
        for entry in manifest.hosts { writer.object { $0.entry(entry) } }
      }
      writer.array("keySets") { writer in
        for set in manifest.keySets {
          writer.object { writer in
            writer.member("name", set.name)
            writer.array("active", set.active)
            writer.array("backup", set.backup)
          }
        }
      }
      writer.manifestKeys("keys", manifest.keys)
      writer.array("certificates") { writer in
        for certificate in manifest.certificates {
          writer.object { writer in
            writer.digest("digest", certificate.fingerprint)
            writer.member("bytes", certificate.der.count)
            if let known = try? OpenSSLKit.Certificate(der: certificate.der) {
              writer.member("subject", known.subject)
            }
          }
        }
      }
    }
  }

  /// Keys with what a manifest says of each.
  mutating func manifestKeys(_ name: String, _ keys: [Manifest.Key]) {
    array(name) { writer in
      for key in keys {
        writer.object { writer in
          writer.member("name", key.name)
          writer.member("pin", key.pin.description)
          if let position = key.position { writer.member("position", position.rawValue) }
          if let denied = key.denied { writer.member("denied", denied) }
        }
      }
    }
  }

  private mutating func entry(_ entry: Manifest.HostEntry) {
    member("host", entry.host.text)
    if let port = entry.port { member("port", Int(port)) }
    member("includeSubdomains", entry.includeSubdomains)
    member("mode", entry.mode.rawValue)
    if let set = entry.keySet { member("keySet", set) }
    member("require", entry.requirement.rawValue)
    if let expires = entry.expires { member("expires", expires.description) }
    if let action = entry.onExpiry { member("onExpiry", action.rawValue) }
    array("reportURIs", entry.reportURIs)
    if let trust = entry.trust { object("trust") { $0.trust(trust) } }
  }

  private mutating func trust(_ trust: Manifest.Trust) {
    member("systemAnchors", trust.systemAnchors)
    digests("anchors", trust.anchors)
    digests("intermediates", trust.intermediates)
    if let certificate = trust.certificate { digest("certificate", certificate) }
    if let name = trust.serverName { member("serverName", name.text) }
    array("exceptions") { writer in
      for exception in trust.exceptions {
        writer.object { writer in
          writer.member("failure", exception.failure.rawValue)
          writer.digest("certificate", exception.certificate)
          writer.member("until", exception.until.description)
          writer.member("reason", exception.reason)
        }
      }
    }
    if let bits = trust.minimumRSABits { member("minimumRSABits", bits) }
    if let bits = trust.minimumECBits { member("minimumECBits", bits) }
    array("signatures", trust.signatures.map(\.rawValue))
    if let version = trust.minimumTLS { member("minimumTLS", version.rawValue) }
  }
}

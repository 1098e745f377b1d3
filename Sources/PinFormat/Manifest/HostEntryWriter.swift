extension CanonicalWriter {
  /// Writes an entry; `reporting` is the number of its list of report URIs, where it has one.
  mutating func entry(_ entry: borrowing Manifest.HostEntry, reporting: Int?) {
    let isPinned = entry.mode != .off
    var first = true
    if isPinned, let expires = entry.expires {
      field("expires", first: true)
      instant(expires)
      first = false
    }
    field("host", first: first)
    string(entry.host.text)
    if entry.includeSubdomains {
      field("include-subdomains")
      integer(1)
    }
    if isPinned, let keySet = entry.keySet {
      field("key-set")
      string(keySet)
    }
    field("mode")
    string(entry.mode.rawValue)
    if isPinned, let onExpiry = entry.onExpiry {
      field("on-expiry")
      string(onExpiry.rawValue)
    }
    if let port = entry.port {
      field("port")
      integer(Int64(port))
    }
    if let reporting {
      field("reporting")
      integer(Int64(reporting))
    }
    if isPinned, entry.requirement != .any {
      field("require")
      string(entry.requirement.rawValue)
    }
    if isPinned, let trust = entry.trust, !trust.isEmpty {
      field("trust")
      self.trust(trust)
    }
    byte("}")
  }

  private mutating func trust(_ trust: Manifest.Trust) {
    var first = true
    digests("anchors", trust.anchors, &first)
    if let certificate = trust.certificate {
      field("certificate", first: &first)
      digest(certificate)
    }
    if !trust.exceptions.isEmpty {
      field("exceptions", first: &first)
      let exceptions = trust.exceptions
      list(exceptions.sortedUnlessInOrder { exceptions[$0].precedes(exceptions[$1]) }) { writer, exception in
        writer.field("certificate", first: true)
        writer.digest(exception.certificate)
        writer.field("failure")
        writer.string(exception.failure.rawValue)
        writer.field("reason")
        writer.string(exception.reason)
        writer.field("until")
        writer.instant(exception.until)
        writer.byte("}")
      }
    }
    digests("intermediates", trust.intermediates, &first)
    if let bits = trust.minimumECBits {
      field("minimum-ec-bits", first: &first)
      integer(Int64(bits))
    }
    if let bits = trust.minimumRSABits {
      field("minimum-rsa-bits", first: &first)
      integer(Int64(bits))
    }
    if let version = trust.minimumTLS {
      field("minimum-tls", first: &first)
      string(version.rawValue)
    }
    if let name = trust.serverName {
      field("server-name", first: &first)
      string(name.text)
    }
    if !trust.signatures.isEmpty {
      field("signatures", first: &first)
      strings(trust.signatures.map { $0.rawValue }.sortedByBytes())
    }
    if !trust.systemAnchors {
      field("system-anchors", first: &first)
      integer(0)
    }
    byte("}")
  }

  private mutating func digests(_ name: StaticString, _ digests: [SHA256Digest], _ first: inout Bool) {
    guard !digests.isEmpty else { return }
    field(name, first: &first)
    list(digests.sortedUnlessInOrder { digests[$0] < digests[$1] }) { writer, digest in writer.digest(digest) }
  }
}

extension CanonicalWriter {
  mutating func entry(_ entry: Manifest.HostEntry, reporting: ReportingLists) {
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
    if isPinned, let index = reporting.index(of: entry.reportURIs) {
      field("reporting")
      integer(Int64(index))
    }
    if isPinned, entry.requirement != .any {
      field("require")
      string(entry.requirement.rawValue)
    }
    if isPinned, let trust = entry.trust, trust != Manifest.Trust() {
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
      list(trust.exceptions.sorted { $0.precedes($1) }) { writer, exception in
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

  private mutating func field(_ name: StaticString, first: inout Bool) {
    field(name, first: first)
    first = false
  }

  private mutating func digests(_ name: StaticString, _ digests: [SHA256Digest], _ first: inout Bool) {
    guard !digests.isEmpty else { return }
    field(name, first: &first)
    list(digests.sorted { $0.precedes($1) }) { writer, digest in writer.digest(digest) }
  }
}

/// The distinct lists of report URIs of a manifest, encoded, in the order of their encodings' bytes.
struct ReportingLists {
  let lists: [[UInt8]]
  private var indexes: [[String]: Int] = [:]

  var isEmpty: Bool { lists.isEmpty }

  init(_ hosts: [Manifest.HostEntry]) {
    var distinct: Set<[String]> = []
    for host in hosts where host.mode != .off && !host.reportURIs.isEmpty { distinct.insert(host.reportURIs) }
    let sorted = distinct.map { uris in
      var writer = CanonicalWriter(capacity: 64)
      writer.strings(uris)
      return (uris: uris, encoded: writer.bytes)
    }.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) }
    lists = sorted.map { $0.encoded }
    for index in sorted.indices { indexes[sorted[index].uris] = index }
  }

  func index(of uris: [String]) -> Int? { uris.isEmpty ? nil : indexes[uris] }
}

extension String {
  /// Orders by UTF-8 bytes.
  func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension [String] {
  func sortedByBytes() -> [String] { sorted { $0.precedes($1) } }
}

extension SHA256Digest {
  /// Orders by bytes, which is the order of the hexadecimal digits.
  package func precedes(_ other: SHA256Digest) -> Bool {
    for index in 0..<Self.byteCount where self[index] != other[index] { return self[index] < other[index] }
    return false
  }
}

extension Manifest.HostEntry {
  /// Orders by host, then port, those without a port first.
  package func precedes(_ other: Manifest.HostEntry) -> Bool {
    if host.text != other.host.text { return host.text.precedes(other.host.text) }
    return (port ?? 0) < (other.port ?? 0)
  }
}

extension Manifest.Exception {
  /// Orders by certificate, then failure.
  func precedes(_ other: Manifest.Exception) -> Bool {
    if certificate != other.certificate { return certificate.precedes(other.certificate) }
    return failure.rawValue.precedes(other.failure.rawValue)
  }
}

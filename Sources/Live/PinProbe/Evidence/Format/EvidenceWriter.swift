import PinFormat

extension Evidence {
  /// The canonical bytes of a file.
  ///
  /// What is written is ``canonical``, so the order of lists doesn't matter here. Each digest that is named must be in
  /// ``certificates``.
  package func encoded() -> [UInt8] {
    canonical.written()
  }

  private func written() -> [UInt8] {
    var writer = CanonicalWriter(capacity: estimatedSize)
    writeBeginning(to: &writer)
    if !certificates.isEmpty {
      writer.field("certificates")
      writer.object(certificates) { writer, certificate in
        writer.digest(certificate.fingerprint)
        writer.byte(":")
        writer.base64(certificate.der)
      }
    }
    writeMiddle(to: &writer)
    if !targets.isEmpty {
      writer.field("targets")
      writer.list(targets) { writer, target in writer.target(target) }
    }
    writeEnd(to: &writer)
    return writer.bytes
  }

  /// What is in front of the certificates.
  func writeBeginning(to writer: inout CanonicalWriter) {
    writer.field("begun", first: true)
    writer.instant(begun)
  }

  /// What is between certificates and targets.
  func writeMiddle(to writer: inout CanonicalWriter) {
    writer.field("ended")
    writer.instant(ended)
    if isPartial {
      writer.field("partial")
      writer.integer(1)
    }
    if let count = shards.first?.count {
      writer.field("shards")
      writer.field("count", first: true)
      writer.integer(Int64(count))
      writer.field("numbers")
      writer.list(shards) { writer, shard in writer.integer(Int64(shard.number)) }
      writer.byte("}")
    }
    if !stores.isEmpty {
      writer.field("stores")
      writer.object(stores) { writer, store in
        writer.string(store.name)
        writer.byte(":")
        writer.digests(store.anchors)
      }
    }
  }

  /// What is behind the targets.
  func writeEnd(to writer: inout CanonicalWriter) {
    writer.field("tool")
    writer.string(tool)
    writer.field("type")
    writer.string(Self.mediaType)
    if !unasked.isEmpty {
      writer.field("unasked")
      writer.list(unasked) { writer, family in writer.string(family.rawValue) }
    }
    writer.field("version")
    writer.integer(Self.version)
    writer.byte("}")
  }

  /// A size that the canonical bytes rarely exceed, so that the buffer is made once.
  private var estimatedSize: Int {
    var size = 1_024
    for certificate in certificates { size += 72 + certificate.der.count / 3 * 4 }
    for store in stores { size += 80 + store.anchors.count * 67 }
    for target in targets {
      size += 80 + target.host.text.utf8.count
      for address in target.addresses {
        size += 80
        for visit in address.visits {
          size += 200 + (visit.served.map { $0.chain.count * 67 + ($0.staple?.count ?? 0) / 3 * 4 } ?? 200)
        }
      }
    }
    return size
  }
}

extension CanonicalWriter {
  mutating func target(_ target: Evidence.Target) {
    var first = true
    if !target.addresses.isEmpty {
      field("addresses", first: &first)
      list(target.addresses) { writer, address in writer.address(address, of: target) }
    }
    field("host", first: &first)
    string(target.host.text)
    field("port")
    integer(Int64(target.port))
    if let startTLS = target.startTLS {
      field("starttls")
      string(startTLS.rawValue)
    }
    if let unresolved = target.unresolved {
      field("unresolved")
      failure(unresolved)
    }
    byte("}")
  }

  private mutating func address(_ address: Evidence.Address, of target: Evidence.Target) {
    field("address", first: true)
    string(address.address)
    if address.port != target.port {
      field("port")
      integer(Int64(address.port))
    }
    field("visits")
    list(address.visits) { writer, visit in writer.visit(visit) }
    byte("}")
  }

  private mutating func visit(_ visit: Evidence.Visit) {
    var first = true
    if visit.attempts > 1 {
      field("attempts", first: &first)
      integer(Int64(visit.attempts))
    }
    if let served = visit.served {
      field("chain", first: &first)
      digests(served.chain)
      if served.clientCertificate != .notAsked {
        field("client-certificate", first: &first)
        string(served.clientCertificate.rawValue)
      }
    }
    if let failure = visit.failure {
      field("failure", first: &first)
      self.failure(failure)
    }
    field("key-type", first: &first)
    string(visit.offer.keyFamily.rawValue)
    field("observed")
    instant(visit.observed)
    if let date = visit.served?.serverDate {
      field("server-date")
      instant(date)
    }
    if let staple = visit.served?.staple {
      field("staple")
      base64(staple)
    }
    if let timestamps = visit.served?.timestamps, timestamps > 0 {
      field("timestamps")
      integer(Int64(timestamps))
    }
    field("tls-version")
    string(visit.offer.tlsVersion.rawValue)
    byte("}")
  }

  private mutating func failure(_ failure: Evidence.Failure) {
    var first = true
    if let alert = failure.alert {
      field("alert", first: &first)
      integer(Int64(alert))
    }
    field("kind", first: &first)
    string(failure.kind.rawValue)
    field("message")
    string(failure.message)
    byte("}")
  }

  mutating func digests(_ digests: [SHA256Digest]) {
    list(digests) { writer, digest in writer.digest(digest) }
  }
}

/// What people read: names and whole entries, read again from the signed bytes.
extension ManifestTables {
  /// A key's name.
  package func name(ofKey number: Int) -> String { text(at: keys[number].name) }

  /// A key's pin.
  package func pin(ofKey number: Int) -> Pin? {
    let start = keys[number].pin
    return Base64.decode(bytes[start..<start + PinText.byteCount]).flatMap { SHA256Digest($0) }.map { Pin($0) }
  }

  /// Why a key is denied; nil where it isn't.
  package func denial(ofKey number: Int) -> String? {
    guard keys[number].isDenied else { return nil }
    var scanner = CanonicalScanner(bytes, from: Int(keys[number].name) - 1, to: signed.upperBound)
    guard let range = try? scanner.key().denied else { return nil }
    return scanner.decoded(range)
  }

  /// A key set's name.
  package func name(ofKeySet number: Int) -> String { text(at: keySets[number].name) }

  /// An entry's host.
  package func host(ofEntry number: Int) -> String {
    String(decoding: bytes[hosts[number].nameRange], as: UTF8.self)
  }

  /// An entry as messages name it: `api.example.com:8443`.
  package func label(ofEntry number: Int) -> String {
    HostLabel.text(host: host(ofEntry: number), port: hosts[number].port)
  }

  /// Where an entry's mismatches are reported, in order of preference.
  package func reportURIs(ofEntry number: Int) -> [String] {
    guard let list = scanned(number)?.reporting else { return [] }
    return reportURIs(ofList: list)
  }

  /// A certificate that `trust` refers to, DER.
  package func certificate(_ fingerprint: SHA256Digest) -> [UInt8]? {
    CertificateRecord.find(fingerprint, in: certificates).flatMap {
      Base64.decode(bytes[certificates[$0].text])
    }
  }

  /// All certificates, by fingerprint and DER.
  package var certificateList: [Manifest.Certificate] {
    certificates.map {
      Manifest.Certificate(fingerprint: $0.fingerprint, der: Base64.decode(bytes[$0.text]) ?? [])
    }
  }

  func reportURIs(ofList number: Int) -> [String] {
    var scanner = CanonicalScanner(bytes, from: Int(reporting[number]), to: signed.upperBound)
    guard let ranges = try? scanner.uris() else { return [] }
    return ranges.map { scanner.decoded($0) }
  }

  /// An entry read again; the bytes were accepted once, so it is there.
  func scanned(_ number: Int) -> ScannedEntry? {
    let record = hosts[number]
    // What stands before the host's text: `{"host":"`, and with an expiry `{"expires":"…","host":"`.
    let before = record.expiryField == HostRecord.none ? 9 : 42
    var scanner = CanonicalScanner(bytes, from: Int(record.name) - before, to: signed.upperBound)
    return try? scanner.entry()
  }

  private func text(at start: UInt32) -> String {
    String(decoding: bytes[bytes.nameRange(at: Int(start))], as: UTF8.self)
  }
}

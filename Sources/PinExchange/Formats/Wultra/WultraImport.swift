import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

extension ImportFormat {
  /// The fingerprints of Wultra's dynamic SSL pinning, and the certificates that they are of.
  ///
  /// `fingerprints`, or `responseObject` as older servers write it: a list of `name` (the host), `fingerprint` (Base64 of
  /// SHA-256 over the whole certificate in DER), `expires` (seconds since 1970), `signature`, and since 2026 `depth` (0 for
  /// the leaf). A fingerprint says nothing of the key, so the certificates have to be given beside the file.
  package static let wultra = ImportFormat(
    name: "wultra", title: "Wultra's fingerprints for dynamic SSL pinning, with their certificates",
    citation: "Wultra, ssl-pinning-android, GetFingerprintResponse.kt", files: 1...16,
    read: { files, settings throws(ExchangeError) in
      guard let file = files.first else { throw ExchangeError(.missingField, "no file was given") }
      let document = try LocatedJSON(file.bytes, file: FileID(0))
      var reader = WultraReader(at: settings.instant)
      for further in files.dropFirst() { try reader.add(further) }
      try reader.read(document.root)
      return reader.builder.imported
    })
}

private struct WultraReader {
  /// What the fingerprints of a host come to.
  private struct Found {
    var keys: [Int] = []
    var expires: [Instant] = []
    var place: Place
  }

  var builder = PinListBuilder()
  private let instant: Instant
  private var certificates: [SHA256Digest: Certificate] = [:]
  private var hosts: [HostName: Found] = [:]

  init(at instant: Instant) {
    self.instant = instant
  }

  mutating func add(_ file: ExchangedFile) throws(ExchangeError) {
    do {
      for certificate in try Certificate.read(file.bytes) {
        certificates[SHA256Digest(certificate.fingerprint)] = certificate
      }
    } catch {
      throw ExchangeError(.unusableKey, "\(ImportWords.quoted(file.name)) has no certificate: \(error.message)")
    }
  }

  mutating func read(_ root: LocatedJSON.Value) throws(ExchangeError) {
    guard let entries = (root["fingerprints"] ?? root["responseObject"])?.items else {
      throw ExchangeError(.missingField, "the list 'fingerprints' is missing")
    }
    let fields: Set<String> = ["fingerprints", "responseObject", "status", "timestamp", "domainsConfig"]
    for member in root.members ?? [] where !fields.contains(member.name.text ?? "") {
      builder.find(
        .unknownField, at: member.name.place,
        "\(ImportWords.quoted(member.name.text ?? "")) is not a known field, and nothing reads it",
        help: "Check whether the policy has to say it in another way.")
    }
    if let domains = root["domainsConfig"] {
      builder.find(
        .otherMeaning, at: domains.place.firstLine,
        "'domainsConfig' may exclude domains from pinning; the policy enforces every host that has a fingerprint",
        help: "If a host should not be pinned, set 'mode: report-only' or remove its entry.")
    }
    for entry in entries { self.entry(entry) }
    for (host, found) in hosts.sorted(by: { $0.key < $1.key }) { finish(host, found) }
  }

  private mutating func entry(_ entry: LocatedJSON.Value) {
    guard let name = entry["name"], let text = name.text, let value = entry["fingerprint"],
      let bytes = value.text.flatMap({ AnyBase64.decode($0) }), let digest = SHA256Digest(bytes),
      let end = entry["expires"], let seconds = end.integer, (0..<253_402_300_800).contains(seconds)
    else {
      builder.find(
        .unreadablePart, at: entry.place.firstLine,
        "an entry lacks its name, its expiry, or a fingerprint of 32 bytes in Base64",
        help: "Give it 'name', 'fingerprint' and 'expires', in seconds since 1970.")
      return
    }
    guard let host = builder.host(text, at: name.place) else { return }
    let expires = Instant(secondsSinceEpoch: seconds)
    guard expires > instant else {
      builder.find(
        .expired, at: end.place,
        "the fingerprint of '\(host)' expired at \(expires), so that clients have dropped it; it was left out",
        help: "Take it out of the file.")
      return
    }
    guard let certificate = certificates[digest], var key = try? PEMKey.key(certificate, name: "\(host)") else {
      builder.find(
        .unusablePin, at: value.place,
        "the fingerprint of '\(host)' is of a certificate that isn't among the files: its key can't be known",
        help: "Give the certificate as PEM after the JSON, such as what the server presents.")
      return
    }
    builder.find(
      .otherMeaning, at: value.place,
      "the file pins this certificate of '\(host)'; the policy pins its key, so a renewal with the same key passes too",
      help: "Accept that, or use a new key for each certificate.")
    key.position = position(entry["depth"]?.integer ?? 0, certificate)
    var found = hosts[host] ?? Found(place: name.place)
    if !found.keys.isEmpty { key.name += "-\(found.keys.count + 1)" }
    found.keys.append(builder.key(key, at: value.place))
    found.expires.append(expires)
    hosts[host] = found
  }

  /// Depth 0 is the leaf; above it the certificate itself says whether it is a root.
  private func position(_ depth: Int64, _ certificate: Certificate) -> KeyPosition {
    if depth == 0 { return .leaf }
    return certificate.isSelfIssued ? .root : .intermediate
  }

  private mutating func finish(_ host: HostName, _ found: Found) {
    guard let earliest = found.expires.min() else { return }
    if Set(found.expires).count > 1 {
      builder.find(
        .otherMeaning, at: found.place,
        "each fingerprint of '\(host)' has its own expiry; the policy blocks from the first of them, \(earliest)",
        help: "Set 'expires:' to the day by which the next certificate is in the policy.")
    }
    let set = builder.keySet(PinList.KeySet(name: nil, active: found.keys), at: nil)
    builder.host(
      PinList.Host(
        host: host, subdomains: .none, mode: .enforce, keySet: set, expires: earliest, onExpiry: .block),
      at: found.place)
  }
}

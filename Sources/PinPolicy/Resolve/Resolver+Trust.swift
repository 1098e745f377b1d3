import Diagnostics
import PinFormat

extension Resolver {
  /// `trust:` with its files read.
  mutating func trust(_ parsed: ParsedTrust) -> Policy.Trust {
    var trust = Policy.Trust(place: parsed.place)
    if let anchors = parsed.anchors {
      trust.systemAnchors = anchors.contains { $0.value == "system" }
      trust.anchorFiles = certificates(in: anchors.filter { $0.value != "system" })
    }
    trust.intermediateFiles = certificates(in: parsed.intermediates)
    trust.certificate = parsed.certificate.flatMap { certificate(in: $0) }
    trust.serverName = parsed.serverName.flatMap { written in
      hostName(written).map { Located($0, at: written.place) }
    }
    trust.exceptions = parsed.exceptions.compactMap { exception($0) }
    trust.minimumRSABits = parsed.minimumRSABits
    trust.minimumECBits = parsed.minimumECBits
    trust.signatures = parsed.signatures
    trust.minimumTLS = parsed.minimumTLS
    trust.reason = parsed.reason
    return trust
  }

  private mutating func exception(_ parsed: ParsedTrust.Exception) -> Policy.Trust.Exception? {
    let material = parsed.certificate.flatMap { certificate(in: $0) }?.value
    guard let failure = parsed.failure, let until = parsed.until, let reason = parsed.reason,
      let fingerprint = material?.certificate?.fingerprint
    else { return nil }
    var exception = Policy.Trust.Exception(
      place: parsed.place, failure: failure, certificate: fingerprint, until: until, reason: reason)
    exception.material = material
    return exception
  }

  /// The certificates of several bundles; those of a bundle that is one too many are left out.
  private mutating func certificates(in paths: [Located<String>]) -> [Located<[KeyMaterial]>] {
    let limit = FormatLimits.trustItems
    var files: [Located<[KeyMaterial]>] = []
    var count = 0
    for path in paths {
      let found = certificates(in: path)
      count += found.value.count
      guard count <= limit else {
        let reason = "with it the list has \(count) certificates where a manifest holds at most \(limit)"
        add(.badKeyFile(path: path.value, reason: reason), at: path.place)
        return files
      }
      if !found.value.isEmpty { files.append(found) }
    }
    return files
  }

  /// The certificates of a bundle.
  private mutating func certificates(in path: Located<String>) -> Located<[KeyMaterial]> {
    guard let loaded = load(path) else { return Located([], at: path.place) }
    guard loaded.materials.allSatisfy({ $0.kind == .certificate }) else {
      let found = loaded.materials.first?.kind.rawValue ?? "nothing"
      add(.badKeyFile(path: path.value, reason: "it holds a \(found) where a certificate belongs"), at: path.place)
      return Located([], at: path.place)
    }
    if let largest = loaded.certificates.map(\.der.count).max(), largest > FormatLimits.certificateBytes {
      let reason = "it holds a certificate of \(largest) bytes; the limit is \(FormatLimits.certificateBytes)"
      add(.badKeyFile(path: path.value, reason: reason), at: path.place)
      return Located([], at: path.place)
    }
    for certificate in loaded.certificates { certificates[certificate.fingerprint] = certificate }
    return Located(loaded.materials, at: path.place)
  }

  /// The one certificate of a file.
  private mutating func certificate(in path: Located<String>) -> Located<KeyMaterial>? {
    let found = certificates(in: path).value
    guard found.count > 1 else { return found.first.map { Located($0, at: path.place) } }
    add(.badKeyFile(path: path.value, reason: "it holds \(found.count) certificates where one belongs"), at: path.place)
    return nil
  }
}

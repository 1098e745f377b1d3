import OpenSSLKit
import PinFormat
import PinReports

extension ReceivedMismatch {
  /// The most certificates of a chain; as many as a validator looks at.
  static let maximumCertificates = 32
  /// The most pins of a host.
  static let maximumPins = 1_024

  /// Brings what a sender wrote into its meaning.
  init(_ raw: RawMismatch, format: ReportFormat) throws(ReportReaderError) {
    self.format = format
    hostname = try Self.host(raw.hostname, "hostname")
    notedHostname = try raw.notedHostname.map { text throws(ReportReaderError) in try Self.host(text, "noted-hostname")
    }
    dateTime = try Self.instant(raw.dateTime, "date-time")
    effectiveExpiration = try Self.instant(
      raw.effectiveExpirationDate ?? raw.knownPinsExpirationDate, "effective-expiration-date")
    guard let number = UInt16(exactly: raw.port?.value ?? 0) else {
      throw ReportReaderError(.invalidValue, "the field 'port' has a value that it can't have")
    }
    port = number == 0 ? nil : number
    includesSubdomains = raw.includeSubdomains?.value
    isEnforced = raw.enforcePinning?.value
    validationResult = raw.validationResult.flatMap { Int(exactly: $0.value) }
    let served = try Self.chain(raw.servedCertificateChain ?? [], "served-certificate-chain")
    let validated = try Self.chain(raw.validatedCertificateChain ?? [], "validated-certificate-chain")
    servedChain = served.certificates
    validatedChain = validated.certificates
    servedPins = served.pins
    validatedPins = validated.pins
    unreadableCertificates = served.unreadable + validated.unreadable
    let pins = raw.knownPins ?? []
    guard pins.count <= Self.maximumPins else {
      throw ReportReaderError(.overLimit, "the field 'known-pins' has more than \(Self.maximumPins) pins")
    }
    knownPins = pins.compactMap { Self.pin($0) }
    service = try format == .trustKit ? Self.service(raw) : nil
  }

  private static func service(_ raw: RawMismatch) throws(ReportReaderError) -> ReportingService {
    ReportingService(
      name: try text(raw.appBundleID, "app-bundle-id"), version: try text(raw.appVersion, "app-version"),
      platform: try text(raw.appPlatform, "app-platform"),
      platformVersion: try text(raw.appPlatformVersion, "app-platform-version"),
      vendorIdentifier: try text(raw.appVendorID, "app-vendor-id"))
  }

  /// A host as the sender wrote it, in lower case: not necessarily one that can be looked up.
  private static func host(_ text: String, _ field: String) throws(ReportReaderError) -> String {
    guard !text.isEmpty, text.utf8.count <= 255, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw ReportReaderError(.invalidValue, "the field '" + field + "' is not a valid host name")
    }
    return (try? HostName(canonicalising: text))?.text ?? text
  }

  private static func instant(_ text: String?, _ field: String) throws(ReportReaderError) -> Instant? {
    guard let text else { return nil }
    guard let instant = Instant(anyRFC3339: text) else {
      throw ReportReaderError(.invalidValue, "the field '" + field + "' is not a date and time of RFC 3339")
    }
    return instant
  }

  /// A short text of one line.
  static func text(_ text: String?, _ field: String) throws(ReportReaderError) -> String {
    let text = text ?? ""
    guard text.utf8.count <= 256, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw ReportReaderError(.invalidValue, "the field '" + field + "' is too long, or has control characters")
    }
    return text
  }

  /// `pin-sha256="…"`, with either quotation marks or none; nil for other digests and what isn't a pin.
  private static func pin(_ text: String) -> Pin? {
    let mark = "pin-sha256="
    guard text.hasPrefix(mark) else { return try? Pin(text) }
    let value = text.dropFirst(mark.count).filter { $0 != "\"" && $0 != "'" }
    return try? Pin("sha256/" + value)
  }

  private static func chain(
    _ texts: [String], _ field: String
  ) throws(ReportReaderError) -> (certificates: [[UInt8]], pins: [Pin], unreadable: Int) {
    guard texts.count <= maximumCertificates else {
      throw ReportReaderError(.overLimit, "the field '" + field + "' has more than \(maximumCertificates) certificates")
    }
    var certificates: [[UInt8]] = []
    var pins: [Pin] = []
    for text in texts {
      guard let certificate = try? Certificate.read(Array(text.utf8)).first,
        let digest = try? certificate.publicKeyDigest()
      else { break }  // those behind it would count as the leaf, or as what the leaf was issued by
      certificates.append(certificate.der)
      pins.append(Pin(SHA256Digest(digest)))
    }
    return (certificates, pins, texts.count - certificates.count)
  }
}

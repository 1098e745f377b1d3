import PinFormat

/// The fields of RFC 7469 section 3 and of TrustKit's format, as senders write them.
struct RawMismatch: Decodable {
  var dateTime: String?
  var hostname: String
  var port: Number?
  var effectiveExpirationDate: String?
  var knownPinsExpirationDate: String?
  var includeSubdomains: Flag?
  var notedHostname: String?
  var servedCertificateChain: [String]?
  var validatedCertificateChain: [String]?
  var knownPins: [String]?
  var enforcePinning: Flag?
  var validationResult: Number?
  var appBundleID: String?
  var appVersion: String?
  var appPlatform: String?
  var appPlatformVersion: String?
  var appVendorID: String?

  enum CodingKeys: String, CodingKey {
    case dateTime = "date-time"
    case hostname
    case port
    case effectiveExpirationDate = "effective-expiration-date"
    case knownPinsExpirationDate = "known-pins-expiration-date"
    case includeSubdomains = "include-subdomains"
    case notedHostname = "noted-hostname"
    case servedCertificateChain = "served-certificate-chain"
    case validatedCertificateChain = "validated-certificate-chain"
    case knownPins = "known-pins"
    case enforcePinning = "enforce-pinning"
    case validationResult = "validation-result"
    case appBundleID = "app-bundle-id"
    case appVersion = "app-version"
    case appPlatform = "app-platform"
    case appPlatformVersion = "app-platform-version"
    case appVendorID = "app-vendor-id"
  }
}

/// An integer, which some senders write as a text.
struct Number: Decodable {
  let value: Int64

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Int64.self) {
      self.value = value
    } else {
      let text = try container.decode(String.self)
      guard text.utf8.count <= 20, let value = Int64(text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "no integer")
      }
      self.value = value
    }
  }
}

/// True or false, which some senders write as a number or a text.
struct Flag: Decodable {
  let value: Bool

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self.value = value
      return
    }
    switch try? Number(from: decoder).value {
    case 0: value = false
    case 1: value = true
    default:
      switch try container.decode(String.self) {
      case "true": value = true
      case "false": value = false
      default: throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither true nor false")
      }
    }
  }
}

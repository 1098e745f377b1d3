import Diagnostics
import PinFormat

extension ParsedTrust {
  static let fields = Fields<ParsedTrust>(
    of: "trust",
    [
      "anchors": { $0.anchors = $1.list(of: .path, atLeastOne: true, atMost: FormatLimits.trustItems) },
      "intermediates": { $0.intermediates = $1.list(of: .path, atMost: FormatLimits.trustItems) ?? [] },
      "certificate": { $0.certificate = $1.scalar(.path) },
      "server-name": { $0.serverName = $1.scalar(.host) },
      "exceptions": { $0.exceptions = $1.list(atMost: FormatLimits.trustItems) { $0.exception() } ?? [] },
      "minimum-rsa-bits": { $0.minimumRSABits = $1.scalar(.number(in: MinimumStrength.rsaBits...16_384)) },
      "minimum-ec-bits": { $0.minimumECBits = $1.scalar(.number(in: MinimumStrength.ecBits...521)) },
      "signatures": { $0.signatures = $1.list(of: .word(), atLeastOne: true) ?? [] },
      "minimum-tls": { $0.minimumTLS = $1.scalar(.word()) },
      "reason": { $0.reason = $1.scalar(.text) },
    ])
}

extension ParsedTrust.Exception {
  static let fields = Fields<ParsedTrust.Exception>(
    of: "exception", required: ["failure", "certificate", "until", "reason"],
    [
      "failure": { $0.failure = $1.scalar(.word()) },
      "certificate": { $0.certificate = $1.scalar(.path) },
      "until": { $0.until = $1.scalar(.instant) },
      "reason": { $0.reason = $1.scalar(.carriedText) },
    ])
}

extension DocumentReader {
  mutating func trust() -> ParsedTrust? {
    var trust = ParsedTrust(place: field.place)
    return mapping(ParsedTrust.fields, into: &trust) == nil ? nil : trust
  }

  fileprivate mutating func exception() -> ParsedTrust.Exception? {
    var exception = ParsedTrust.Exception(place: upcoming.place)
    guard let opening = mapping(ParsedTrust.Exception.fields, into: &exception) else { return nil }
    exception.place = opening
    return exception
  }
}

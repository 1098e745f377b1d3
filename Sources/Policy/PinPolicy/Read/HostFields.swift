import Diagnostics
import PinFormat

extension ParsedHost {
  static let fields = Fields<ParsedHost>(
    of: "host entry", required: ["host"],
    [
      "host": { $0.host = $1.scalar(.host) },
      "port": { $0.port = $1.scalar(.port) },
      "include-subdomains": { $0.terms.includeSubdomains = $1.scalar(.bool) },
      "mode": { $0.terms.mode = $1.scalar(.word()) },
      "keys": { $0.keys = $1.hostKeys() },
      "require": { $0.terms.requirement = $1.scalar(.word()) },
      "expires": { $0.terms.expires = $1.scalar(.instant) },
      "on-expiry": { $0.terms.onExpiry = $1.scalar(.word()) },
      "report-uris": { $0.terms.reportURIs = $1.list(of: .uri, atMost: FormatLimits.urisOfAList) },
      "trust": { $0.terms.trust = $1.trust() },
      "owner": { $0.owner = $1.scalar(.text) },
      "reason": { $0.reason = $1.scalar(.text) },
      "audiences": { $0.audiences = $1.list(of: .name, atLeastOne: true) ?? [] },
      "probe": { $0.probe = $1.list(of: .host) ?? [] },
    ])
}

extension ParsedTerms {
  static let fields = Fields<ParsedTerms>(
    of: "defaults",
    [
      "mode": { $0.mode = $1.scalar(.word()) },
      "include-subdomains": { $0.includeSubdomains = $1.scalar(.bool) },
      "expires": { $0.expires = $1.scalar(.instant) },
      "on-expiry": { $0.onExpiry = $1.scalar(.word()) },
      "report-uris": { $0.reportURIs = $1.list(of: .uri, atMost: FormatLimits.urisOfAList) },
      "require": { $0.requirement = $1.scalar(.word()) },
      "trust": { $0.trust = $1.trust() },
    ])
}

extension ParsedOverlay {
  static let fields = Fields<ParsedOverlay>(
    of: "overlay", required: ["host"],
    [
      "host": { $0.entry.host = $1.scalar(.host) },
      "port": { $0.entry.port = $1.scalar(.port) },
      "as": { $0.newHost = $1.scalar(.host) },
      "mode": { $0.entry.terms.mode = $1.scalar(.word()) },
      "keys": { $0.entry.keys = $1.hostKeys() },
      "expires": { $0.entry.terms.expires = $1.scalar(.instant) },
      "on-expiry": { $0.entry.terms.onExpiry = $1.scalar(.word()) },
      "trust": { $0.entry.terms.trust = $1.trust() },
      "reason": { $0.entry.reason = $1.scalar(.text) },
    ])
}

extension DocumentReader {
  mutating func host() -> ParsedHost? {
    // The place of the entry's first field, which is read only after the mapping begins.
    var host = ParsedHost(place: upcoming.place)
    guard let opening = mapping(ParsedHost.fields, into: &host) else { return nil }
    host.place = opening
    return host
  }

  mutating func overlay() -> ParsedOverlay? {
    var overlay = ParsedOverlay(place: upcoming.place)
    guard let opening = mapping(ParsedOverlay.fields, into: &overlay) else { return nil }
    overlay.entry.place = opening
    return overlay
  }

  /// Reads a set's name, or the set itself.
  fileprivate mutating func hostKeys() -> ParsedHost.Keys? {
    guard isMappingNext else {
      return scalar(.name, shape: "a key set's name or a mapping").map { .named($0) }
    }
    var set = ParsedKeySet(name: nil, place: field.place)
    return mapping(ParsedKeySet.fields, into: &set) == nil ? nil : .inline(consume set)
  }
}

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

/// Reads the one canonical encoding of a keyset's `signed`.
package struct KeysetReader {
  private var scanner: CanonicalScanner

  /// Reads bytes whose signatures have been verified.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that hold the value of `signed`.
  ///   - signed: Where that value is.
  /// - Returns: The keyset. That its keys are signing keys, each in its one form, is for the caller to see.
  /// - Throws: ``FormatError`` for everything that is not the one canonical encoding of a keyset.
  package static func read(_ bytes: [UInt8], signed: Range<Int>) throws(FormatError) -> Keyset {
    guard bytes.count <= FormatLimits.keysetBytes else {
      throw FormatError(.overLimit, at: FormatLimits.keysetBytes, "keyset: more bytes than the format allows")
    }
    var reader = KeysetReader(
      scanner: CanonicalScanner(bytes, from: signed.lowerBound, to: signed.upperBound, as: .keyset))
    return try reader.read()
  }

  private mutating func read() throws(FormatError) -> Keyset {
    var first = true
    enter("signed")
    try scanner.require(UInt8(ascii: "{"))
    try scanner.require(field: "audience", first: &first)
    let audience = try scanner.decodedString("the audience", atMost: FormatLimits.textBytes)
    let critical =
      scanner.take(field: "critical", first: &first)
      ? try names("signed.critical", "the name of an extension", atMost: FormatLimits.criticalExtensions) : []
    try scanner.require(field: "expires", first: &first)
    let expiresStart = scanner.offset + 1
    let expires = try scanner.instant("an instant")
    try scanner.require(field: "issued", first: &first)
    let issued = try scanner.instant("an instant")
    try scanner.require(field: "keys", first: &first)
    let keysStart = scanner.offset
    let keys = try readKeys()
    try scanner.require(field: "keyset-version", first: &first)
    let version = try scanner.integer("a keyset's version", Self.counts)
    try scanner.require(field: "minimum-serial", first: &first)
    let minimumSerial = try scanner.integer("a serial", Self.counts)
    try scanner.require(field: "roots", first: &first)
    let roots = try readRole("signed.roots", of: keys)
    try scanner.require(field: "serial-epoch", first: &first)
    let serialEpoch = try scanner.integer("an epoch of serials", Self.counts)
    try scanner.require(field: "signers", first: &first)
    let signers = try readRole("signed.signers", of: keys)
    try scanner.require(field: "type", first: &first)
    try scanner.type(Keyset.mediaType)
    try scanner.require(field: "version", first: &first)
    try scanner.version(Keyset.formatVersion)
    try scanner.finishObject(first: first)
    try scanner.finish()
    guard issued <= expires else {
      throw scanner.error(.contradiction, at: expiresStart, "expires lies before issued")
    }
    for key in keys where !(roots.keys + signers.keys).contains(where: { $0.isSame(as: key.name) }) {
      throw scanner.error(.contradiction, at: keysStart, "the key \"" + key.name + "\" signs nothing")
    }
    return Keyset(
      audience: audience, version: version, issued: issued, expires: expires, serialEpoch: serialEpoch,
      minimumSerial: minimumSerial, roots: roots, signers: signers, keys: keys, critical: critical)
  }

  /// 1 to 2^53 - 1, the largest integer that every JSON reader keeps exactly (RFC 7493 section 2.2).
  private static let counts: ClosedRange<Int64> = 1...9_007_199_254_740_991

  private mutating func readKeys() throws(FormatError) -> [Keyset.Key] {
    enter("signed.keys")
    var keys: [Keyset.Key] = []
    var last: Range<Int>?
    try scanner.require(UInt8(ascii: "{"))
    repeat {
      scanner.item = keys.count + 1
      let name = try scanner.name("the name of a key")
      try scanner.checkOrder(last, name, "names of keys are not sorted, or one is listed twice")
      last = name
      try scanner.require(UInt8(ascii: ":"))
      let start = scanner.offset + 1
      let bytes = try scanner.base64("a public key", atMost: FormatLimits.signingKeyBytes)
      if let twin = keys.first(where: { $0.subjectPublicKeyInfo == bytes }) {
        throw scanner.error(.contradiction, at: start, "the key of \"" + twin.name + "\" is listed under a second name")
      }
      keys.append(Keyset.Key(name: scanner.decoded(name), subjectPublicKeyInfo: bytes))
      guard keys.count <= FormatLimits.keysOfARole * 2 else {
        throw scanner.error(.overLimit, at: start, "too many keys")
      }
    } while try scanner.takeNext(closing: UInt8(ascii: "}"))
    enter("signed")
    return keys
  }

  private mutating func readRole(_ place: StaticString, of keys: [Keyset.Key]) throws(FormatError) -> Keyset.Role {
    var first = true
    enter(place)
    try scanner.require(UInt8(ascii: "{"))
    try scanner.require(field: "keys", first: &first)
    let start = scanner.offset
    let members = try names(place, "the name of a key", atMost: FormatLimits.keysOfARole)
    for name in members where !keys.contains(where: { $0.name.isSame(as: name) }) {
      throw scanner.error(.danglingReference, at: start, "there is no key \"" + name + "\"")
    }
    enter(place)
    try scanner.require(field: "threshold", first: &first)
    let threshold = try scanner.integer("a threshold", 1...Int64(members.count))
    try scanner.finishObject(first: first)
    enter("signed")
    return Keyset.Role(keys: members, threshold: Int(threshold))
  }

  private mutating func names(
    _ place: StaticString, _ what: StaticString, atMost limit: Int
  ) throws(FormatError) -> [String] {
    enter(place)
    defer { enter("signed") }
    return try scanner.names(what, atMost: limit)
  }

  private mutating func enter(_ place: StaticString) {
    scanner.place = place
    scanner.item = 0
  }
}

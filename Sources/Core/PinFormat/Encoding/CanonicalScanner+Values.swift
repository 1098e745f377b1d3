/// Reading single values. A range that is answered covers the characters between the quotation marks.
extension CanonicalScanner {
  /// Reads a string without escapes of some characters only.
  mutating func text(
    _ what: StaticString, atMost limit: Int, of characters: ByteSet
  ) throws(FormatError) -> Range<Int> {
    try require(UInt8(ascii: "\""))
    let start = offset
    let index = endOfRun(of: characters, from: start)
    guard index < end else { throw error(.truncated, at: end, "the bytes end inside a string") }
    guard bytes[index] == UInt8(ascii: "\"") else { throw invalid(what, at: start) }
    guard index > start else { throw invalid(what, at: start) }
    guard index - start <= limit else { throw tooLong(what, at: start, limit) }
    advance(to: index + 1)
    return start..<index
  }

  /// The offset of the first byte from an offset on that is none of the characters.
  private func endOfRun(of characters: ByteSet, from start: Int) -> Int {
    let span = bytes.span.extracting(start..<end)
    for index in span.indices where !characters.contains(span[index]) { return start + index }
    return end
  }

  /// Reads a name of a key, a key set or an extension: `[a-z0-9][a-z0-9._-]*`, at most 64 characters.
  package mutating func name(_ what: StaticString) throws(FormatError) -> Range<Int> {
    let range = try text(what, atMost: 64, of: .name)
    guard ByteSet.lettersAndDigits.contains(bytes[range.lowerBound]) else { throw invalid(what, at: range.lowerBound) }
    return range
  }

  /// Reads a key set's name: a name, or `host:` and an entry's label; says whether it is `host:` and this host, which
  /// has been checked, or is empty where there is none.
  mutating func keySetName(of host: Span<UInt8>) throws(FormatError) -> (range: Range<Int>, isOwn: Bool) {
    let start = offset + 1
    let stop = start + 5 + host.count
    if !host.isEmpty, stop < end, matches("\"host:", at: offset), bytes[stop] == UInt8(ascii: "\""),
      bytes.span.extracting(start + 5..<stop).equals(host)
    {
      advance(to: stop + 1)
      return (start..<stop, true)
    }
    let range = try text("the name of a key set", atMost: 320, of: .keySetName)
    guard bytes.span.extracting(range).isKeySetName else {
      throw invalid("the name of a key set", at: range.lowerBound)
    }
    return (range, false)
  }

  /// Reads a word out of a fixed list.
  package mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ what: StaticString, _ type: Word.Type
  ) throws(FormatError) -> Word {
    let start = offset + 1
    let range = try text(what, atMost: 32, of: .name)
    let span = bytes.span.extracting(range)
    for word in type.allCases where word.rawValue.utf8Span.span.equals(span) { return word }
    throw invalid(what, at: start)
  }

  /// Reads a non-negative integer without leading zeros.
  package mutating func integer(_ what: StaticString, _ allowed: ClosedRange<Int64>) throws(FormatError) -> Int64 {
    let start = offset
    var value: Int64 = 0
    var index = start
    while index < end, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") {
      guard index - start < 16 else { throw invalid(what, at: start) }
      value = value * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
      index += 1
    }
    guard index > start else { throw unexpected(what.description) }
    guard index - start == 1 || bytes[start] != UInt8(ascii: "0"), allowed.contains(value) else {
      throw invalid(what, at: start)
    }
    advance(to: index)
    return value
  }

  /// Reads `YYYY-MM-DDTHH:MM:SSZ`.
  package mutating func instant(_ what: StaticString) throws(FormatError) -> Instant {
    try require(UInt8(ascii: "\""))
    let start = offset
    guard end - start > 20 else { throw error(.truncated, at: end, "the bytes end inside an instant") }
    let text = start..<start + 20
    // Most entries of a manifest expire at the same time.
    if bytes.span.extracting(text).equals(bytes.span.extracting(lastInstant.text)) {
      advance(to: start + 20)
      try require(UInt8(ascii: "\""))
      return lastInstant.value
    }
    guard let instant = Instant(bytes[text]) else { throw invalid(what, at: start) }
    lastInstant = (text, instant)
    advance(to: start + 20)
    try require(UInt8(ascii: "\""))
    return instant
  }

  /// Reads 64 lower-case hexadecimal digits.
  package mutating func digest(_ what: StaticString) throws(FormatError) -> SHA256Digest {
    let start = offset + 1
    let range = try text(what, atMost: 64, of: .hexadecimal)
    guard let digest = SHA256Digest(hex: bytes[range]) else { throw invalid(what, at: start) }
    return digest
  }

  /// Reads a pin: 44 characters of canonical Base64, which stand for 32 bytes.
  package mutating func pin() throws(FormatError) -> SHA256Digest {
    try require(UInt8(ascii: "\""))
    let start = offset
    guard end - start > PinText.byteCount else { throw error(.truncated, at: end, "the bytes end inside a pin") }
    guard let digest = PinText.digest(in: bytes.span, at: start) else { throw invalid("a pin", at: start) }
    advance(to: start + PinText.byteCount)
    try require(UInt8(ascii: "\""))
    return digest
  }

  /// Reads canonical Base64 of at most so many bytes.
  package mutating func base64(_ what: StaticString, atMost limit: Int) throws(FormatError) -> [UInt8] {
    let start = offset + 1
    let range = try text(what, atMost: (limit + 2) / 3 * 4, of: .base64)
    guard let decoded = Base64.decode(bytes[range]) else { throw invalid(what, at: start) }
    guard decoded.count <= limit else { throw tooLong(what, at: start, limit) }
    return decoded
  }

  /// Reads `"FINGERPRINT":"BASE64"`, an item of an object that is sorted by fingerprint.
  package mutating func certificate(
    after last: SHA256Digest?, atMost limit: Int
  ) throws(FormatError) -> Manifest.Certificate {
    let start = offset
    let fingerprint = try digest("a certificate's fingerprint")
    try require(UInt8(ascii: ":"))
    let der = try base64("a certificate", atMost: limit)
    if let last, last >= fingerprint {
      throw error(.notSorted, at: start, "certificates are not sorted by fingerprint, or one is listed twice")
    }
    return Manifest.Certificate(fingerprint: fingerprint, der: der)
  }

  /// Reads a host in canonical form and says what kind it is.
  package mutating func host() throws(FormatError) -> (range: Range<Int>, kind: HostName.Kind) {
    let start = offset + 1
    let range = try text("a host", atMost: 253, of: .uri)
    let span = bytes.span.extracting(range)
    guard let kind = CanonicalHost.kind(ofCanonical: span) else {
      let isHost = (try? CanonicalHost(span, isQuestion: false)) != nil
      throw error(
        .invalidValue, at: start,
        excerpt(from: start) + (isHost ? " is a host that is not in canonical form" : " is not a valid host name"))
    }
    return (range, kind)
  }

  package func invalid(_ what: StaticString, at offset: Int) -> FormatError {
    error(.invalidValue, at: offset, what.description + " can't be " + excerpt(from: offset))
  }

  package func tooLong(_ what: StaticString, at offset: Int, _ limit: Int) -> FormatError {
    error(.overLimit, at: offset, what.description + " has more than " + String(limit) + " bytes")
  }
}

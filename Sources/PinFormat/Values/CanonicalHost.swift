/// A host in canonical form in a buffer of fixed size: what a question is brought into without touching the heap.
///
/// The reading of a question is the reading of a policy (``HostName``), except that a question may hold underscores:
/// `a_b.example.com` is a name that servers answer to, and an entry for `example.com` governs it.
package struct CanonicalHost {
  package private(set) var kind: HostName.Kind
  /// The number of bytes of the canonical text: 1 to 253.
  package private(set) var count: Int
  private var storage: InlineArray<256, UInt8>

  /// Reads ASCII text: any letter case, at most one trailing dot, brackets around an IPv6 address or none.
  package init(_ text: Span<UInt8>, allowingUnderscores: Bool) throws(HostNameError) {
    kind = .name
    count = 0
    storage = InlineArray(repeating: 0)
    for index in text.indices where text[index] == UInt8(ascii: ":") || text[index] == UInt8(ascii: "[") {
      guard let groups = IPv6Groups(text) else { throw .invalidAddress }
      write(groups)
      return
    }
    try readName(text, allowingUnderscores: allowingUnderscores)
  }

  /// Lends the canonical text, as ASCII.
  package func withBytes<Answer, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try body(storage.span.extracting(first: count))
  }

  /// True where the canonical text is this one.
  package func equals(_ text: Span<UInt8>) -> Bool {
    guard text.count == count else { return false }
    for index in 0..<count where storage[index] != text[index] { return false }
    return true
  }

  private mutating func readName(_ text: Span<UInt8>, allowingUnderscores: Bool) throws(HostNameError) {
    var end = text.count
    if end > 1, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
    guard end > 0 else { throw .empty }
    guard end <= 253 else { throw .tooLong }
    var label = Label()
    var labels = 0
    var numbers = 0
    for index in 0..<end {
      var byte = text[index]
      switch byte {
      case UInt8(ascii: "."):
        try label.finish()
        labels += 1
        numbers += label.isOctet ? 1 : 0
        label = Label()
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        byte |= 0x20
        label.append(byte)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        label.append(byte)
      case UInt8(ascii: "_") where allowingUnderscores: label.append(byte)
      case 0x80...: throw .notASCII
      default: throw .invalidCharacter(byte)
      }
      storage[index] = byte
    }
    try label.finish()
    labels += 1
    numbers += label.isOctet ? 1 : 0
    count = end
    guard label.isNumber else { return }
    // URL parsers and inet_aton(3) read a name that ends in a number as an IPv4 address, `0x7f000001` included; only
    // the one canonical form is taken, so that no other spelling of an address gets around its entry.
    guard labels == 4, numbers == 4 else { throw .invalidAddress }
    kind = .ipv4
  }

  private mutating func write(_ groups: IPv6Groups) {
    if let octets = groups.mappedIPv4 {
      kind = .ipv4
      for index in 0..<4 {
        if index > 0 { append(UInt8(ascii: ".")) }
        appendDecimal(UInt8(truncatingIfNeeded: octets >> UInt32(8 * (3 - index))))
      }
      return
    }
    kind = .ipv6
    let cut = groups.longestRunOfZeros
    var index = 0
    while index < 8 {
      if index == cut.lowerBound, !cut.isEmpty {
        append(UInt8(ascii: ":"))
        append(UInt8(ascii: ":"))
        index = cut.upperBound
        continue
      }
      if index > 0, index != cut.upperBound || cut.isEmpty { append(UInt8(ascii: ":")) }
      appendHexadecimal(groups[index])
      index += 1
    }
  }

  private mutating func append(_ byte: UInt8) {
    storage[count] = byte
    count += 1
  }

  private mutating func appendDecimal(_ number: UInt8) {
    if number >= 100 { append(UInt8(ascii: "0") + number / 100) }
    if number >= 10 { append(UInt8(ascii: "0") + number / 10 % 10) }
    append(UInt8(ascii: "0") + number % 10)
  }

  private mutating func appendHexadecimal(_ group: UInt16) {
    var shift: UInt16 = 12
    while shift > 0, group >> shift == 0 { shift -= 4 }
    while true {
      let digit = UInt8(group >> shift & 0x0F)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      if shift == 0 { return }
      shift -= 4
    }
  }
}

/// What one pass over a label finds out about it.
private struct Label {
  private var count = 0
  private var first: UInt8 = 0
  private var last: UInt8 = 0
  private var value = 0
  private var areDigits = true
  private var areHexadecimalDigits = true

  mutating func append(_ byte: UInt8) {
    let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    if count == 0 { first = byte }
    if isDigit, value <= 255 { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
    areDigits = areDigits && isDigit
    if count == 1 {
      areHexadecimalDigits = first == UInt8(ascii: "0") && byte == UInt8(ascii: "x")
    } else if count > 1 {
      areHexadecimalDigits = areHexadecimalDigits && (isDigit || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"))
    }
    last = byte
    count += 1
  }

  func finish() throws(HostNameError) {
    guard count > 0 else { throw .emptyLabel }
    guard count <= 63 else { throw .labelTooLong }
    guard first != UInt8(ascii: "-"), last != UInt8(ascii: "-") else { throw .hyphenAtEdge }
  }

  /// Decimal digits only, or `0x` and hexadecimal digits only.
  var isNumber: Bool { areDigits || count > 1 && areHexadecimalDigits }

  /// 0 to 255 without leading zeros.
  var isOctet: Bool { areDigits && value <= 255 && (count == 1 || first != UInt8(ascii: "0")) }
}

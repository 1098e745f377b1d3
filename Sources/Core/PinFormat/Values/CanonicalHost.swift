/// A host in canonical form in a buffer of fixed size: what a question is brought into without touching the heap.
///
/// The reading of a question is the reading of a policy (``HostName``), except that a question may hold underscores, and
/// hyphens at a label's edge: `a_b.example.com` is a name that servers answer to, and an entry for `example.com`
/// governs it.
package struct CanonicalHost {
  package private(set) var kind: HostName.Kind
  /// The number of bytes of the canonical text: 1 to 253.
  package private(set) var count: Int
  private var storage: InlineArray<256, UInt8>

  /// Reads ASCII text: any letter case, at most one trailing dot, brackets around an IPv6 address or none.
  package init(_ text: Span<UInt8>, isQuestion: Bool) throws(HostNameError) {
    kind = .name
    count = 0
    storage = InlineArray(repeating: 0)
    for index in text.indices where text[index] == UInt8(ascii: ":") || text[index] == UInt8(ascii: "[") {
      guard let groups = IPv6Groups(text) else { throw .invalidAddress }
      write(groups)
      return
    }
    try readName(text, isQuestion: isQuestion)
  }

  /// The kind of a host that is in canonical form, as manifests hold it; nil for any other text.
  static func kind(ofCanonical text: Span<UInt8>) -> HostName.Kind? {
    if isCanonicalName(text, isQuestion: false) { return .name }
    guard let host = try? CanonicalHost(text, isQuestion: false), host.equals(text) else { return nil }
    return host.kind
  }

  /// True for a name in canonical form: most texts are one, and need no copy.
  package static func isCanonicalName(_ text: Span<UInt8>, isQuestion: Bool) -> Bool {
    guard let scan = try? HostNameScan(text, isQuestion: isQuestion) else { return false }
    return scan.isCanonical && !scan.endsInNumber
  }

  /// Lends the canonical text, as ASCII.
  package func withBytes<Answer, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try body(storage.span.extracting(first: count))
  }

  /// True where the canonical text is this one.
  package func equals(_ text: Span<UInt8>) -> Bool { storage.span.extracting(first: count).equals(text) }

  private mutating func readName(_ text: Span<UInt8>, isQuestion: Bool) throws(HostNameError) {
    let scan = try HostNameScan(text, isQuestion: isQuestion)
    count = scan.count
    for index in 0..<scan.count {
      let byte = text[index]
      let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      storage[index] = isUpper ? byte | 0x20 : byte
    }
    guard scan.endsInNumber else { return }
    // URL parsers and inet_aton(3) read a name that ends in a number, such as `0x7f000001`, as an IPv4 address. Only
    // the canonical form is accepted, so no other spelling of an address bypasses its entry.
    guard IPv4Text.octets(text, 0, scan.count) != nil else { throw .invalidAddress }
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
      if index > 0, index != cut.upperBound { append(UInt8(ascii: ":")) }
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

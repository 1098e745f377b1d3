/// The eight groups of an IPv6 address.
struct IPv6Groups {
  private var groups = InlineArray<8, UInt16>(repeating: 0)

  subscript(index: Int) -> UInt16 { groups[index] }

  /// Reads an IPv6 address, with or without brackets (RFC 4291 section 2.2), or answers nil.
  init?(_ text: Span<UInt8>) {
    var start = 0
    var end = text.count
    if end > 0, text[0] == UInt8(ascii: "[") {
      guard end > 1, text[end - 1] == UInt8(ascii: "]") else { return nil }
      start = 1
      end -= 1
    }
    var count = 0
    var gap: Int?
    var index = start
    if end - start >= 2, text[index] == UInt8(ascii: ":"), text[index + 1] == UInt8(ascii: ":") {
      gap = 0
      index += 2
    }
    while index < end {
      guard count < 8 else { return nil }
      var stop = index
      while stop < end, text[stop] != UInt8(ascii: ":") { stop += 1 }
      if stop == end, let octets = IPv4Text.octets(text, index, end) {
        guard count < 7 else { return nil }
        groups[count] = UInt16(octets >> 16)
        groups[count + 1] = UInt16(octets & 0xFFFF)
        count += 2
        break
      }
      guard let group = Self.group(text, index, stop) else { return nil }
      groups[count] = group
      count += 1
      index = stop
      guard index < end else { break }
      // After a colon comes another group, or the gap.
      index += 1
      guard index < end else { return nil }
      if text[index] == UInt8(ascii: ":") {
        guard gap == nil else { return nil }
        gap = count
        index += 1
      }
    }
    guard let gap else {
      guard count == 8 else { return nil }
      return
    }
    guard count < 8 else { return nil }
    let moved = count - gap
    for offset in 0..<moved {
      groups[7 - offset] = groups[count - 1 - offset]
      groups[count - 1 - offset] = 0
    }
  }

  /// The IPv4 address that an IPv4-mapped address (RFC 4291 section 2.5.5.2) stands for.
  var mappedIPv4: UInt32? {
    for index in 0..<5 where groups[index] != 0 { return nil }
    return groups[5] == 0xFFFF ? UInt32(groups[6]) << 16 | UInt32(groups[7]) : nil
  }

  /// The first longest run of two or more zero groups, which RFC 5952 section 4.2 writes as `::`; empty for none.
  var longestRunOfZeros: Range<Int> {
    var best = 0..<0
    var index = 0
    while index < 8 {
      var end = index
      while end < 8, groups[end] == 0 { end += 1 }
      if end - index > max(best.count, 1) { best = index..<end }
      index = max(end, index + 1)
    }
    return best
  }

  private static func group(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> UInt16? {
    guard start < end, end - start <= 4 else { return nil }
    var value: UInt16 = 0
    for index in start..<end {
      let character = text[index]
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(character - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt16(character - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt16(character - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return value
  }
}

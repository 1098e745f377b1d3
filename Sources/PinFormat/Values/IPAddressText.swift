/// Text forms of IP addresses: the strict reading, and the canonical writing of RFC 5952.
enum IPAddressText {
  /// True for four decimal numbers of 0 to 255 without leading zeros.
  static func isCanonicalIPv4(_ parts: [ArraySlice<UInt8>]) -> Bool {
    parts.count == 4 && parts.allSatisfy { octet($0) != nil }
  }

  /// Writes four octets with dots.
  static func ipv4(_ octets: [UInt16]) -> String {
    var text = ""
    for octet in octets {
      if !text.isEmpty { text += "." }
      text += String(octet)
    }
    return text
  }

  /// Reads an IPv6 address, with or without brackets, into its eight groups (RFC 4291 section 2.2), or answers nil.
  static func ipv6(_ text: String) -> [UInt16]? {
    var bytes = Array(text.utf8)[...]
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.last == UInt8(ascii: "]") else { return nil }
      bytes = bytes.dropFirst().dropLast()
    }
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count >= 3, parts.count <= 9 else { return nil }
    var before: [UInt16] = []
    var after: [UInt16]?
    for (index, part) in parts.enumerated() {
      if part.isEmpty {
        // An empty part is `::`, which may stand once; at an edge it makes two empty parts side by side.
        let leads = index == 0 && parts[1].isEmpty
        let trails = index == parts.count - 1 && parts[index - 1].isEmpty
        if leads || trails { continue }
        guard after == nil, index > 0, index < parts.count - 1 else { return nil }
        after = []
        continue
      }
      guard let groups = groups(part, isLast: index == parts.count - 1) else { return nil }
      if after == nil { before += groups } else { after? += groups }
    }
    guard let tail = after else { return before.count == 8 ? before : nil }
    let missing = 8 - before.count - tail.count
    return missing > 0 ? before + Array(repeating: 0, count: missing) + tail : nil
  }

  /// Writes eight groups as RFC 5952 section 4 says: lower case, no leading zeros, the first longest run of zeros cut.
  static func canonical(_ groups: [UInt16]) -> String {
    var best = 0..<0
    var index = 0
    while index < groups.count {
      var end = index
      while end < groups.count, groups[end] == 0 { end += 1 }
      if end - index > max(best.count, 1) { best = index..<end }
      index = max(end, index + 1)
    }
    guard !best.isEmpty else { return joined(groups[...]) }
    return joined(groups[..<best.lowerBound]) + "::" + joined(groups[best.upperBound...])
  }

  private static func groups(_ part: ArraySlice<UInt8>, isLast: Bool) -> [UInt16]? {
    if isLast, part.contains(UInt8(ascii: ".")) {
      let numbers = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(octet)
      guard numbers.count == 4, let a = numbers[0], let b = numbers[1], let c = numbers[2], let d = numbers[3] else {
        return nil
      }
      return [a << 8 | b, c << 8 | d]
    }
    guard part.count <= 4 else { return nil }
    var value: UInt16 = 0
    for character in part {
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(character - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt16(character - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt16(character - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return [value]
  }

  private static func octet(_ part: ArraySlice<UInt8>) -> UInt16? {
    guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
    var value: UInt16 = 0
    for character in part {
      guard character >= UInt8(ascii: "0"), character <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + UInt16(character - UInt8(ascii: "0"))
    }
    return value <= 255 ? value : nil
  }

  private static func joined(_ groups: ArraySlice<UInt16>) -> String {
    var text = ""
    for group in groups {
      if !text.isEmpty { text += ":" }
      text += String(group, radix: 16)
    }
    return text
  }
}

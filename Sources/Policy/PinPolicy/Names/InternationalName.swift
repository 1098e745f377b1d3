private import CLibIDN2
package import PinFormat

/// Hosts as people write them: U-labels or A-labels, or an IP address.
package enum InternationalName {
  /// Brings a written host into canonical form.
  ///
  /// U-labels become A-labels by IDNA2008 with the mapping of UTS 46 (non-transitional: `ß` stays itself). A-labels are
  /// checked: what doesn't decode to a valid U-label isn't a host, symbols aside, which UTS 46 has and IDNA2008 has
  /// not: registries sell `xn--ls8h.la`, and browsers go there. Labels of ASCII alone are left to ``HostName``, which
  /// knows letters, digits and hyphens; libidn2 would drop an underscore silently.
  ///
  /// - Parameter text: A name or an address.
  /// - Returns: The canonical host.
  /// - Throws: ``InternationalNameError`` saying why the text isn't a host.
  package static func host(_ text: String) throws(InternationalNameError) -> HostName {
    // Checked first, because a URL or a port would otherwise be reported as an invalid address.
    var colons = 0
    var isASCII = true
    let bytes = text.utf8Span.span
    for index in bytes.indices {
      if bytes[index] == UInt8(ascii: "/") { throw .host(.invalidCharacter(UInt8(ascii: "/"))) }
      if bytes[index] == UInt8(ascii: ":") { colons += 1 }
      if bytes[index] >= 0x80 { isASCII = false }
    }
    if colons == 1 { throw .host(.invalidCharacter(UInt8(ascii: ":"))) }
    if isASCII {
      let host = try canonical(text)
      guard host.kind == .name, mayHaveALabel(host.text) else { return host }
      for label in host.text.split(separator: ".") where label.hasPrefix("xn--") {
        let checked = try check(aLabel: String(label))
        guard checked == label else { throw .label(String(label), reason: "it has another canonical form") }
      }
      return host
    }
    var labels: [String] = []
    for label in text.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: isDot) {
      let written = String(label)
      labels.append(written.utf8.allSatisfy { $0 < 0x80 } ? written : try lookup(written))
    }
    let host = try self.host(labels.joined(separator: "."))
    // Digits of other scripts map to ASCII digits, but nobody writes an address like that on purpose.
    guard host.kind == .name else { throw .host(.notASCII) }
    return host
  }

  /// False where no label begins with `xn--`: two hyphens side by side are in hardly any other name.
  private static func mayHaveALabel(_ text: String) -> Bool {
    let bytes = text.utf8Span.span
    var last: UInt8 = 0
    for index in bytes.indices {
      if bytes[index] == UInt8(ascii: "-"), last == bytes[index] { return true }
      last = bytes[index]
    }
    return false
  }

  private static func canonical(_ text: String) throws(InternationalNameError) -> HostName {
    do { return try HostName(canonicalising: text) } catch { throw .host(error) }
  }

  /// The full stops that UTS 46 takes for dots.
  private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2E, 0x3002, 0xFF0E, 0xFF61: true
    default: false
    }
  }

  /// Converts one label to its A-label.
  private static func lookup(_ label: String) throws(InternationalNameError) -> String {
    for byte in label.utf8 where byte < 0x80 && !isLetterDigitHyphen(byte) { throw .host(.invalidCharacter(byte)) }
    let (code, result) = convert(label)
    guard let result else { throw .label(label, reason: reason(code)) }
    return result
  }

  /// Checks a label that is an A-label already; answers the one that its U-label has.
  private static func check(aLabel label: String) throws(InternationalNameError) -> String {
    let (code, result) = convert(label)
    if let result { return result }
    // With IDN2_NO_ALABEL_ROUNDTRIP, libidn2 checks only UTS 46, not the rules for joiners.
    guard code == IDN2_DISALLOWED.rawValue,
      let result = convert(label, IDN2_NO_ALABEL_ROUNDTRIP.rawValue).result,
      !unicode(try canonical(label)).unicodeScalars.contains(where: { (0x200C...0x200D).contains($0.value) })
    else { throw .label(label, reason: "it isn't a valid A-label") }
    return result
  }

  /// What libidn2 makes of a label, or its code.
  private static func convert(_ label: String, _ more: UInt32 = 0) -> (code: Int32, result: String?) {
    var result: UnsafeMutablePointer<UInt8>?
    let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue | more)
    let code = label.withCString(encodedAs: UTF8.self) { idn2_lookup_u8($0, &result, flags) }
    defer { idn2_free(result) }
    guard code == IDN2_OK.rawValue, let result else { return (code, nil) }
    return (code, String(decodingCString: result, as: UTF8.self))
  }

  private static func isLetterDigitHyphen(_ byte: UInt8) -> Bool {
    let isLetter = byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    return isLetter || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "-")
  }

  /// libidn2's texts change between versions; these don't.
  private static func reason(_ code: Int32) -> String {
    switch code {
    case IDN2_TOO_BIG_LABEL.rawValue, IDN2_PUNYCODE_BIG_OUTPUT.rawValue: "as an A-label it is longer than 63 octets"
    case IDN2_BIDI.rawValue: "it mixes directions of writing (RFC 5893)"
    case IDN2_HYPHEN_STARTEND.rawValue: "it begins or ends with a hyphen"
    case IDN2_2HYPHEN.rawValue: "it has hyphens in its third and fourth place"
    case IDN2_LEADING_COMBINING.rawValue: "it begins with a combining mark"
    default: "it has a character that IDNA2008 doesn't allow there"
    }
  }
}

/// Why a written host can't be brought into canonical form.
package enum InternationalNameError: Error, Hashable, Sendable {
  /// It isn't a host for a reason that has nothing to do with scripts.
  case host(HostNameError)
  /// One label can't be converted, or isn't the A-label that it looks like.
  case label(String, reason: String)

  /// The reason in words: a clause about the host.
  package var reason: String {
    switch self {
    case .label(let label, let reason): "its label '\(label)' can't be used: \(reason)"
    case .host(.empty): "it is empty"
    case .host(.emptyLabel): "it has an empty label"
    case .host(.tooLong): "it is longer than 253 octets"
    case .host(.labelTooLong): "a label is longer than 63 octets"
    case .host(.hyphenAtEdge): "a label begins or ends with a hyphen"
    case .host(.invalidCharacter(let byte)): Self.reason(byte)
    case .host(.notASCII): "it has digits of another script"
    case .host(.invalidAddress): "it looks like an IP address but isn't one in canonical form"
    }
  }

  private static func reason(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "*"): "wildcards aren't hosts"
    case UInt8(ascii: "/"): "a path or URL isn't a host"
    case UInt8(ascii: ":"): "a port belongs in a field of its own"
    case UInt8(ascii: "_"): "an underscore isn't allowed in a host"
    case 0x21..<0x7F: "'\(Unicode.Scalar(byte))' isn't allowed in a host"
    case 0x20: "a space isn't allowed in a host"
    default: "a control character isn't allowed in a host"
    }
  }
}

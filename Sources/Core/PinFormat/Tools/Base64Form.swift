/// What a reader of Base64 accepts beside its one canonical form, where others write it.
package struct Base64Form: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// `-` and `_` for `+` and `/` (RFC 4648 section 5); the two alphabets are not mixed.
  package static var eitherAlphabet: Self { Self(rawValue: 1) }
  /// No padding.
  package static var unpadded: Self { Self(rawValue: 2) }
  /// One or two signs of padding, or none, whatever the length asks for.
  package static var anyPadding: Self { Self(rawValue: 4) }
  /// Bits of the last symbol that stand for nothing and aren't zero.
  package static var unusedBits: Self { Self(rawValue: 8) }

  /// As command lines and envelopes have it.
  ///
  /// What it stands for is verified, so several texts may stand for the same bytes.
  package static var tools: Self { [.eitherAlphabet, .unpadded] }
  /// As pins are in the files of apps: their decoders pass over as much.
  package static var pins: Self { [.anyPadding, .unusedBits] }
}

extension Base64 {
  /// Decodes Base64 in the canonical form or one of others, or answers nil where the text is anything else.
  package static func decode(_ text: some Collection<UInt8>, accepting form: Base64Form) -> [UInt8]? {
    var symbols = Array(text)
    while symbols.last == UInt8(ascii: "=") { symbols.removeLast() }
    let padding = text.count - symbols.count
    let missing = (4 - symbols.count % 4) % 4
    guard
      padding == missing || padding == 0 && form.contains(.unpadded) || padding <= 2 && form.contains(.anyPadding),
      !form.contains(.eitherAlphabet) || useStandardAlphabet(&symbols)
    else { return nil }
    guard form.contains(.unusedBits) else {
      return decode(symbols + repeatElement(UInt8(ascii: "="), count: missing))
    }
    // The missing symbols are filled up with zeros, whose bytes are dropped again.
    guard missing < 3 else { return nil }
    return decode(symbols + repeatElement(UInt8(ascii: "A"), count: missing)).map { Array($0.dropLast(missing)) }
  }

  /// Replaces the symbols of the URL-safe alphabet; false where both alphabets are used.
  private static func useStandardAlphabet(_ symbols: inout [UInt8]) -> Bool {
    var isStandard = false
    var isURLSafe = false
    for index in symbols.indices {
      switch symbols[index] {
      case UInt8(ascii: "-"), UInt8(ascii: "_"):
        symbols[index] = symbols[index] == UInt8(ascii: "-") ? UInt8(ascii: "+") : UInt8(ascii: "/")
        isURLSafe = true
      case UInt8(ascii: "+"), UInt8(ascii: "/"): isStandard = true
      default: continue
      }
    }
    return !isStandard || !isURLSafe
  }
}

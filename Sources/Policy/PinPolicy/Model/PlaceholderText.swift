import Diagnostics
package import PinFormat

/// Tells a text that somebody made up where a pin belongs: words, rows, repetitions.
///
/// A text is as long as the shortest description of it, which is made of single characters, words and copies of what is
/// before. Descriptions are counted in bits of a code in which none is the beginning of another, so at most 2^n of
/// them, and of what they describe, are n bits long (Kraft's inequality). A pin is one of 2^256 that are all alike: in
/// each of its two spellings, at most one random pin in 2^32 has a description of 256 - 32 bits, whatever the words
/// are. Together that is less than one in 2 × 10^9.
package enum PlaceholderText {
  /// How much shorter than a pin the description of a placeholder is.
  package static let savedBits = 32

  /// What tokens cost, in quarters of a bit: the kind of token first, then what it says.
  package enum Cost {
    static let bit = 4
    /// A quarter of a bit says that it is a character.
    static func character(bits: Int) -> Int { 1 + bits * bit }
    /// Four bits for the kind, eight for the word, two for how it is written: small, large, with one large letter.
    static let word = (4 + 8 + 2) * bit
    /// Four bits for the kind, six for how far back, six for how many characters, three for what differs.
    static let copy = (4 + 6 + 6 + 3) * bit
    static let copyLengths = 3...66
    static let copyDistances = 1...63

    /// The sum, over all tokens that may come next, of two to the power of minus their bits: at most one in a code that can
    /// be read.
    package static func kraftSum(characterBits: Int) -> Double {
      func share(_ cost: Int) -> Double { (0..<cost).reduce(1) { sum, _ in sum * 0.840_896_415_253_714_6 } }
      let copies = copyLengths.count * copyDistances.count * Relation.count
      return Double(1 << characterBits) * share(character(bits: characterBits))
        + Double(PlaceholderWords.all.count * 3) * share(word) + Double(copies) * share(copy)
    }
  }

  /// What a pin reads as, as the rest of a sentence; nil where it could be a digest.
  package static func description(of pin: Pin) -> String? {
    let look = FirstLook(pin.digest)
    if look.mayBeBase64, let said = Reading(base64(pin), characterBits: 6).description(ofBits: 256) { return said }
    guard look.mayBeHexadecimal else { return nil }
    return Reading(Array(pin.digest.hex.utf8), characterBits: 4).description(ofBits: 256)
  }

  private static func base64(_ pin: Pin) -> [UInt8] { Base64.encode(pin.digest.bytes).utf8.dropLast() }

  /// What a text reads as that isn't a pin: it is refused anyhow, so half as much is enough.
  package static func description(ofOther text: some StringProtocol) -> String? {
    var body = text[...]
    if let slash = body.utf8.firstIndex(of: UInt8(ascii: "/")), body.lowercased().hasPrefix("sha256") {
      body = body[slash...].drop { $0 == "/" }
    }
    let bytes = Array(body.utf8.prefix(128)).filter { $0 != UInt8(ascii: "=") }
    return Reading(bytes, characterBits: 6).description(ofBits: bytes.count * 6, saving: savedBits / 2)
  }

  /// How a character of a copy differs from the one that it is copied of: by -1, 0 or 1 in the order of the alphabet, with
  /// the same size of letter or the other.
  private enum Relation {
    static let count = 6

    static func between(_ first: Int, _ second: Int) -> Int? {
      let step = second - first
      if (-1...1).contains(step) { return step + 1 }
      guard first < 52, second < 52, (first < 26) != (second < 26) else { return nil }
      let turned = first < 26 ? step - 26 : step + 26
      return (-1...1).contains(turned) ? turned + 4 : nil
    }
  }

  /// What is seen of a pin without reading it: a policy may have ten thousand, and one in a hundred is read.
  ///
  /// In words, characters of one kind stand together; in rows and repetitions, few steps from one to the next differ.
  private struct FirstLook {
    var mayBeBase64: Bool
    var mayBeHexadecimal: Bool

    init(_ digest: SHA256Digest) {
      var bytes = InlineArray<33, UInt8>(repeating: 0)
      for index in 0..<SHA256Digest.byteCount { bytes[index] = digest[index] }
      var (before, kindBefore, alike) = (0, 0, 0)
      var steps: UInt32 = 0
      for index in 0..<43 {
        let (byte, shift) = (index * 6 / 8, 10 - index * 6 % 8)
        let symbol = (Int(bytes[byte]) << 8 | Int(bytes[byte + 1])) >> shift & 63
        let kind = Self.kind(symbol)
        if index > 0 {
          alike += Self.alikeKinds >> (kindBefore * 4 + kind) & 1
          steps |= 1 << UInt32((symbol - before + 78) % 26)
        }
        (before, kindBefore) = (symbol, kind)
      }
      // Fewer than 1 % of random pins have so many such pairs, and 0.25 % so few steps.
      mayBeBase64 = alike >= 32 || steps.nonzeroBitCount <= 16
      var seen = InlineArray<4, UInt64>(repeating: 0)
      for index in 1..<SHA256Digest.byteCount {
        let step = bytes[index] &- bytes[index - 1]
        seen[Int(step >> 6)] |= 1 << UInt64(step & 63)
      }
      var count = 0
      for word in seen.indices { count += seen[word].nonzeroBitCount }
      mayBeHexadecimal = count <= 25
    }

    // Without branches: those of random pins can't be predicted.

    /// 0 for a large letter, 1 for a small one, 2 for a digit, 3 for the others.
    private static func kind(_ symbol: Int) -> Int {
      (symbol < 26 ? 0 : 1) + (symbol < 52 ? 0 : 1) + (symbol < 62 ? 0 : 1)
    }

    /// A bit for each pair of kinds, at four times the first and the second: both are the same, a capital letter begins a
    /// word, or '+' and '/' are used in place of spaces.
    private static let alikeKinds = 0b1111_1100_1010_1011
  }

  /// A text, and the shortest description of it.
  private struct Reading {
    private let cost: Int
    /// The words of the shortest description.
    private let words: [String]

    init(_ text: [UInt8], characterBits: Int) {
      let symbols = text.map { Self.symbol($0, bits: characterBits) }
      let small = text.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
      let character = Cost.character(bits: characterBits)
      let copies = Self.longestCopies(symbols)
      var best = [0] + Array(repeating: Int.max, count: text.count)
      var token = Array(repeating: (length: 1, isWord: false), count: text.count + 1)
      for start in text.indices {
        func reach(_ end: Int, by cost: Int, isWord: Bool = false) {
          guard best[start] + cost < best[end] else { return }
          best[end] = best[start] + cost
          token[end] = (end - start, isWord)
        }
        reach(start + 1, by: character)
        for length in Cost.copyLengths.prefix(while: { $0 <= copies[start] }) { reach(start + length, by: Cost.copy) }
        for word in Self.words(at: start, of: text, small) { reach(start + word.count, by: Cost.word, isWord: true) }
      }
      cost = best[text.count]
      var words: [String] = []
      var end = text.count
      while end > 0 {
        let (length, isWord) = token[end]
        if isWord { words.append(String(decoding: text[(end - length)..<end], as: UTF8.self)) }
        end -= length
      }
      self.words = words.reversed()
    }

    func description(ofBits bits: Int, saving: Int = PlaceholderText.savedBits) -> String? {
      guard bits * Cost.bit - cost >= saving * Cost.bit else { return nil }
      guard !words.isEmpty else { return "follows a pattern: a placeholder" }
      return "spells \(words.prefix(3).map { "'\($0)'" }.listed()): a placeholder"
    }

    /// The place of a character in the alphabet; those of URLs' Base64 are the same, and others are apart.
    private static func symbol(_ byte: UInt8, bits: Int) -> Int {
      let isHexadecimal = bits == 4
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): return Int(byte) - 0x41
      case UInt8(ascii: "a")...UInt8(ascii: "z"): return Int(byte) - 0x61 + (isHexadecimal ? 10 : 26)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): return Int(byte) - 0x30 + (isHexadecimal ? 0 : 52)
      case UInt8(ascii: "+"), UInt8(ascii: "-"): return 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): return 63
      default: return 1_000 + 4 * Int(byte)
      }
    }

    /// How many characters from each on can be copied of something before, at most.
    private static func longestCopies(_ symbols: [Int]) -> [Int] {
      var longest = Array(repeating: 0, count: symbols.count)
      for distance in Cost.copyDistances where distance < symbols.count {
        var length = 0
        var before: Int?
        for index in stride(from: symbols.count - 1, through: distance, by: -1) {
          let relation = Relation.between(symbols[index - distance], symbols[index])
          length = relation == nil ? 0 : relation == before ? length + 1 : 1
          before = relation
          longest[index] = max(longest[index], length)
        }
      }
      return longest
    }

    /// The words that begin at a place, in small or large letters or with one large letter.
    private static func words(at start: Int, of text: [UInt8], _ small: [UInt8]) -> [[UInt8]] {
      guard (0x61...0x7A).contains(small[start]) else { return [] }
      return PlaceholderWords.byFirst[Int(small[start]) - 0x61].filter { word in
        let end = start + word.count
        guard end <= text.count, small[start..<end].elementsEqual(word) else { return false }
        return text[(start + 1)..<end].elementsEqual(word.dropFirst())
          || !text[start..<end].contains { (0x61...0x7A).contains($0) }
      }
    }
  }
}

/// What people write where a pin belongs, in lower case: at most 256, because a word counts as eight bits.
///
/// They were chosen by subject. Nothing is taken from the placeholders of the tests, which say how many are found.
enum PlaceholderWords {
  static let all: [[UInt8]] =
    [
      // What to do with it.
      """
      replace replaced insert enter change changeme paste put add use fill set update edit generate compute remove delete \
      todo fixme tbd here goes this that with your yours own real actual valid correct the for from and not before after \
      must please need never only same make sure later
      """,
      // What it isn't.
      """
      placeholder dummy fake example sample test testing demo mock stub temp temporary bogus invalid wrong random unknown \
      none null empty blank default some something any foo bar baz foobar lorem ipsum dolor hello world secret password \
      string text value data name number first second third one two three
      """,
      // What it should become.
      """
      pin pins pinning pinned key keys hash hashes hashed digest fingerprint thumbprint checksum certificate certificates \
      cert certs public private pubkey spki subject info base base64 encoded encode sha sha256 sha1 hex ssl tls https http \
      url pem der rsa ecdsa character characters length bytes letters digits long
      """,
      // Whose key it is.
      """
      server servers host hostname domain site website web app api backend client service root intermediate leaf issuer \
      authority chain primary secondary main backup spare current next old new previous future expired active alternate \
      production prod staging stage development dev debug release local localhost live version config android ios mobile \
      company corp user file
      """,
      // Keyboard patterns.
      """
      qwerty qwertyuiop qwertz azerty asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm qwer uiop hjkl wasd abc xyz deadbeef \
      cafebabe feedface coffee dead beef cafe babe face feed
      """,
    ].flatMap { $0.split { $0 == " " || $0 == "\n" }.map { Array($0.utf8) } }

  /// The words that begin with a letter, by that letter.
  static let byFirst: [[[UInt8]]] = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { letter in
    all.filter { $0.first == letter }
  }
}

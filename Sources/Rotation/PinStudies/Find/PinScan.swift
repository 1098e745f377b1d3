import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

/// Walks over a text from one run of letters and digits to the next.
struct PinScan {
  private(set) var found: [(pin: Pin, range: Range<Int>, isLikely: Bool, otherOrder: Pin?, isOfKey: Bool)] = []
  private(set) var unread: [(range: Range<Int>, reason: String)] = []
  /// How many certificates, and public keys in PEM, are skipped.
  private(set) var certificates = 0

  private let source: UnescapedText
  private let text: [UInt8]
  /// Behind the word that was looked at as a whole last: a word may also have the hyphen and underscore of URLs.
  private var wordEnd = 0
  /// Behind what was last found or left: what follows in the same list has the same name.
  private var listEnd: Int?
  /// Behind what was read as a key, in which no other key begins.
  private var keyEnd = 0
  /// Behind a list of decimal numbers, in which no other list begins.
  private var decimalsEnd = 0
  /// Once no end of PEM is ahead, none is looked for again.
  private var hasEndAhead = true
  /// Whether the file lists certificates that sign an Android app (assetlinks.json), whose digests look like pins.
  private let listsAppSigners: Bool

  init(_ bytes: [UInt8]) {
    listsAppSigners = bytes.contains("sha256_cert_fingerprints".utf8)
    source = UnescapedText(bytes)
    text = source.bytes
  }

  mutating func run() {
    var index = 0
    while index < text.count {
      index = isPEM(at: index) ? endOfPEM(from: index) : bytes(at: index) ?? word(at: index) ?? symbols(at: index)
    }
  }

  private mutating func add(
    _ pin: Pin, _ range: Range<Int>, isLikely: Bool, otherOrder: Pin? = nil, isOfKey: Bool = false
  ) {
    found.append((pin, source.places(of: range), isLikely, otherOrder, isOfKey))
    if isLikely { listEnd = range.upperBound }
  }

  private mutating func leave(_ range: Range<Int>, _ reason: String) {
    unread.append((source.places(of: range), reason))
    listEnd = range.upperBound
  }

  // MARK: Bytes and records

  /// Behind a list of bytes or a TLSA record; nil where none begins.
  private mutating func bytes(at index: Int) -> Int? {
    if let list = DecimalBytes(source, at: index), add(list.bytes, list.range, before: index) {
      return list.range.upperBound
    }
    if let literal = EscapedBytes(source, at: index), add(literal.bytes, literal.range, before: index) {
      return literal.range.upperBound
    }
    let isEscape = text[index] == UInt8(ascii: "\\")
    guard isEscape || Self.isSymbol(text[index]) else { return nil }
    if let record = TLSARecord(source, at: index) {
      switch record.content {
      case .pin(let pin): add(pin, record.range, isLikely: true)
      case .unread(let reason): leave(record.range, reason)
      }
      return record.range.upperBound
    }
    guard index >= decimalsEnd, !isOfURLs(before: index), let list = SeparatedDigits(source, at: index) else {
      return nil
    }
    guard !list.isDecimal else {
      decimalsEnd = list.end
      return nil
    }
    let bytes = list.digits.count / 2
    // What has the name of a pin is one, in whichever order its bytes are.
    let isLikely = !list.isOfNumbers || isNamed(before: index, strictly: true)
    let range = index..<list.end
    if list.digits.count == 64, let pin = Self.pin(hexadecimal: list.digits) {
      let other = list.isOfNumbers ? Self.pin(hexadecimal: list.reversedDigits) : nil
      add(pin, range, isLikely: isLikely && !listsAppSigners, otherOrder: other)
    } else if let contents = Hex.decode(list.digits.map { $0 | 0x20 }), list.isArray || Self.isDER(contents) {
      _ = add(contents, range, before: index, isLikely: isLikely)
    } else if list.isOfBytes, !listsAppSigners, isNamed(before: index, strictly: true), Self.isDigestLength(bytes) {
      leave(index..<list.end, Self.reason(bytes: bytes))
    }
    return list.end
  }

  /// Adds the digests of an array, or reports one of another length after a word for a pin; false if it is neither.
  private mutating func add(_ bytes: [UInt8], _ range: Range<Int>, before start: Int, isLikely: Bool = true) -> Bool {
    if Self.isDER(bytes) {
      add(der: bytes, range)
      return true
    }
    if !bytes.isEmpty, bytes.count.isMultiple(of: 32) {
      let isNamed = isLikely && !listsAppSigners && isNamed(before: start, strictly: false)
      for first in stride(from: 0, to: bytes.count, by: 32) {
        if let pin = Self.pin(of: Array(bytes[first..<first + 32])) { add(pin, range, isLikely: isNamed) }
      }
      return true
    }
    guard isLikely, !listsAppSigners, Self.isDigestLength(bytes.count), isNamed(before: start, strictly: true) else {
      return false
    }
    leave(range, Self.reason(bytes: bytes.count))
    return true
  }

  /// Adds the pin of a public key, or counts a certificate.
  private mutating func add(der: [UInt8], _ range: Range<Int>) {
    if (try? PublicKey(subjectPublicKeyInfo: der)) != nil, let digest = try? SHA256.digest(of: der) {
      add(
        Pin(SHA256Digest(digest)), range, isLikely: isNamed(before: range.lowerBound, strictly: true), isOfKey: true)
    } else {
      certificates += 1
    }
  }

  /// Whether bytes are one sequence in DER: a certificate or a key.
  private static func isDER(_ bytes: [UInt8]) -> Bool {
    KeyStructure.head(bytes).map { $0.tag == 0x30 && $0.count == bytes.count } ?? false
  }

  /// Whether so many bytes may be a digest, or several, with a part that is missing or too much.
  private static func isDigestLength(_ bytes: Int) -> Bool { bytes == 20 || bytes >= 28 }

  private static func reason(bytes: Int) -> String {
    bytes == 20 ? reason("SHA-1") : "has \(bytes) bytes, where a digest by SHA-256 has 32"
  }

  // MARK: Words

  /// Behind a word with a pin in the alphabet for URLs (RFC 4648 section 5); nil where there is none.
  private mutating func word(at index: Int) -> Int? {
    guard index >= wordEnd else { return nil }
    wordEnd = index
    while wordEnd < text.count, Self.isSymbol(text[wordEnd]) || Self.isOfURLs(text[wordEnd]) { wordEnd += 1 }
    let digits = index + (beginsName("sha256-", at: index) ? 7 : nameLength(at: index))..<wordEnd
    let behind = wordEnd + padding(at: wordEnd)
    guard digits.count == 43, behind < wordEnd + 2, text[digits].contains(where: Self.isOfURLs),
      let pin = base64(text[digits].map { Self.urlSymbols[$0] ?? $0 })
    else { return nil }
    add(
      pin, digits.lowerBound..<behind,
      isLikely: !isForOthers(digits.lowerBound, isPadded: behind > wordEnd)
        && (index < digits.lowerBound || behind > wordEnd || isNamed(before: index, strictly: false)))
    return behind
  }

  /// Behind a run of the characters of Base64, or the next character where there is none.
  private mutating func symbols(at index: Int) -> Int {
    guard Self.isSymbol(text[index]) else { return index + 1 }
    var end = index
    while end < text.count, Self.isSymbol(text[end]) { end += 1 }
    return key(index..<end) ?? joined(index..<end) ?? look(at: index..<end)
  }

  /// How Base64 of a certificate or public key in PEM begins, as Kubernetes's Secrets have it.
  private static let encodedPEM = ["LS0tLS1CRUdJTiBDRVJU", "LS0tLS1CRUdJTiBQVUJMSUMg"]

  /// Behind a whole public key or certificate in Base64 or hexadecimal digits; nil where none begins.
  private mutating func key(_ run: Range<Int>) -> Int? {
    guard run.lowerBound >= keyEnd else { return nil }
    if Self.encodedPEM.contains(where: { text[run].starts(with: $0.utf8) }) {
      certificates += 1
      return run.upperBound
    }
    let isHexadecimal = text[run].starts(with: "30".utf8)
    let head =
      isHexadecimal
      ? Hex.decode(text[run].prefix(2 * KeyStructure.headSymbols).map { $0 | 0x20 }).flatMap { KeyStructure.head($0) }
      : KeyStructure.head(base64: Array(text[run].prefix(KeyStructure.headSymbols)))
    guard let head, head.tag == 0x30 else { return nil }
    let most = isHexadecimal ? 2 * head.count : (4 * head.count + 2) / 3
    var digits = Array(text[run])
    var end = run.upperBound
    while digits.count < most, let joint = source.behindJoint(at: end, inList: true) {
      let piece = text[joint.end...].prefix(most).prefix(while: Self.isSymbol)
      guard !piece.isEmpty else { break }
      digits += piece
      end = piece.endIndex
    }
    keyEnd = end
    let der =
      isHexadecimal ? Hex.decode(digits.map { $0 | 0x20 }) : Base64.decode(digits, accepting: [.unpadded, .unusedBits])
    guard let der, der.count == head.count else {
      guard isNamed(before: run.lowerBound, strictly: true) else { return nil }
      leave(run.lowerBound..<end, "looks like a public key, but is cut off or has other characters in it")
      return end
    }
    end += padding(at: end)
    add(der: der, run.lowerBound..<end)
    return end
  }

  private mutating func look(at run: Range<Int>) -> Int {
    let padding = padding(at: run.upperBound)
    let behind = run.upperBound + padding
    let name = nameLength(at: run.lowerBound)
    guard behind >= text.count || !(Self.isSymbol(text[behind]) || Self.isOfURLs(text[behind])) else {
      lookForUnreadable(run, behind)
      return run.upperBound
    }
    if padding == 0, let pin = hexadecimal(run) {
      let isWord = run.count == 64 + name || isPrefixed(run)
      let isImage = follows("sha256:", run.lowerBound) && isForOthers(run.lowerBound, isPadded: true)
      add(pin, run.upperBound - 64..<run.upperBound, isLikely: isWord && !isImage)
    } else if padding < 2, run.count >= 43, !Self.isHexadecimal(text[run.upperBound - 43..<run.upperBound]),
      let pin = base64(text[run.upperBound - 43..<run.upperBound])
    {
      let prefix = run.lowerBound..<run.upperBound - 43
      guard endsInName(prefix) || prefix.isEmpty && !isOfURLs(before: run.lowerBound) else {
        lookForUnreadable(run, behind)
        return run.upperBound
      }
      let isScript = prefix.isEmpty && isForOthers(run.lowerBound, isPadded: padding == 1)
      // Without padding and name, it may be any word.
      let isLikely =
        !isScript && (padding == 1 || !prefix.isEmpty || isNamed(before: run.lowerBound, strictly: false))
      add(pin, prefix.upperBound..<behind, isLikely: isLikely)
    } else {
      lookForUnreadable(run, behind)
    }
    return run.upperBound
  }

  /// Whether a digest is that of a script, an image or a key for SSH: `sha256-` or `sha256:` is right before it, and no
  /// word for a pin before that.
  private func isForOthers(_ start: Int, isPadded: Bool) -> Bool {
    guard hasShortName(before: start), !follows("pin-sha256:", start) else { return false }
    return !isPadded || !source.isNamedRight(before: start - 7)
  }

  private func hasShortName(before start: Int) -> Bool { follows("sha256-", start) || follows("sha256:", start) }

  /// Names before digests, and the algorithm of those that no client compares.
  private static let names = [
    ("sha256/", nil), ("sha1/", "SHA-1"), ("sha384/", "SHA-384"), ("sha512/", "SHA-512"), ("md5/", "MD5"),
  ]

  private static func reason(_ algorithm: String) -> String {
    "is a digest by \(algorithm), which no client of this policy compares"
  }

  /// A pin that is named as one, and whose digest is of another length or algorithm.
  private mutating func lookForUnreadable(_ run: Range<Int>, _ behind: Int) {
    let start = run.lowerBound
    guard !isOfURLs(before: start) else { return }
    let quote = start > 0 && "\"'`".utf8.contains(text[start - 1]) ? text[start - 1] : nil
    // HPKP's headers have escaped quotes in the configurations of servers.
    let parameter = start - (quote == nil ? 0 : follows("\\", start - 1) ? 2 : 1)
    if let (name, algorithm) = Self.names.first(where: { beginsName($0.0, at: start) }) {
      var digits = text[run].dropFirst(name.utf8.count)
      if digits.first == UInt8(ascii: "/") { digits = digits.dropFirst() }
      // What is short or of one kind is a path such as `sha256/block.go`, if it isn't a literal.
      // Apps have pins by SHA-256 and SHA-1; others are modules: `require("md5/md5")`.
      let isLiteral =
        quote != nil && behind < text.count && text[behind] == quote && !digits.isEmpty
        && [nil, "SHA-1"].contains(algorithm)
      let isHexadecimal = algorithm == nil && digits.count >= 40 && Self.isHexadecimal(digits)
      guard isLiteral || isHexadecimal || Self.isDigest(digits, hasPadding: behind > run.upperBound) else { return }
      let length =
        isHexadecimal
        ? "has \(digits.count) hexadecimal digits, where a digest by SHA-256 has 64"
        : "has \(counted(digits.count, "character")) behind 'sha256/', where a digest in Base64 has 43"
      leave(
        start..<behind,
        algorithm.map(Self.reason)
          ?? (digits.count == 43 && !isHexadecimal
            ? "has other characters right behind its digest" : length))
    } else if follows("pin-sha256=", parameter) || follows("pin-sha256:", parameter) {
      guard quote != nil || Self.isDigest(text[run], hasPadding: behind > run.upperBound) else { return }
      leave(start..<behind, "isn't the 43 characters of Base64 that a digest has")
    } else if let digits = hexadecimals(in: run) {
      // The name of a commit has as many as a digest by SHA-1.
      guard isNamedRight(before: start) || isInList(start) else { return }
      let count =
        digits == 64
        ? "has other characters right behind its 64 digits"
        : "has \(digits) hexadecimal digits, where a digest by SHA-256 has 64"
      leave(start..<behind, digits == 40 ? Self.reason("SHA-1") : count)
    } else if hasShortName(before: start) {
      guard isNamedRight(before: start), Self.isDigest(text[run], hasPadding: behind > run.upperBound) else { return }
      leave(start..<behind, "isn't the 43 characters of Base64 that a digest has")
    } else if run.count == 27, behind == run.upperBound + 1, Self.isMixed(text[run]) {
      if isNamed(before: start, strictly: true) { leave(start..<behind, Self.reason("SHA-1")) }
    } else if source.isPinsBlock(at: start), run.count >= 16, Self.isMixed(text[run]) {
      leave(start..<behind, "isn't the 43 characters of Base64 that a digest has")
    } else if let quote, (40...100).contains(run.count), Self.isMixed(text[run]) {
      let end = text[run.upperBound...].prefix(16).prefix { Self.isSymbol($0) || $0 == UInt8(ascii: "=") }.endIndex
      guard end < text.count, text[end] == quote, isNamed(before: start, strictly: true) else { return }
      leave(
        start..<end,
        behind == end
          ? "has \(run.count) characters of Base64, where a digest has 43" : "has other characters right behind its '='"
      )
    }
  }

  /// Whether what has a name looks like a digest of some length.
  private static func isDigest(_ digits: ArraySlice<UInt8>, hasPadding: Bool) -> Bool {
    digits.count >= 20 && (hasPadding || isMixed(digits) || digits.allSatisfy { $0 == digits.first })
  }

  /// Whether the text before, or before the list that it is in, says that it is a pin.
  private func isNamed(before place: Int, strictly: Bool) -> Bool {
    isInList(place) || source.isNamed(before: place, strictly: strictly)
  }

  /// Whether a word for a pin is right before a digest, or before its `sha256:`.
  private func isNamedRight(before place: Int) -> Bool {
    source.isNamedRight(before: hasShortName(before: place) ? place - 7 : place)
  }

  /// How many hexadecimal digits a word has that may be a digest; nil if it has other characters.
  private func hexadecimals(in run: Range<Int>) -> Int? {
    let digits = text[run].dropFirst(beginsName("0x", at: run.lowerBound) ? 2 : 0)
    return digits.count >= 40 && digits.allSatisfy(FingerprintText.isDigit) ? digits.count : nil
  }

  /// Whether all are hexadecimal digits, with figures: 43 characters of Base64 never are, but 43 digits of a longer number.
  private static func isHexadecimal(_ digits: some Collection<UInt8>) -> Bool {
    digits.allSatisfy(FingerprintText.isDigit) && digits.contains { $0 <= UInt8(ascii: "9") }
  }

  private func isInList(_ place: Int) -> Bool {
    guard let listEnd, listEnd < place, place - listEnd <= 32 else { return false }
    return text[listEnd..<place].allSatisfy { " \t\r\n,;'\"`".utf8.contains($0) }
  }

  /// Behind a pin that is written in several string literals or lines; nil where there is none.
  private mutating func joined(_ run: Range<Int>) -> Int? {
    var digits = Array(text[run])
    var end = run.upperBound
    var joints: Set<UnescapedText.Joint> = []
    for _ in 0..<8 {
      guard digits.count < 72, let joint = source.behindJoint(at: end, inList: true) else { return nil }
      let piece = text[joint.end...].prefix(72).prefix(while: Self.isSymbol)
      guard !piece.isEmpty else { return nil }
      digits += piece
      joints.insert(joint.kind)
      let padding = padding(at: piece.endIndex)
      end = piece.endIndex + padding
      guard end >= text.count || !(Self.isSymbol(text[end]) || Self.isOfURLs(text[end])) else { return nil }
      let range = run.lowerBound..<end
      if let pin = pin(joining: digits, joints, padding, at: range) {
        add(pin, range, isLikely: isOneText(range, joints, hasName: Self.nameLength(of: digits[...]) > 0))
        return end
      }
      if digits.count == 64, let pin = Self.pin(hexadecimal: digits) {
        add(pin, range, isLikely: isOneNumber(range, joints))
        return end
      }
      guard padding == 0 else { return nil }
    }
    return nil
  }

  /// The pin that parts in Base64 are together.
  private func pin(
    joining digits: [UInt8], _ joints: Set<UnescapedText.Joint>, _ padding: Int, at range: Range<Int>
  ) -> Pin? {
    let name = Self.nameLength(of: digits[...])
    guard digits.count == 43 + name, padding < 2, !Self.isHexadecimal(digits[name...]) else { return nil }
    let isWhole = padding == 1 || name > 0 && !joints.contains(.line) || source.isPinsBlock(at: range.lowerBound)
    return isWhole ? base64(digits[name...]) : nil
  }

  /// Whether the parts of a pin in Base64 are one text: those of a list or in lines, only if something says so.
  private func isOneText(_ range: Range<Int>, _ joints: Set<UnescapedText.Joint>, hasName: Bool) -> Bool {
    if hasName || joints.isDisjoint(with: [.line, .list]) { return true }
    return joints.contains(.line)
      ? source.isPinsBlock(at: range.lowerBound)
      : source.isJoined(range) || isNamed(before: range.lowerBound, strictly: true)
  }

  /// Whether digits in parts are one number: lists in shell have a space between two words, too, and lists of other
  /// digests an end of line or a comma.
  private func isOneNumber(_ range: Range<Int>, _ joints: Set<UnescapedText.Joint>) -> Bool {
    switch joints {
    case [.operation]: true
    case [.line]: isNamed(before: range.lowerBound, strictly: true)
    case [.list]: source.isJoined(range)
    default: false
    }
  }

  // MARK: Digits

  private static func pin(of digest: [UInt8]) -> Pin? { SHA256Digest(digest).map { Pin($0) } }

  /// 0x20 makes letters lower-case, and is set in digits already.
  static func pin(hexadecimal digits: [UInt8]) -> Pin? {
    Hex.decode(digits.map { $0 | 0x20 }).flatMap(pin(of:))
  }

  /// The unused bits of the last character are ignored, as by the readers of pins.
  private func base64(_ digits: some Collection<UInt8>) -> Pin? {
    Base64.decode(Array(digits)[...], accepting: .pins).flatMap(Self.pin(of:))
  }

  /// `0x` and 64 more.
  private func isPrefixed(_ run: Range<Int>) -> Bool { run.count == 66 && beginsName("0x", at: run.lowerBound) }

  /// 64 digits and no more, behind nothing, `0x` or a slash.
  private func hexadecimal(_ run: Range<Int>) -> Pin? {
    let start = run.upperBound - 64
    guard start >= run.lowerBound,
      start == run.lowerBound || isPrefixed(run) || text[start - 1] == UInt8(ascii: "/"),
      start > run.lowerBound || !isOfURLs(before: start)
    else { return nil }
    return Self.pin(hexadecimal: Array(text[start..<run.upperBound]))
  }

  /// How many `=` there are, of at most two.
  private func padding(at index: Int) -> Int { text[index...].prefix(2).prefix { $0 == UInt8(ascii: "=") }.count }

  /// Small and capital letters and figures, as every digest of some length has.
  private static func isMixed(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
      && digits.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      && digits.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  // MARK: Names

  /// How long `sha256/` or curl's `sha256//` is at the beginning of a word; 0 where neither is.
  private func nameLength(at index: Int) -> Int { Self.nameLength(of: text[index...].prefix(8)) }

  private static func nameLength(of digits: ArraySlice<UInt8>) -> Int {
    let name = String(decoding: digits.prefix(8), as: UTF8.self).lowercased()
    return name == "sha256//" ? 8 : name.hasPrefix("sha256/") ? 7 : 0
  }

  /// Whether a run ends in `sha256/` or curl's `sha256//`.
  private func endsInName(_ range: Range<Int>) -> Bool {
    let name = String(decoding: text[range].suffix(8), as: UTF8.self).lowercased()
    return name.hasSuffix("sha256/") || name.hasSuffix("sha256//")
  }

  private func beginsName(_ name: String, at index: Int) -> Bool {
    String(decoding: text[index...].prefix(name.utf8.count), as: UTF8.self).lowercased() == name
  }

  private func follows(_ name: String, _ index: Int) -> Bool {
    index >= name.utf8.count && beginsName(name, at: index - name.utf8.count)
  }

  /// Whether the text before belongs to the same word; false for `sha256-`, which is handled separately.
  private func isOfURLs(before index: Int) -> Bool {
    index > 0 && Self.isOfURLs(text[index - 1]) && !follows("sha256-", index)
  }

  private static let urlSymbols = [UInt8(ascii: "-"): UInt8(ascii: "+"), UInt8(ascii: "_"): UInt8(ascii: "/")]

  private static func isOfURLs(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }

  static func isSymbol(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }

  // MARK: PEM

  private static let begin = Array("-----BEGIN ".utf8)
  private static let end = Array("-----END ".utf8)

  private func isPEM(at index: Int) -> Bool {
    text[index] == UInt8(ascii: "-") && text[index...].starts(with: Self.begin)
  }

  private static let labels =
    ["", "X509 ", "TRUSTED "].map { Array("\($0)CERTIFICATE-----".utf8) } + [
      Array("PUBLIC KEY-----".utf8)
    ]

  /// Behind the end of PEM, or where it begins if it has none.
  private mutating func endOfPEM(from start: Int) -> Int {
    let label = start + Self.begin.count
    var index = label
    while hasEndAhead, index < text.count {
      if text[index] == UInt8(ascii: "-"), text[index...].starts(with: Self.end) {
        if Self.labels.contains(where: { text[label...].starts(with: $0) }) { certificates += 1 }
        return index + Self.end.count
      }
      index += 1
    }
    hasEndAhead = false
    return label
  }
}

/// What a signature can be over.
public enum SignedContent: Hashable, Sendable, CaseIterable {
  /// Which keys servers may present; signers sign it.
  case manifest
  /// Who may sign; roots sign it.
  case keyset

  /// The media type that the content's signatures are bound to.
  public var mediaType: String {
    switch self {
    case .manifest: Manifest.mediaType
    case .keyset: Keyset.mediaType
    }
  }

  /// What it is called in messages.
  package var noun: String {
    switch self {
    case .manifest: "manifest"
    case .keyset: "keyset"
    }
  }

  /// Whether bytes say that they are this, which nobody may have signed; texts can't, because quotation marks in them
  /// are escaped.
  package func isNamed(in bytes: some RandomAccessCollection<UInt8>) -> Bool {
    let field = Array(("\"type\":\"" + mediaType + "\"").utf8)
    return bytes.indices.dropLast(field.count - 1).contains { start in
      bytes[start] == field[0] && bytes[start...].prefix(field.count).elementsEqual(field)
    }
  }

  /// What the error about a file that can't be verified adds if its end names another kind: the two were swapped.
  package func hint(_ file: some RandomAccessCollection<UInt8>) -> String {
    for other in SignedContent.allCases where other != self && other.isNamed(in: file.suffix(1024)) {
      return "; the file says that it is a " + other.noun + ", and a " + noun + " is expected here"
    }
    return ""
  }

  /// The format that the content's fields belong to.
  var format: CanonicalFormat {
    switch self {
    case .manifest: .manifest
    case .keyset: .keyset
    }
  }
}

/// A signed file as its signatures and the place of its signed bytes: what can be said before anything is verified.
public struct SignatureEnvelope: Hashable, Sendable {
  /// One signature over the pre-authentication encoding of the signed bytes.
  public struct Signature: Hashable, Sendable {
    /// SHA-256 over the signing key's SPKI.
    public var keyID: SHA256Digest
    /// 64 bytes for Ed25519, DER for ECDSA.
    public var bytes: [UInt8]

    /// Puts a signature together.
    public init(keyID: SHA256Digest, bytes: [UInt8]) {
      self.keyID = keyID
      self.bytes = bytes
    }
  }

  /// The signatures, sorted by key.
  public let signatures: [Signature]
  /// Where the value of `signed` is in the file.
  public let signed: Range<Int>

  /// Finds the signatures and the signed bytes of a file; the signed bytes themselves are not looked into.
  ///
  /// - Parameters:
  ///   - bytes: The whole file, whose size the caller has capped.
  ///   - content: What it is taken for, which its messages name.
  /// - Throws: ``FormatError`` where the file is not the canonical encoding of an envelope, or nobody has signed it.
  public init(scanning bytes: [UInt8], as content: SignedContent = .manifest) throws(FormatError) {
    try self.init(bytes, as: content, allowsDraft: false)
  }

  /// Finds them in a file that nobody may have signed yet, for tools that add the first signature.
  package init(draft bytes: [UInt8], as content: SignedContent) throws(FormatError) {
    try self.init(bytes, as: content, allowsDraft: true)
  }

  /// The most bytes that are before the signed ones of a file that clients take, with room to spare.
  private static let headBytes = FormatLimits.signatures * (FormatLimits.signatureBytes * 2 + 128)

  /// Finds them in a file that isn't in memory: only its beginning and its end are read.
  package init(mapped bytes: UnsafeMutableBufferPointer<UInt8>) throws(FormatError) {
    guard bytes.count > Self.headBytes else {
      self = try SignatureEnvelope(scanning: Array(bytes))
      return
    }
    // The last two bytes close the file; the bytes that are left out belong to the signed value.
    let ends = try SignatureEnvelope(scanning: Array(bytes[..<Self.headBytes]) + bytes[(bytes.count - 2)...])
    signatures = ends.signatures
    signed = ends.signed.lowerBound..<bytes.count - 1
  }

  private init(_ bytes: [UInt8], as content: SignedContent, allowsDraft: Bool) throws(FormatError) {
    var scanner = CanonicalScanner(bytes, from: 0, to: bytes.count, as: content.format)
    var signatures: [Signature] = []
    try scanner.require("{\"signatures\":[")
    scanner.place = "signatures"
    var hasNext = true
    if allowsDraft, scanner.take(UInt8(ascii: "]")) { hasNext = false }
    while hasNext {
      scanner.item = signatures.count + 1
      let start = scanner.offset
      let signature = try scanner.signature()
      if let last = signatures.last, last.keyID >= signature.keyID {
        throw scanner.error(.notSorted, at: start, "signatures are not sorted by key, or a key signed twice")
      }
      signatures.append(signature)
      guard signatures.count <= FormatLimits.signatures else {
        throw scanner.error(.overLimit, at: start, "too many signatures")
      }
      hasNext = try scanner.takeNext(closing: UInt8(ascii: "]"))
    }
    scanner.place = content.format.name
    scanner.item = 0
    try scanner.require(",\"signed\":")
    let start = scanner.offset
    // The value ends before the file's closing brace, which is the last byte.
    guard bytes.count - start >= 3, bytes[start] == UInt8(ascii: "{") else {
      throw scanner.error(.truncated, at: start, "\"signed\" holds no object")
    }
    for offset in [bytes.count - 1, bytes.count - 2] where bytes[offset] != UInt8(ascii: "}") {
      throw scanner.error(
        .trailingBytes, at: offset,
        "the file does not end with the closing braces of a " + content.format.name.description)
    }
    self.signatures = signatures
    signed = start..<bytes.count - 1
  }

  /// The canonical bytes of a signed file.
  ///
  /// - Parameters:
  ///   - signed: What ``Manifest/signedBytes()`` or ``Keyset/signedBytes()`` answered.
  ///   - signatures: Signatures over ``preAuthenticationEncoding(of:as:)``, in any order; a file without any is a draft,
  ///     which no client takes.
  /// - Returns: The whole file.
  public static func encode(signed: [UInt8], signatures: [Signature]) -> [UInt8] {
    var writer = CanonicalWriter(capacity: signed.count + 64 + signatures.count * 256)
    writer.literal("{\"signatures\":")
    writer.list(signatures.sortedUnlessInOrder { signatures[$0].keyID < signatures[$1].keyID }) { writer, signature in
      writer.field("keyid", first: true)
      writer.digest(signature.keyID)
      writer.field("sig")
      writer.base64(signature.bytes)
      writer.byte("}")
    }
    writer.field("signed")
    writer.encoded(signed)
    writer.byte("}")
    return writer.bytes
  }

  /// The bytes that a signing key signs for the signed bytes of some content.
  public static func preAuthenticationEncoding(
    of signed: some Collection<UInt8>, as content: SignedContent = .manifest
  ) -> [UInt8] {
    DSSE.preAuthenticationEncoding(type: content.mediaType, body: signed)
  }

  /// Lends the bytes that a signing key signs, without a second copy of the signed ones.
  ///
  /// What is before the body in the encoding is written over the part of the file that is before the signed
  /// bytes, and taken back afterwards; the signed bytes themselves are never touched.
  ///
  /// - Parameters:
  ///   - bytes: The file that was scanned; copied only where somebody else holds it as well.
  ///   - content: What it was taken for.
  ///   - body: Is given the bytes, and where in them the encoding is.
  /// - Returns: What the body answers.
  /// - Throws: What the body throws.
  package func withPreAuthenticationEncoding<Answer, Failure: Error>(
    in bytes: inout [UInt8], as content: SignedContent, _ body: ([UInt8], Range<Int>) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let header = DSSE.header(type: content.mediaType, bodyLength: signed.count)
    let start = signed.lowerBound - header.count
    // In a file with a signature, more bytes precede the signed bytes than in the encoding.
    guard start >= 0 else {
      let encoding = Self.preAuthenticationEncoding(of: bytes[signed], as: content)
      return try body(encoding, encoding.indices)
    }
    let kept = Array(bytes[start..<signed.lowerBound])
    for (index, byte) in header.enumerated() { bytes[start + index] = byte }
    defer { for (index, byte) in kept.enumerated() { bytes[start + index] = byte } }
    return try body(bytes, start..<signed.upperBound)
  }

  /// The same of a file that isn't in memory; what is written over isn't taken back.
  ///
  /// - Returns: The bytes that a signing key signs.
  package func preAuthenticationEncoding(
    over bytes: UnsafeMutableBufferPointer<UInt8>, as content: SignedContent = .manifest
  ) -> UnsafeBufferPointer<UInt8>? {
    let header = DSSE.header(type: content.mediaType, bodyLength: signed.count)
    let start = signed.lowerBound - header.count
    guard start >= 0 else { return nil }
    for (index, byte) in header.enumerated() { bytes[start + index] = byte }
    return UnsafeBufferPointer(rebasing: UnsafeBufferPointer(bytes)[start..<signed.upperBound])
  }
}

extension CanonicalScanner {
  fileprivate mutating func signature() throws(FormatError) -> SignatureEnvelope.Signature {
    var first = true
    try require(UInt8(ascii: "{"))
    let signature = try signatureFields(first: &first)
    try finishObject(first: first)
    return signature
  }

  /// The fields of a signature; its object may have more.
  mutating func signatureFields(first: inout Bool) throws(FormatError) -> SignatureEnvelope.Signature {
    try require(field: "keyid", first: &first)
    let keyID = try digest("a key's identity")
    try require(field: "sig", first: &first)
    let start = offset + 1
    let bytes = try base64("a signature", atMost: FormatLimits.signatureBytes)
    guard !bytes.isEmpty else { throw invalid("a signature", at: start) }
    return SignatureEnvelope.Signature(keyID: keyID, bytes: bytes)
  }
}

/// A SHA-256 value: 32 bytes, compared as bytes.
///
/// Kept as four machine words, so that comparing, hashing and copying one never touches the heap.
public struct SHA256Digest: Hashable, Comparable, Sendable {
  @usableFromInline var words: (UInt64, UInt64, UInt64, UInt64)

  /// The number of bytes of every SHA-256 value.
  public static let byteCount = 32

  /// Takes 32 bytes, or answers nil where there are more or fewer.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    words = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
  }

  /// Takes 32 bytes as a digest function gives them.
  package init(_ value: InlineArray<32, UInt8>) {
    words = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { words in
      withUnsafeBytes(of: value) { words.copyMemory(from: $0) }
    }
  }

  /// Takes the 32 bytes as four numbers, the first byte in the highest place of the first one.
  init(numbers: (UInt64, UInt64, UInt64, UInt64)) {
    words = (numbers.0.bigEndian, numbers.1.bigEndian, numbers.2.bigEndian, numbers.3.bigEndian)
  }

  /// Reads 64 lower-case hexadecimal digits, or answers nil.
  public init?(hex: some Collection<UInt8>) {
    guard let bytes = Hex.decode(hex), let digest = SHA256Digest(bytes) else { return nil }
    self = digest
  }

  /// The 32 bytes.
  public var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

  /// One of the 32 bytes, without a copy of the others.
  @inlinable package subscript(index: Int) -> UInt8 { withUnsafeBytes(of: words) { $0[index] } }

  /// The 32 bytes as four numbers, the first byte in the highest place of the first one.
  var numbers: (UInt64, UInt64, UInt64, UInt64) {
    (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
  }

  /// 64 lower-case hexadecimal digits.
  public var hex: String { Hex.encode(bytes) }

  /// Compares as bytes.
  public static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
    left.words.0 == right.words.0 && left.words.1 == right.words.1
      && left.words.2 == right.words.2 && left.words.3 == right.words.3
  }

  /// Orders as the bytes do, and so as their hexadecimal text does.
  public static func < (left: SHA256Digest, right: SHA256Digest) -> Bool {
    left.numbers < right.numbers
  }

  /// Hashes the 32 bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

/// Reads lines and columns out of a ``SourceSet``; each text is indexed once, when it is first asked for.
struct SourceReader {
  let sources: SourceSet
  private var indexes: [FileID: LineOffsets] = [:]
  /// Of long lines: the offset of every ``stride``-th column, so that a finding far to the right is near.
  private var columns: [LineKey: [Int]] = [:]

  /// The files that hold a private key.
  private var secrets: [FileID: Bool] = [:]

  private static let stride = 1024

  private struct LineKey: Hashable {
    var file: FileID
    var line: Int
  }

  init(_ sources: SourceSet) {
    self.sources = sources
  }

  /// False where a file is empty or wasn't read, or where there is no such file.
  ///
  /// A file with a private key, which was given by mistake, has no text to be shown: reports end up in the logs of a
  /// pipeline.
  mutating func hasText(_ file: FileID) -> Bool {
    let number = Int(file.index)
    guard number < sources.files.count, !sources.files[number].bytes.isEmpty else { return false }
    if let isSecret = secrets[file] { return !isSecret }
    let isSecret = Self.holdsPrivateKey(sources.files[number].bytes)
    secrets[file] = isSecret
    return !isSecret
  }

  /// Whether the bytes have the beginning of a private key in PEM.
  private static func holdsPrivateKey(_ bytes: [UInt8]) -> Bool {
    let mark = Array("PRIVATE KEY-----".utf8)
    return bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      while start + mark.count <= bytes.count {
        if bytes[start] == mark[0], bytes[start..<start + mark.count].elementsEqual(mark) { return true }
        start += 1
      }
      return false
    }
  }

  /// How many lines a file has; none where there is no such file.
  mutating func lineCount(of file: FileID) -> Int {
    index(of: file)?.lineCount ?? 0
  }

  /// Up to `limit` scalars of a line from a column on, or nil where there is no such line.
  ///
  /// A column behind the end of the line gives no scalars. `column` is where reading truly began.
  mutating func scalars(
    of line: Int, in file: FileID, from column: Int, limit: Int
  ) -> (column: Int, scalars: [Unicode.Scalar], isComplete: Bool)? {
    guard let index = index(of: file) else { return nil }
    let bytes = sources[file].bytes
    guard let range = index.range(ofLine: line) else { return nil }
    var (reached, offset) = checkpoint(before: column, of: LineKey(file: file, line: line), range, bytes)
    while reached < column, offset < range.upperBound {
      offset += Self.scalar(at: offset, in: bytes, until: range.upperBound).length
      reached += 1
    }
    var scalars: [Unicode.Scalar] = []
    while scalars.count < limit, offset < range.upperBound {
      let next = Self.scalar(at: offset, in: bytes, until: range.upperBound)
      scalars.append(next.scalar)
      offset += next.length
    }
    return (reached, scalars, offset == range.upperBound)
  }

  private mutating func index(of file: FileID) -> LineOffsets? {
    guard Int(file.index) < sources.files.count else { return nil }
    if let index = indexes[file] { return index }
    let index = LineOffsets(sources[file].bytes)
    indexes[file] = index
    return index
  }

  /// The nearest known column at or before one, and its offset.
  private mutating func checkpoint(
    before column: Int, of key: LineKey, _ range: Range<Int>, _ bytes: [UInt8]
  ) -> (column: Int, offset: Int) {
    guard range.count > 4 * Self.stride, column > Self.stride else { return (1, range.lowerBound) }
    let known = columns[key] ?? Self.checkpoints(of: range, in: bytes)
    columns[key] = known
    let number = min((column - 1) / Self.stride, known.count - 1)
    return (number * Self.stride + 1, known[number])
  }

  private static func checkpoints(of range: Range<Int>, in bytes: [UInt8]) -> [Int] {
    var known: [Int] = []
    var offset = range.lowerBound
    var column = 0
    while offset < range.upperBound {
      if column % stride == 0 { known.append(offset) }
      offset += scalar(at: offset, in: bytes, until: range.upperBound).length
      column += 1
    }
    return known
  }

  /// Decodes one scalar; broken UTF-8 becomes U+FFFD in the same steps as in `String(decoding:as:)`.
  private static func scalar(
    at offset: Int, in bytes: [UInt8], until end: Int
  ) -> (scalar: Unicode.Scalar, length: Int) {
    let first = bytes[offset]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    var iterator = bytes[offset..<min(end, offset + 4)].makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    switch parser.parseScalar(from: &iterator) {
    case .valid(let encoded): return (Unicode.UTF8.decode(encoded), encoded.count)
    case .error(let length): return ("\u{FFFD}", max(1, length))
    case .emptyInput: return ("\u{FFFD}", 1)
    }
  }
}

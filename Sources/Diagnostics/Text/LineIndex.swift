/// Where each line of a text begins, so that finding a line costs nothing.
///
/// A line ends at LF, CR LF or a lone CR. The last line is the one behind the last line break, and may be empty.
package struct LineIndex: Sendable {
  private var starts: [Int] = [0]
  private let end: Int

  package init(_ bytes: [UInt8]) {
    end = bytes.count
    var offset = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if byte == UInt8(ascii: "\n") {
        starts.append(offset)
      } else if byte == UInt8(ascii: "\r"), offset == bytes.count || bytes[offset] != UInt8(ascii: "\n") {
        starts.append(offset)
      }
    }
  }

  package var count: Int { starts.count }

  /// The bytes of a line (from 1) without its line break, or nil where there is no such line.
  package func range(of line: Int, in bytes: [UInt8]) -> Range<Int>? {
    guard line >= 1, line <= starts.count else { return nil }
    let start = starts[line - 1]
    guard line < starts.count else { return start..<end }
    var stop = starts[line] - 1
    if stop > start, bytes[stop] == UInt8(ascii: "\n"), bytes[stop - 1] == UInt8(ascii: "\r") { stop -= 1 }
    return start..<stop
  }
}

/// Where each line of a text begins, so that finding a line costs nothing.
///
/// A line ends at LF or CR LF, as it does to those who read policies. The last line is the one behind the last
/// line break, and may be empty.
package struct LineIndex: Sendable {
  private var starts: [Int] = [0]
  private let end: Int

  package init(_ bytes: [UInt8]) {
    end = bytes.count
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
  }

  package var count: Int { starts.count }

  /// The bytes of a line (from 1) without its line break, or nil where there is no such line.
  package func range(of line: Int, in bytes: [UInt8]) -> Range<Int>? {
    guard line >= 1, line <= starts.count else { return nil }
    let start = starts[line - 1]
    guard line < starts.count else { return start..<end }
    var stop = starts[line] - 1
    if stop > start, bytes[stop - 1] == UInt8(ascii: "\r") { stop -= 1 }
    return start..<stop
  }
}

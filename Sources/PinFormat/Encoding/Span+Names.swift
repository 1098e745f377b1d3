/// Names that end with a quotation mark, read eight bytes at a time.
///
/// The functions here know no errors: what they don't take is read again byte by byte, by the scanner that can say what is
/// wrong and where. So they only take what the scanner takes, and leave to it what is rare.
extension Span where Element == UInt8 {
  /// True where a text stands at an offset.
  @inline(__always)
  func holds(_ literal: StaticString, at offset: Int) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard offset >= 0, self.count - offset >= count else { return false }
    return literal.withUTF8Buffer { extracting(offset..<offset + count).equals($0.span) }
  }

  /// True where a character stands at an offset.
  @inline(__always)
  func holds(_ character: UInt8, at offset: Int) -> Bool {
    offset >= 0 && offset < count && self[offset] == character
  }

  /// True where what stands in a range stands once more at an offset.
  @inline(__always)
  func repeats(_ range: Range<Int>, at offset: Int) -> Bool {
    guard offset >= 0, count - offset >= range.count else { return false }
    return extracting(range).equals(extracting(offset..<offset + range.count))
  }

  /// The range of a name that was accepted, from its first character to the quotation mark behind it.
  @inline(__always)
  func nameRange(at start: Int) -> Range<Int> {
    var end = start
    while let lanes = ByteLanes(self, at: end) {
      let lane = ByteLanes.first(lanes.are(UInt8(ascii: "\"")))
      end += lane
      if lane < 8 { return start..<end }
    }
    while end < count, self[end] != UInt8(ascii: "\"") { end += 1 }
    return start..<end
  }

  /// The end of a run of `[a-z0-9._-]`, and of colons where they are taken, up to the quotation mark behind it; nil where
  /// anything else comes first.
  @inline(__always)
  func endOfName(from start: Int, takesColons: Bool = false) -> Int? {
    var offset = start
    while let lanes = ByteLanes(self, at: offset) {
      let characters =
        lanes.areIn(UInt8(ascii: "a"), UInt8(ascii: "z"))
        | lanes.areIn(UInt8(ascii: "0"), takesColons ? UInt8(ascii: ":") : UInt8(ascii: "9"))
        | lanes.areIn(UInt8(ascii: "-"), UInt8(ascii: ".")) | lanes.are(UInt8(ascii: "_"))
      let others = ~characters & ByteLanes.all
      if others != 0 {
        let lane = ByteLanes.first(others)
        return lanes.byte(lane) == UInt8(ascii: "\"") ? offset + lane : nil
      }
      offset += 8
    }
    return nil
  }

  /// The end of a DNS name in canonical form, up to the quotation mark behind it; nil for anything else, and also for
  /// names of 64 characters and more and those whose last label begins with a digit.
  @inline(__always)
  func endOfHost(from start: Int) -> Int? {
    var run = HostRun(from: start)
    while let lanes = ByteLanes(self, at: run.offset) {
      guard run.take(lanes) else { continue }
      guard let end = run.end, self[run.label] >= UInt8(ascii: "a") else { return nil }
      return end
    }
    return nil
  }

  /// True where all of it is a DNS name as ``endOfHost(from:)`` takes them.
  @inline(__always)
  var isPlainHost: Bool {
    guard count < 64 else { return false }
    var run = HostRun(from: 0)
    while let lanes = ByteLanes(self, at: run.offset) {
      // Nothing ends it before its end.
      if run.take(lanes) { return false }
    }
    var rest = UInt64(UInt8(ascii: "\""))
    for index in (run.offset..<count).reversed() { rest = rest << 8 | UInt64(self[index]) }
    return run.take(ByteLanes(rest)) && run.end == count && self[run.label] >= UInt8(ascii: "a")
  }

  /// True where the name at one offset sorts before the one at another.
  ///
  /// No character of a name sorts below the quotation mark, so the shorter one of two that begin alike comes first.
  @inline(__always)
  func isOrdered(_ left: Int, before right: Int) -> Bool {
    var done = 0
    while let first = ByteLanes(self, at: left + done), let second = ByteLanes(self, at: right + done) {
      let difference = ByteLanes.first(first.difference(from: second))
      let end = ByteLanes.first(first.are(UInt8(ascii: "\"")))
      if difference < 8 { return difference <= end && first.byte(difference) < second.byte(difference) }
      if end < 8 { return false }
      done += 8
    }
    while left + done < count, right + done < count, self[left + done] == self[right + done] {
      if self[left + done] == UInt8(ascii: "\"") { return false }
      done += 1
    }
    return left + done < count && right + done < count && self[left + done] < self[right + done]
  }
}

/// A DNS name that is looked at eight bytes at a time.
private struct HostRun {
  /// Where the next eight bytes stand.
  private(set) var offset: Int
  /// Where the last label begins.
  private(set) var label: Int
  /// Where the name ends, once its end was met; nil where it is none, or has 64 characters and more.
  private(set) var end: Int?
  private let start: Int
  // The start counts as a dot: no label is empty, and none begins or ends with a hyphen.
  private var dotBefore: UInt64 = 0x80
  private var edgeBefore: UInt64 = 0x80

  @inline(__always)
  init(from start: Int) {
    self.start = start
    offset = start
    label = start
  }

  /// Takes the next eight bytes; true where the name ends among them, or what stands there is none.
  @inline(__always)
  mutating func take(_ lanes: ByteLanes) -> Bool {
    let dots = lanes.are(UInt8(ascii: "."))
    let edges = dots | lanes.are(UInt8(ascii: "-"))
    let characters =
      lanes.areIn(UInt8(ascii: "a"), UInt8(ascii: "z")) | lanes.areIn(UInt8(ascii: "0"), UInt8(ascii: "9")) | edges
    let others = ~characters & ByteLanes.all
    // The lanes up to the first that is no part of the name, that one included.
    let lane = ByteLanes.first(others)
    let part = lane < 8 ? ByteLanes.all >> UInt64(8 * (7 - lane)) : ByteLanes.all
    let misplaced = (dots | others) & (edges << 8 | edgeBefore) | edges & (dots << 8 | dotBefore)
    guard misplaced & part == 0 else { return true }
    let dotsOfPart = dots & part
    if dotsOfPart != 0 { label = offset + 8 - dotsOfPart.leadingZeroBitCount / 8 }
    guard lane == 8 else {
      if lanes.byte(lane) == UInt8(ascii: "\""), offset + lane - start < 64 { end = offset + lane }
      return true
    }
    dotBefore = dots >> 56
    edgeBefore = edges >> 56
    offset += 8
    return false
  }
}

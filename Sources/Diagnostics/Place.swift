/// A file of a ``SourceSet``, by its position in it.
///
/// Files are sorted by path, so ids order as paths do.
package struct FileID: Hashable, Sendable, Comparable {
  package let index: UInt32

  package init(_ index: Int) {
    self.index = UInt32(index)
  }

  @inlinable package static func < (left: FileID, right: FileID) -> Bool { left.index < right.index }
}

/// A position in a text: line and column from 1, the column counted in Unicode scalars.
package struct Position: Hashable, Sendable, Comparable {
  package var line: UInt32
  package var column: UInt32

  @inlinable package init(line: Int, column: Int) {
    self.line = UInt32(line)
    self.column = UInt32(column)
  }

  @inlinable package static func == (left: Position, right: Position) -> Bool {
    left.line == right.line && left.column == right.column
  }

  @inlinable package static func < (left: Position, right: Position) -> Bool {
    left.line != right.line ? left.line < right.line : left.column < right.column
  }
}

/// A range of a file: what an excerpt underlines.
///
/// `end` stands behind the last character.
package struct Place: Hashable, Sendable, Comparable {
  package var file: FileID
  package var start: Position
  package var end: Position

  @inlinable package init(file: FileID, start: Position, end: Position) {
    self.file = file
    self.start = start
    self.end = end
  }

  /// The first column of a file: where findings stand that speak of the whole of it.
  package static func beginning(of file: FileID) -> Place {
    Place(file: file, start: Position(line: 1, column: 1), end: Position(line: 1, column: 2))
  }

  @inlinable package static func < (left: Place, right: Place) -> Bool {
    if left.file.index != right.file.index { return left.file.index < right.file.index }
    return left.start != right.start ? left.start < right.start : left.end < right.end
  }
}

/// A value and where it was written.
package struct Located<Value> {
  package var value: Value
  package var place: Place

  @inlinable @inline(__always) package init(_ value: Value, at place: Place) {
    self.value = value
    self.place = place
  }

  @inlinable package func map<Other>(_ transform: (Value) -> Other) -> Located<Other> {
    Located<Other>(transform(value), at: place)
  }
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}

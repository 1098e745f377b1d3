// Inlinable, because other modules would otherwise call these small functions, and without specialised generics. A
// policy of 10,000 hosts has half a million places.

/// A file of a ``SourceSet``, by its position in it.
///
/// Files are sorted by path, so ids order as paths do.
@usableFromInline
package struct FileID: Hashable, Sendable, Comparable {
  /// The position, from 0.
  @usableFromInline package let index: UInt32

  /// The file at a position, from 0.
  package init(_ index: Int) {
    self.index = UInt32(index)
  }

  /// Compares positions in the set.
  @inlinable package static func == (left: FileID, right: FileID) -> Bool { left.index == right.index }

  /// Orders as the set does.
  @inlinable package static func < (left: FileID, right: FileID) -> Bool { left.index < right.index }
}

/// A position in a text: line and column from 1, the column counted in Unicode scalars.
@usableFromInline
package struct Position: Hashable, Sendable, Comparable {
  /// The line, from 1.
  @usableFromInline package var line: UInt32
  /// The column, from 1.
  @usableFromInline package var column: UInt32

  /// A position of a line and a column, both from 1.
  @inlinable package init(line: Int, column: Int) {
    self.line = UInt32(line)
    self.column = UInt32(column)
  }

  /// Compares line and column.
  @inlinable package static func == (left: Position, right: Position) -> Bool {
    left.line == right.line && left.column == right.column
  }

  /// Orders as the text does.
  @inlinable package static func < (left: Position, right: Position) -> Bool {
    left.line != right.line ? left.line < right.line : left.column < right.column
  }
}

/// A range of a file: what an excerpt underlines.
///
/// `end` is behind the last character.
@usableFromInline
package struct Place: Hashable, Sendable, Comparable {
  /// The file.
  @usableFromInline package var file: FileID
  /// Where it begins.
  @usableFromInline package var start: Position
  /// Behind its last character.
  @usableFromInline package var end: Position

  /// A range of a file.
  @inlinable package init(file: FileID, start: Position, end: Position) {
    self.file = file
    self.start = start
    self.end = end
  }

  /// The first column of a file: where findings stand that speak of the whole of it.
  package static func beginning(of file: FileID) -> Place {
    Place(file: file, start: Position(line: 1, column: 1), end: Position(line: 1, column: 2))
  }

  /// Compares file, beginning and end.
  @inlinable package static func == (left: Place, right: Place) -> Bool {
    left.file == right.file && left.start == right.start && left.end == right.end
  }

  /// Orders by file, then by beginning, then by end.
  @inlinable package static func < (left: Place, right: Place) -> Bool {
    if left.file != right.file { return left.file < right.file }
    return left.start != right.start ? left.start < right.start : left.end < right.end
  }
}

/// A value and where it was written.
@usableFromInline
package struct Located<Value> {
  /// The value.
  @usableFromInline package var value: Value
  /// Where it was written.
  @usableFromInline package var place: Place

  /// A value that was written at a place.
  @inlinable package init(_ value: Value, at place: Place) {
    self.value = value
    self.place = place
  }

  /// Another value in the same place.
  @inlinable package func map<Other>(_ transform: (Value) -> Other) -> Located<Other> {
    Located<Other>(transform(value), at: place)
  }
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}

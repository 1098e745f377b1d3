#if Collector
/// A value of a statement's parameter, or of a row's column.
///
/// Values travel beside a statement, never inside its text.
enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
}

/// A row of an answer, by the order of its columns.
struct SQLRow: Sendable {
  let values: [SQLValue]

  /// The integer in a column; 0 where there is none.
  func integer(_ column: Int) -> Int64 { optionalInteger(column) ?? 0 }

  /// The integer in a column, or nil where it is null.
  func optionalInteger(_ column: Int) -> Int64? {
    guard column < values.count, case .integer(let value) = values[column] else { return nil }
    return value
  }

  /// The text in a column; empty where there is none.
  func text(_ column: Int) -> String {
    guard column < values.count, case .text(let value) = values[column] else { return "" }
    return value
  }
}
#endif

#if Collector
import CLibPQ

/// What a statement came to.
struct PostgresResult: ~Copyable {
  private let result: OpaquePointer?

  /// Takes ownership of what libpq made; nil where the connection is gone or memory is.
  init(_ takingOwnership: OpaquePointer?) {
    result = takingOwnership
  }

  deinit { PQclear(result) }

  /// The rows of a statement that succeeded.
  ///
  /// - Parameter failure: Makes the error of one that didn't.
  /// - Returns: The rows.
  /// - Throws: What `failure` makes.
  func rows(_ failure: (StorageError.Code) -> StorageError) throws(StorageError) -> [SQLRow] {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK: return []
    case PGRES_TUPLES_OK: break
    default: throw failure(code)
    }
    let columns = PQnfields(result)
    return (0..<PQntuples(result)).map { row in
      SQLRow(values: (0..<columns).map { value(row, $0) })
    }
  }

  /// What the server's state says (PostgreSQL, appendix A).
  private var code: StorageError.Code {
    guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return .unavailable }
    return switch String(cString: state).prefix(2) {
    // Connection failures, conflicts between transactions, a server that shuts down, and locks that aren't available.
    case "08", "40", "55", "57": .unavailable
    case "53": .full
    case "42", "3F": .incompatible
    default: .failed
    }
  }

  private func value(_ row: Int32, _ column: Int32) -> SQLValue {
    guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return .null }
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
    // The type numbers of pg_type: 17 bytea, 20 bigint, 21 smallint, 23 integer.
    switch PQftype(result, column) {
    case 17: return .bytes(Array(bytes))
    case 20 where PQfformat(result, column) == 1: return .integer(bytes.reduce(0) { $0 << 8 | Int64($1) })
    case 21, 23:
      guard PQfformat(result, column) == 1 else { return .null }
      let magnitude = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return .integer(
        bytes.count == 2 ? Int64(Int16(truncatingIfNeeded: magnitude)) : Int64(Int32(bitPattern: magnitude)))
    default: return .text(String(decoding: bytes, as: UTF8.self))
    }
  }
}
#endif

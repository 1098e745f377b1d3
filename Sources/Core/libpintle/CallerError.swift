import CLibPintle
import PinValidator

/// Why a call failed: what becomes a `pintle_error`.
struct CallerError: Error {
  let status: Int
  let code: String
  let message: String

  /// A call that is wrong.
  static func argument(_ message: String) -> CallerError {
    CallerError(status: Int(PINTLE_ARGUMENT), code: "argument", message: message)
  }

  /// Bytes or settings that aren't acceptable.
  static func refused(_ code: String, _ message: String) -> CallerError {
    CallerError(status: Int(PINTLE_REFUSED), code: code, message: message)
  }

  /// Fills the caller's structure, where there is one, and answers the status to return.
  func report(to error: UnsafeMutablePointer<pintle_error>?) -> Int32 {
    if let error { write(to: error) }
    return Int32(status)
  }

  /// Fills the caller's structure.
  func write(to error: UnsafeMutablePointer<pintle_error>) {
    error.pointee = pintle_error()
    error.pointee.status = Int32(status)
    withUnsafeMutableBytes(of: &error.pointee.code) { Self.copy(code, to: $0) }
    withUnsafeMutableBytes(of: &error.pointee.message) { Self.copy(message, to: $0) }
  }

  /// Copies as much as there is room for, without cutting a character; the room is zeros beforehand.
  private static func copy(_ text: String, to room: UnsafeMutableRawBufferPointer) {
    var count = 0
    for scalar in text.unicodeScalars {
      let bytes = UTF8.encode(scalar)
      guard let bytes, count + bytes.count < room.count else { return }
      for byte in bytes {
        room[count] = byte
        count += 1
      }
    }
  }
}

import Diagnostics
import Glibc
import PinPolicy
import PinValidator

/// Where a command's data goes: a file, written whole or not at all, or `-` for standard output.
enum Output {
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    if path == "-" {
      try Console.write(bytes)
      return
    }
    do {
      try WholeFile.write(bytes, to: path)
    } catch {
      throw CommandFailure(
        .failed, error.message,
        help: (UnwritablePath.help(path, error.number).map { $0 + " " } ?? "")
          + "Nothing was written to it, and an older file is as it was.")
    }
  }

  /// Writes a file that must not be there yet.
  static func write(new bytes: [UInt8], to path: String) throws(CommandFailure) {
    if path == "-" {
      try Console.write(bytes)
      return
    }
    do {
      try WholeFile.write(bytes, to: path, existing: .keep)
    } catch {
      throw CommandFailure(
        .failed, error.message,
        help: UnwritablePath.help(path, error.number) ?? "Nothing was written.")
    }
  }

  /// The path as messages name it.
  static func name(_ path: String) -> String {
    path == "-" ? "the manifest" : VisibleText.of(path)
  }
}

import Diagnostics
import Glibc
import PinPolicy
import PinValidator

/// The files that a command writes together: all of them, or none.
///
/// They are written in their order, so the one that names the others comes last.
struct OutputFiles {
  struct File {
    var path: String
    var bytes: [UInt8]
    /// What to do where a file is there already.
    var existing = SafeFolder.Existing.replace

    /// One that must not be there yet.
    static func new(_ path: String, _ bytes: [UInt8]) -> File { File(path: path, bytes: bytes, existing: .keep) }
  }

  private let files: [File]
  private let help: String

  /// `help` is shown after a failure, when everything is as it was.
  init(_ files: [File], help: String = "Nothing was written, and older files are as they were.") {
    self.files = files
    self.help = help
  }

  /// Writes the files and takes a last step, which fails or does all of its work; after a failure, older files are put
  /// back.
  func write(then last: () throws(CommandFailure) -> Void = {}) throws(CommandFailure) {
    var written: [(path: String, before: [UInt8]?)] = []
    func putBack() {
      for earlier in written.reversed() {
        if let before = earlier.before {
          try? WholeFile.write(before, to: earlier.path)
        } else {
          unlink(earlier.path)
        }
      }
    }
    for file in files {
      do {
        let before =
          file.existing == .replace && FileIdentity(of: file.path) != nil
          ? try WholeFile.read(file.path, limit: Input.Limit.exchanged.bytes, onlyRegular: true) : nil
        try WholeFile.write(file.bytes, to: file.path, existing: file.existing)
        written.append((file.path, before))
      } catch {
        putBack()
        let advice = UnwritablePath.help(file.path, error.number).map { $0 + " " } ?? ""
        throw CommandFailure(.failed, error.message, help: advice + help)
      }
    }
    do {
      try last()
    } catch {
      putBack()
      throw error
    }
  }
}

import Diagnostics
import Glibc
import PinExchange
import PinPolicy

/// The files of an export, on their way to a file, a folder or standard output.
struct ExportedFiles {
  private let files: [ExchangedFile]

  init(_ files: [ExchangedFile]) {
    self.files = files
  }

  /// Writes one file to the path, or into it where it is a folder; several go into a folder, which is made.
  func write(to path: String) throws(CommandFailure) {
    if let only = files.first, files.count == 1 {
      return try Output.write(only.bytes, to: InputFile.isFolder(path) ? Self.path(of: only, in: path) : path)
    }
    let names = files.map { "'\($0.name)'" }.joined(separator: " and ")
    guard path != "-" else {
      throw CommandFailure(.usage, "the format has several files: \(names)", help: "Give --output a folder.")
    }
    if mkdir(path, 0o777) != 0, errno != EEXIST {
      throw CommandFailure(.failed, "can't make the folder '\(path)': \(String(cString: strerror(errno)))")
    }
    guard InputFile.isFolder(path) else {
      throw CommandFailure(.usage, "'\(path)' is not a folder, and the format has several files: \(names)")
    }
    // The first one names the others, which so are there before it.
    for file in files.reversed() { try Output.write(file.bytes, to: Self.path(of: file, in: path)) }
  }

  /// Compares what is at the path with what would be written there.
  ///
  /// - Throws: ``CommandFailure`` with the status of findings, naming the files that differ or aren't there.
  func check(against path: String) throws(CommandFailure) {
    guard path != "-" else { throw CommandFailure(.usage, "--check compares with a file: give --output one") }
    let isInFolder = files.count > 1 || InputFile.isFolder(path)
    var stale: [String] = []
    for file in files {
      let written = isInFolder ? Self.path(of: file, in: path) : path
      let found = access(written, F_OK) == 0 ? try Input.read(written, limit: .exchanged) : nil
      if found != file.bytes { stale.append("'\(written)'") }
    }
    guard !stale.isEmpty else { return }
    throw CommandFailure(
      .findings, "\(stale.joined(separator: " and ")) isn't what the policy says now",
      help: "Export again without --check, and have the change reviewed.")
  }

  private static func path(of file: ExchangedFile, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + file.name : folder + "/" + file.name
  }
}

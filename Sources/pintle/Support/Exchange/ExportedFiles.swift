import Diagnostics
import Glibc
import PinExchange

/// The files of an export, on their way to a file, a folder or standard output.
struct ExportedFiles {
  private let files: [ExchangedFile]

  init(_ files: [ExchangedFile]) {
    self.files = files
  }

  /// Writes one file to the path, or into it where it is a folder; several go into a folder, which is made.
  func write(to path: String) throws(CommandFailure) {
    if let only = files.first, files.count == 1 {
      return try Output.write(only.bytes, to: Self.isFolder(path) ? Self.path(of: only, in: path) : path)
    }
    let names = files.map { "'\($0.name)'" }.joined(separator: " and ")
    guard path != "-" else {
      throw CommandFailure(.usage, "the format has several files: \(names)", help: "Give --output a folder.")
    }
    if mkdir(path, 0o777) != 0, errno != EEXIST {
      throw CommandFailure(.failed, "can't make the folder '\(path)': \(String(cString: strerror(errno)))")
    }
    guard Self.isFolder(path) else {
      throw CommandFailure(.usage, "'\(path)' is no folder, and the format has several files: \(names)")
    }
    for file in files { try Output.write(file.bytes, to: Self.path(of: file, in: path)) }
  }

  private static func path(of file: ExchangedFile, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + file.name : folder + "/" + file.name
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

import Diagnostics
import Glibc
import PinExchange
import PinPolicy
import PinValidator

/// The files of an export, on their way to a file, a folder or standard output.
struct ExportedFiles {
  private let files: [ExchangedFile]

  init(_ files: [ExchangedFile]) {
    self.files = files
  }

  /// Writes one file to the path, or into it where it is a folder; several go into a folder, which is made.
  func write(to path: String) throws(CommandFailure) {
    if let only = files.first, files.count == 1 {
      guard InputFile.isFolder(path) else { return try Output.write(only.bytes, to: path) }
      try Output.write(only.bytes, to: Self.path(of: only, in: path))
      return tellLeftBehind(in: path)
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
    let output = files.reversed().map { OutputFiles.File(path: Self.path(of: $0, in: path), bytes: $0.bytes) }
    try OutputFiles(output).write()
    tellLeftBehind(in: path)
  }

  private func tellLeftBehind(in folder: String) {
    for file in leftBehind(in: folder) { Console.say("\(file) is of an earlier export: remove it if nothing names it") }
  }

  /// The files of anchors in a folder that this export doesn't name.
  private func leftBehind(in folder: String) -> [String] {
    guard let names = try? SafeFolder(folder).names() else { return [] }
    return names.filter { name in AnchorFile.isName(name) && !files.contains { $0.name == name } }
      .map { "'\(VisibleText.of(Self.path(of: $0, in: folder)))'" }
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
    guard !stale.isEmpty else {
      // A reader that takes a whole folder of anchors would trust them still.
      let left = isInFolder ? leftBehind(in: path) : []
      guard let first = left.first else { return }
      throw CommandFailure(
        .findings, "\(left.joined(separator: " and ")) isn't in the policy any more",
        help: "Remove \(left.count == 1 ? first : "the files") if nothing names \(left.count == 1 ? "it" : "them").")
    }
    throw CommandFailure(
      .findings, "\(stale.joined(separator: " and ")) isn't what the policy says now",
      help: "Export again without --check, and have the change reviewed.")
  }

  private static func path(of file: ExchangedFile, in folder: String) -> String { path(of: file.name, in: folder) }

  private static func path(of name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}

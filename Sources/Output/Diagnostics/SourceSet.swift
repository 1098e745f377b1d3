/// The texts that diagnostics point into, sorted by path.
package struct SourceSet: Sendable {
  /// One text, as it was read.
  package struct File: Sendable {
    /// The path as messages show it: relative to where the tool was started, with `/` between its parts.
    package var path: String
    package var bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
      self.path = path
      self.bytes = bytes
    }
  }

  package let files: [File]

  /// Sorts the files by the UTF-8 bytes of their paths, so that the order in which they were found never matters.
  package init(_ files: [File]) {
    self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private init(inOrder files: [File]) {
    self.files = files
  }

  /// The set with one more text behind the others, so that their ids stay what they were.
  package func adding(_ file: File) -> (sources: SourceSet, id: FileID) { (adding([file]), FileID(files.count)) }

  /// The set with more texts behind the others, in their order.
  package func adding(_ files: [File]) -> SourceSet { SourceSet(inOrder: self.files + files) }

  package subscript(id: FileID) -> File { files[Int(id.index)] }

  /// The folder that has all policy files, as a word of a command.
  package var folder: String {
    let folders = files.map(\.path).filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
      .map { $0.split(separator: "/", omittingEmptySubsequences: false).dropLast() }
    let common = folders.dropFirst().reduce(folders.first ?? []) { common, next in
      common.prefix(zip(common, next).prefix { $0 == $1 }.count)
    }
    return common.isEmpty ? "." : ShellWord.of(common.joined(separator: "/"))
  }

  package var ids: [FileID] { files.indices.map { FileID($0) } }
}

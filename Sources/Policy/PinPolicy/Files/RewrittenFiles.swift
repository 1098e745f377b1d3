package import Diagnostics
import PinValidator

/// Policy files with new texts, which are written all or none.
package struct RewrittenFiles {
  package struct File {
    package var path: String
    package var before: [UInt8]
    package var after: [UInt8]
    /// Of the file, behind any links, when its text was planned.
    fileprivate var identity: FileIdentity?
    fileprivate var isLink: Bool { InputFile.isLink(path) }

    package init(path: String, before: [UInt8], after: [UInt8]) {
      self.path = path
      self.before = before
      self.after = after
      identity = FileIdentity(of: path)
    }
  }

  private let files: [File]

  /// Takes those that change; of several names of one file the first that isn't a link.
  package init(_ files: [File]) {
    var seen: Set<FileIdentity> = []
    let changed = files.filter { $0.before != $0.after }
    let chosen = (changed.filter { !$0.isLink } + changed.filter(\.isLink)).filter { file in
      file.identity.map { seen.insert($0).inserted } ?? true
    }
    let paths = Set(chosen.map(\.path))
    self.files = changed.filter { paths.contains($0.path) }
  }

  package static let changedMeanwhile = WorkFailure(
    .failed, "the policy changed while it was looked at", help: "Nothing was written; ask again.")

  package var isEmpty: Bool { files.isEmpty }
  package var paths: [String] { files.map(\.path) }

  /// What is changed, as `diff -u` writes it.
  package var diff: String {
    files.map { UnifiedDiff($0.path, from: $0.before, to: $0.after).text }.joined()
  }

  /// Writes the files, unless one isn't any more what it was; each keeps its mode, and nothing is written through a link.
  ///
  /// A file that may not be written isn't replaced either, though its folder would allow that.
  package func write() throws(WorkFailure) {
    var written: [(file: File, folder: SafeFolder, name: String)] = []
    // Each folder is opened once, because a process may have only about a thousand open files.
    var folders: [String: SafeFolder] = [:]
    for file in files {
      do {
        // Opened through its folder, because the path may become a link or a pipe at any moment.
        let (parent, name) = WholeFile.names(of: file.path)
        let folder = try folders[parent] ?? SafeFolder(parent)
        folders[parent] = folder
        guard !file.isLink else {
          throw WorkFailure(
            .failed, "'\(VisibleText.of(file.path))' is a symbolic link",
            help: "Nothing was written. Name the file that it leads to.")
        }
        guard let now = try folder.content(of: name, limit: PolicyReader.sizeLimit), now.bytes == file.before,
          now.identity == file.identity
        else { throw Self.changedMeanwhile }
        // A read-only file isn't written, even if the user is root, whom the system would allow it.
        guard now.identity.mode & 0o222 != 0, folder.isWritable(name) else {
          throw WorkFailure(
            .failed, "can't write '\(VisibleText.of(file.path))': it is protected from being written",
            help: "Nothing was written, and the policy is as it was; 'chmod u+w' lifts the protection.")
        }
        try folder.write(file.after, to: name, permissions: now.identity.mode & 0o7777)
        written.append((file, folder, name))
      } catch {
        for earlier in written {
          let mode = earlier.file.identity.map { $0.mode & 0o7777 }
          try? earlier.folder.write(earlier.file.before, to: earlier.name, permissions: mode)
        }
        if let failure = error as? WorkFailure { throw failure }
        let message =
          (error as? FileError).map { "can't \($0.action) '\(VisibleText.of(file.path))': \($0.detail)" } ?? "\(error)"
        throw WorkFailure(.failed, message, help: "Nothing was written, and the policy is as it was.")
      }
    }
  }
}

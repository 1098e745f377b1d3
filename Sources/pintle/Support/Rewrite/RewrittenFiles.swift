import Glibc
import PinPolicy
import PinValidator

/// Policy files with new texts, which are written all or none.
struct RewrittenFiles {
  struct File {
    var path: String
    var before: [UInt8]
    var after: [UInt8]
  }

  private let files: [File]

  /// Takes those that change; of several names of one file, such as a link and what it leads to, the first.
  init(_ files: [File]) {
    var seen: Set<[UInt64]> = []
    self.files = files.filter { file in
      guard file.before != file.after else { return false }
      var status = stat()
      guard stat(file.path, &status) == 0 else { return true }
      return seen.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted
    }
  }

  static let changedMeanwhile = CommandFailure(
    .failed, "the policy changed while it was looked at", help: "Nothing was written; ask again.")

  var isEmpty: Bool { files.isEmpty }
  var paths: [String] { files.map(\.path) }

  /// What is changed, as `diff -u` writes it.
  var diff: String {
    files.map { UnifiedDiff($0.path, from: $0.before, to: $0.after).text }.joined()
  }

  /// Writes the files, unless one isn't any more what it was; each keeps its mode, and a link stays one.
  ///
  /// A file that may not be written isn't replaced either, though its folder would allow that.
  func write() throws(CommandFailure) {
    var written: [File] = []
    for file in files {
      do {
        guard try WholeFile.read(file.path, limit: PolicyReader.sizeLimit) == file.before else {
          throw Self.changedMeanwhile
        }
        guard Self.isWritable(file.path) else {
          throw CommandFailure(
            .failed, "can't write '\(Output.name(file.path))': it is protected from being written",
            help: "Nothing was written, and the policy is as it was; 'chmod u+w' lifts the protection.")
        }
        try WholeFile.write(file.after, to: file.path)
        written.append(file)
      } catch {
        for earlier in written { try? WholeFile.write(earlier.before, to: earlier.path) }
        if let failure = error as? CommandFailure { throw failure }
        let message = (error as? FileError)?.message ?? "\(error)"
        throw CommandFailure(.failed, message, help: "Nothing was written, and the policy is as it was.")
      }
    }
  }

  private static func isWritable(_ path: String) -> Bool {
    var status = stat()
    // A file that nobody may write isn't written by an administrator either, whom the system would let.
    return stat(path, &status) == 0 && status.st_mode & 0o222 != 0 && access(path, W_OK) == 0
  }
}

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

  /// Takes those that change.
  init(_ files: [File]) {
    self.files = files.filter { $0.before != $0.after }
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
  func write() throws(CommandFailure) {
    var written: [File] = []
    for file in files {
      do {
        guard try WholeFile.read(file.path, limit: PolicyReader.sizeLimit) == file.before else {
          throw Self.changedMeanwhile
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
}

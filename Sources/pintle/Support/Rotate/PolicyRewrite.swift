import Diagnostics
import PinCompiler
import PinFormat
import PinPolicy
import PinRules
import PinValidator

/// A policy whose files have been edited, in memory until all of it is known to be sound.
struct PolicyRewrite {
  private struct File {
    var id: FileID
    var path: String
    var before: [UInt8]
    var after: [UInt8]
  }

  private let files: [File]
  /// The policy as it would be.
  let policy: LoadedPolicy

  /// Makes edits in the files of a policy.
  ///
  /// - Parameters:
  ///   - edits: In the order in which they are to be made.
  ///   - policy: The policy that they are about.
  ///   - directory: Where it was read from.
  /// - Throws: ``CommandFailure`` where the files aren't what was read, or can't be edited.
  init(_ edits: [RotationEdits.Edit], of policy: LoadedPolicy, in directory: String) throws(CommandFailure) {
    let sources = policy.policy.sources
    var changed: [File] = []
    for id in Set(edits.map(\.file)).sorted() {
      let (path, before) = (sources[id].path, sources[id].bytes)
      do {
        let after = try PolicyEdit.apply(edits.filter { $0.file == id }.map(\.edit), to: before)
        changed.append(File(id: id, path: path, before: before, after: after))
      } catch {
        throw CommandFailure(
          .failed, "\(path) can't be edited: \(error.message)", help: "Make the change by hand, and ask again.")
      }
    }
    files = changed.filter { $0.before != $0.after }
    do {
      let texts = Dictionary(uniqueKeysWithValues: changed.map { ($0.id, $0.after) })
      let folder = try PolicyDirectory.load([directory])
      guard folder.sources.files.map(\.path) == sources.files.map(\.path),
        folder.sources.files.map(\.bytes) == sources.files.map(\.bytes)
      else { throw Self.changedMeanwhile }
      self.policy = LoadedPolicy(policy: try folder.replacing(texts).policy())
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.failed, "the edited policy can't be read: \(error)")
    }
  }

  private static let changedMeanwhile = CommandFailure(
    .failed, "the policy changed while it was looked at", help: "Nothing was written; ask again.")

  var paths: [String] { files.map(\.path) }

  /// What is changed, as `diff -u` writes it.
  var diff: String {
    files.map { UnifiedDiff($0.path, from: $0.before, to: $0.after).text }.joined()
  }

  /// Writes the files, all or none.
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

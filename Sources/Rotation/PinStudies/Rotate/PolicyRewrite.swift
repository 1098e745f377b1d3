package import Diagnostics
import PinFormat
package import PinPolicy

/// A policy whose files have been edited, in memory until all of it is known to be sound.
package struct PolicyRewrite {
  private let files: RewrittenFiles
  /// The policy as it would be.
  package let policy: LoadedPolicy
  private let edited: PolicyDirectory

  /// Makes edits in the files of a policy.
  ///
  /// - Parameters:
  ///   - edits: In the order in which they must be made.
  ///   - policy: The policy that they are about.
  ///   - directory: Where it was read from.
  ///   - comments: Suppressions to put behind lines of the edited files, by file and line.
  /// - Throws: ``WorkFailure`` where the files aren't what was read, or can't be edited.
  package init(
    _ edits: [RotationEdits.Edit], of policy: Policy, in directory: String,
    comments: [FileID: [Int: String]] = [:]
  ) throws(WorkFailure) {
    let sources = policy.sources
    var changed: [(id: FileID, file: RewrittenFiles.File)] = []
    let edits = Dictionary(grouping: edits, by: \.file)
    for id in Set(edits.keys).union(comments.keys).sorted() {
      let (path, before) = (sources[id].path, sources[id].bytes)
      do {
        var after = try PolicyEdit.apply(edits[id]?.map(\.edit) ?? [], to: before)
        if let comments = comments[id] { after = try PolicyEdit.put(comments, in: after) }
        changed.append((id, RewrittenFiles.File(path: path, before: before, after: after)))
      } catch {
        throw WorkFailure(
          .failed, "\(path) can't be edited: \(error.message)", help: "Make the change by hand, and ask again.")
      }
    }
    files = RewrittenFiles(changed.map(\.file))
    do {
      let texts = Dictionary(uniqueKeysWithValues: changed.map { ($0.id, $0.file.after) })
      let folder = try PolicyDirectory.load([directory])
      guard folder.sources.files.map(\.path) == sources.files.map(\.path),
        folder.sources.files.map(\.bytes) == sources.files.map(\.bytes)
      else { throw RewrittenFiles.changedMeanwhile }
      edited = folder.replacing(texts)
      self.policy = try edited.loaded(audience: LoadedPolicy(policy: policy).oneOfSeveral)[0]
    } catch let failure as WorkFailure {
      throw failure
    } catch {
      throw WorkFailure(.failed, "the edited policy can't be read: \(error)")
    }
  }

  /// The policy as another audience would have it.
  package func policy(for audience: String) throws(WorkFailure) -> LoadedPolicy {
    try edited.loaded(audience: audience)[0]
  }

  package var paths: [String] { files.paths }
  package var diff: String { files.diff }

  /// Writes the files, all or none.
  package func write() throws(WorkFailure) { try files.write() }
}

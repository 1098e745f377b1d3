package import Diagnostics
package import PinFormat
import PinPolicy
package import PinRelease
package import PinStudies

/// The rules file of a branch's base, with the files beside it: what the branch changes of them counts once it is merged.
package struct BaseRules {
  package let rules: OwnRules
  /// Where the programs run; removed with this value.
  private let copy: TemporaryCopy

  /// Copies the folder of the file, as the base has it.
  ///
  /// - Parameters:
  ///   - path: The file, from the folder that has `policies`.
  ///   - sources: The branch and its base.
  ///   - instant: The time, for the report of its mistakes.
  ///   - end: Called where a signal that asks this program to end came while a program ran.
  /// - Throws: ``WorkFailure`` where the base doesn't have it, or where changes of it would go unseen.
  package init(
    _ path: String, of sources: EventSources, at instant: Instant, endingWith end: @escaping UserCommand.Ending
  ) throws(WorkFailure) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, parts.allSatisfy(EventPath.isPlain), GatePath.pipelineFolders.contains(parts[0]) else {
      throw WorkFailure(
        .usage, "'\(VisibleText.of(path))' is not in a folder of the pipeline",
        help: "Keep rules in 'ci' of the base, such as ci/rules.yaml: the gate names what a branch changes there.")
    }
    let folder = parts.dropLast().joined(separator: "/")
    let tree = try EventSources.tree(folder, of: sources.base, sources.directory)
    guard case .file? = tree.kind(parts[parts.count - 1]) else {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(sources.base.name))' has no file '\(VisibleText.of(path))'",
        help: "Rules count from when they are merged: first merge a branch that adds them, without this option.")
    }
    let copy = try TemporaryCopy(of: tree, named: folder)
    self.copy = copy
    rules = try OwnRules(
      copy.folder + "/" + parts[parts.count - 1], shownAs: path, at: instant,
      endingWith: { name, signal in
        copy.remove()
        end(name, signal)
      })
  }
}

package import Diagnostics
import OpenSSLKit
import PinFormat
package import PinPolicy

/// A policy with its safe fixes made, in memory until all of it is known to be sound.
package struct Fixing {
  /// The policy as it would be, or is where nothing was to be fixed.
  package let policy: LoadedPolicy
  /// What checking it finds.
  package let result: Checker.Result
  /// What was done, a line for each fix.
  package let lines: [String]

  private let before: SourceSet

  /// A fix may make room for another; anybody who needs more rounds than these goes in circles.
  private static let mostRounds = 10

  /// Makes the fixes of the files that were asked for, and checks again until there are none.
  ///
  /// - Parameters:
  ///   - paths: What the command was given.
  ///   - audience: Of several audiences, the one that is meant; all unless given.
  ///   - check: Checks the policy, as each of these audiences has it.
  /// - Throws: ``WorkFailure`` where the policy can't be had, or a fix would break a file.
  package init(
    _ paths: [String], audience: String?, check: ([LoadedPolicy]) throws(WorkFailure) -> Checker.Result
  ) throws(WorkFailure) {
    let directory: PolicyDirectory
    do {
      directory = try PolicyDirectory.load(paths)
    } catch {
      throw LoadedPolicy.failure(error)
    }
    let before = directory.sources
    self.before = before
    let links = Set(before.ids.filter { InputFile.isLink(before[$0].path) })
    var texts: [FileID: [UInt8]] = [:]
    var lines: [String] = []
    var all = try directory.loaded(audience: audience)
    var current = all[0]
    var found = try check(all)
    for _ in 0..<Self.mostRounds {
      let latest = current
      let plan = FixPlan(found.diagnostics, of: latest.policy.sources) { file in
        latest.isAsked(file) && !links.contains(file)
      }
      guard !plan.steps.isEmpty else { break }
      for (file, text) in plan.texts {
        // If a file could be parsed before the fix, it must be parsable afterwards.
        let wasSound = EditableFile(current.policy.sources[file].bytes, file: file) != nil
        guard !wasSound || EditableFile(text, file: file) != nil else {
          throw WorkFailure(
            .failed, "a fix of \(VisibleText.of(before[file].path)) would break the file",
            help: "Nothing was written; fix by hand what 'pintle check' shows.")
        }
        texts[file] = text
      }
      lines += plan.steps.map { step in
        let place = step.diagnostic.place
        let path = VisibleText.of(before[place.file].path)
        return "fixed \(path):\(place.start.line): \(VisibleText.of(step.fix.title)) [\(step.diagnostic.code)]"
      }
      all = try directory.replacing(texts).loaded(audience: audience)
      current = all[0]
      found = try check(all)
    }
    let fixable = Set(found.diagnostics.filter(\.isFixable).map(\.place.file))
    for link in links.intersection(fixable).sorted() {
      lines.append("left alone \(VisibleText.of(before[link].path)): it is a symbolic link")
    }
    policy = current
    result = found
    self.lines = lines
  }

  /// The files that change.
  package var changed: RewrittenFiles {
    let after = policy.policy.sources
    return RewrittenFiles(
      before.ids.map { id in
        RewrittenFiles.File(path: before[id].path, before: before[id].bytes, after: after[id].bytes)
      })
  }
}

extension Diagnostic {
  fileprivate var isFixable: Bool { fixes.contains { $0.safety == .safe } }
}

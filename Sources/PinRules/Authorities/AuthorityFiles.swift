package import Diagnostics
package import PinFormat
package import PinPolicy

/// Files of what is known of authorities, as a user names them.
package struct AuthorityFiles {
  package let files: [AuthorityFile]
  private let sources: SourceSet
  private let problems: [PolicyProblem]

  /// Reads files, and the YAML files of directories.
  ///
  /// - Throws: ``WorkFailure`` where a path can't be read at all; what is wrong inside a file is for ``report(at:)``.
  package init(_ paths: [String]) throws(WorkFailure) {
    var read: [SourceSet.File] = []
    var unread: [PolicyProblem] = []
    do {
      for directory in try PolicyDirectory.loadEach(paths) {
        for id in directory.sources.ids where directory.asked?.contains(id) ?? true {
          unread += directory.problems.filter { $0.place.file == id }.map { problem in
            PolicyProblem(problem.kind, at: .beginning(of: FileID(read.count)))
          }
          read.append(directory.sources[id])
        }
      }
    } catch {
      throw WorkFailure(.failed, error.message, help: "Name YAML files of authorities, or directories of them.")
    }
    self.init(SourceSet(read), unread)
  }

  /// Files whose texts are at hand.
  package init(_ sources: SourceSet, _ unread: [PolicyProblem] = []) {
    let missing = Set(unread.map(\.place.file))
    let read = sources.ids.filter { !missing.contains($0) }.map { AuthorityFile.read(sources[$0].bytes, file: $0) }
    self.sources = sources
    files = read.map(\.file)
    problems = unread + read.flatMap(\.problems) + AuthorityFile.contradictions(among: read.map(\.file))
  }

  package var isUsable: Bool { problems.isEmpty }

  /// What is wrong with the files.
  package func report(at instant: Instant) throws(WorkFailure) -> Report {
    Report(
      diagnostics: OtherFileFindings.diagnostics(
        of: problems, in: sources, try LoadedPolicy.none().policy, at: instant),
      sources: sources, rules: [], tool: .pintle, instant: instant.description)
  }
}

extension AuthorityLibrary {
  /// What the program knows, and files that a user gave.
  ///
  /// - Throws: ``WorkFailure`` after the findings of a file that has mistakes, and where one is older than what the
  ///   program knows.
  package static func embedded(adding paths: [String], at instant: Instant) throws(WorkFailure) -> AuthorityLibrary {
    guard !paths.isEmpty else { return .embedded }
    let given = try AuthorityFiles(paths)
    guard given.isUsable else {
      throw WorkFailure(
        .findings, "the files of authorities can't be used", help: "Fix the errors above, or leave out --authorities."
      ).shown(after: [TextRenderer().render(try given.report(at: instant))])
    }
    do {
      return try AuthorityLibrary.embedded.adding(given.files)
    } catch {
      throw WorkFailure(
        .findings,
        "what is given about '\(error.authority)' was reviewed on \(error.reviewed), and what pintle knows on "
          + "\(error.known)",
        help: "Leave the file out, or compare it with its sources and write the day of that as 'reviewed:'.")
    }
  }
}

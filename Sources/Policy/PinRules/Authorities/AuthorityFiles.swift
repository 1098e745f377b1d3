package import Diagnostics
package import PinFormat
package import PinPolicy

/// Authorities files, as a user names them.
package struct AuthorityFiles {
  package let files: [AuthorityFile]
  private let sources: SourceSet
  private let problems: [PolicyProblem]

  /// Reads files, and the YAML files of directories.
  ///
  /// - Parameters:
  ///   - paths: The files and directories.
  ///   - latest: The last day that isn't in the future.
  /// - Throws: ``WorkFailure`` where a path can't be read at all; what is wrong inside a file is for ``report(at:)``.
  package init(_ paths: [String], until latest: Instant) throws(WorkFailure) {
    var read: [SourceSet.File] = []
    var unread: [PolicyProblem] = []
    let directories: [PolicyDirectory]
    do { directories = try PolicyDirectory.loadEach(paths) } catch {
      throw WorkFailure(.failed, error.message, help: Self.whatToName)
    }
    for directory in directories {
      for id in directory.sources.ids where directory.asked?.contains(id) ?? true {
        let problems = directory.problems.filter { $0.place.file == id }
        if problems.contains(where: { $0.kind == .noPolicyFiles }) {
          throw WorkFailure(
            .failed, "no authorities files in '\(VisibleText.of(directory.sources[id].path))'", help: Self.whatToName)
        }
        unread += problems.map { PolicyProblem($0.kind, at: .beginning(of: FileID(read.count))) }
        read.append(directory.sources[id])
      }
    }
    self.init(SourceSet(read), unread, until: latest)
  }

  private static let whatToName = "Name YAML files of authorities, or directories of them."

  /// Files whose texts are at hand.
  package init(_ sources: SourceSet, _ unread: [PolicyProblem] = [], until latest: Instant) {
    let missing = Set(unread.map(\.place.file))
    let read = sources.ids.filter { !missing.contains($0) }.map { AuthorityFile.read(sources[$0].bytes, file: $0) }
    self.sources = sources
    files = read.map(\.file)
    problems =
      unread + read.flatMap(\.problems) + files.compactMap { $0.problem(reviewedAfter: latest) }
      + AuthorityFile.contradictions(among: files, known: AuthorityLibrary.embedded.files)
  }

  /// Ends the work where the files have mistakes.
  ///
  /// - Parameters:
  ///   - instant: The time, for the findings.
  ///   - help: What to do.
  /// - Throws: ``WorkFailure`` after the findings.
  package func requireUsable(at instant: Instant, help: String) throws(WorkFailure) {
    guard problems.isEmpty else {
      throw WorkFailure(.findings, "the authorities files can't be used", help: help)
        .shown(after: [TextRenderer().render(try report(at: instant))])
    }
  }

  /// What is wrong with the files, in the words that policy files have.
  package func report(at instant: Instant) throws(WorkFailure) -> Report {
    Report(
      diagnostics: try LoadedPolicy.findings(problems, in: sources, at: instant),
      sources: sources, rules: [], tool: .pintle, instant: instant.description)
  }
}

extension AuthorityLibrary {
  /// What the program knows, and files that a user gave.
  ///
  /// - Throws: ``WorkFailure`` after the findings of a file that has mistakes, and where one is older than what the
  ///   program knows.
  package static func embedded(
    adding given: AuthorityFiles, at instant: Instant
  ) throws(WorkFailure) -> AuthorityLibrary {
    try given.requireUsable(at: instant, help: "Fix the errors above, or leave out --authorities.")
    do {
      return try AuthorityLibrary.embedded.adding(given.files)
    } catch {
      throw WorkFailure(
        .findings,
        "the given file with '\(error.authority)' was reviewed on \(error.reviewed), earlier than the data that it "
          + "would replace (\(error.known))",
        help: "Leave the file out, or compare it with its sources again and write the day of that as 'reviewed:'.")
    }
  }
}

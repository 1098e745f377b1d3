package import Diagnostics
import PinFormat

/// The commits that a branch adds to another one.
package struct GitHistory: Sendable {
  /// One commit, and what it changes of its parent; of a merge, what is in neither of its parents.
  package struct Commit: Sendable {
    package var id: String
    /// The author's name, which anybody can choose: to be shown, never to be trusted.
    package var author: String
    package var changes: [Change]
  }

  /// A file that a commit changes.
  package struct Change: Sendable {
    /// Relative to the directory; one outside of it begins with `/`, from the repository's root.
    package var path: String
    package var isAdded: Bool
    package var isRemoved: Bool
    /// The name of the file's new content; nil for what isn't a file, or isn't there any more.
    package var content: String?
  }

  /// Those of the branch, each behind its parents.
  package let commits: [Commit]
  /// How many commits of the other branch are missing in this one.
  package let missing: Int
  /// Where the branch left the other one, if that has gone on since; nil where it has all of the other one.
  package let origin: String?
  /// Reads contents of commits; nil without commits.
  private let objects: GitObjects?
  /// The path of the directory in its repository.
  private let place: String

  /// That of folders on disk.
  static let none = GitHistory()

  private init() {
    (commits, missing, origin, objects, place) = ([], 0, nil, nil, "")
  }

  /// More commits than an event has.
  private static let commitLimit = 500
  /// More bytes than the list of a commit's files has.
  private static let listLimit = 16 << 20

  /// Lists the commits of a branch that another one doesn't have.
  ///
  /// - Parameters:
  ///   - branch: The branch's newest commit, whose directory counts.
  ///   - base: The other branch's newest commit.
  ///   - directory: A directory on disk, in the repository.
  /// - Throws: ``WorkFailure`` where git can't say, or there are too many.
  package init(of branch: GitCommit, notIn base: GitCommit, directory: String) throws(WorkFailure) {
    let git = GitProgram(directory: directory)
    missing = try Self.commits(base.id, notIn: branch.id, git).count
    let ids = try Self.commits(branch.id, notIn: base.id, git)
    guard ids.count <= Self.commitLimit, missing <= Self.commitLimit else {
      throw WorkFailure(
        .failed, "the branches differ by more than \(Self.commitLimit) commits",
        help: "Begin a branch at the newest commit of the base, and commit the draft there.")
    }
    place = branch.path.split(separator: "/").dropLast().joined(separator: "/")
    objects = branch.objects
    origin = missing == 0 ? nil : try Self.origin(of: branch.id, base.id, git)
    var commits: [Commit] = []
    for id in ids.reversed() {
      commits.append(
        Commit(
          id: id, author: try Self.author(of: id, branch.objects),
          changes: try Self.changes(["--no-commit-id", "--root", "-c", id], of: id, place, git)))
    }
    self.commits = commits
  }

  /// Lists the files that are different in two commits; a file that was renamed is one removed and one added.
  func changes(from one: String, to other: String, directory: String) throws(WorkFailure) -> [Change] {
    try Self.changes([one, other], of: other, place, GitProgram(directory: directory))
  }

  /// Reads the content of a file of any commit, by its name.
  package func content(_ id: String, limit: Int) throws(FileReadError) -> [UInt8] {
    guard let objects else { throw FileReadError("it has no history") }
    do { return try objects.read(id, "blob", limit: limit) } catch { throw FileReadError(error.reason) }
  }

  /// Whether a commit is one of a branch's.
  static func isPart(_ id: String, of branch: String, directory: String) throws(WorkFailure) -> Bool {
    guard [40, 64].contains(id.utf8.count), Hex.decode(id.utf8) != nil else { return false }
    return try GitProgram(directory: directory).run(["merge-base", "--is-ancestor", id, branch]).status == 0
  }

  /// Refuses a clone that doesn't have all commits: what it lacks would look as if it had never been.
  package static func requireWhole(_ directory: String) throws(WorkFailure) {
    let answer = try GitProgram(directory: directory).run(["rev-parse", "--is-shallow-repository"])
    guard answer.status == 0 else {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(directory))' can't be looked up in git: \(answer.complaint)",
        help: "Name a folder of a repository with --repository; or compare folders: --base ./FOLDER.")
    }
    guard answer.output.elementsEqual("false\n".utf8) else {
      throw WorkFailure(
        .failed, "the repository of '\(VisibleText.of(directory))' is a shallow clone",
        help: "Fetch all commits: git fetch --unshallow; in a workflow, fetch-depth: 0.")
    }
  }

  /// The one commit at which two branches parted.
  private static func origin(of id: String, _ other: String, _ git: GitProgram) throws(WorkFailure) -> String {
    let answer = try git.run(["merge-base", "--all", id, other])
    let found = ids(in: answer.output)
    guard answer.status == 0, found.count == 1 else {
      throw WorkFailure(
        .failed,
        found.isEmpty ? "the two branches have no common commit" : "the two branches parted at more than one commit",
        help: "Rebase the branch onto its base.")
    }
    return found[0]
  }

  /// Finds the newest commit that changed a file.
  ///
  /// - Parameters:
  ///   - path: Relative to the directory.
  ///   - id: The commit whose history counts.
  ///   - directory: A directory on disk, in the repository.
  /// - Returns: Its id; nil where there is none.
  /// - Throws: ``WorkFailure`` where git can't be run.
  static func lastChange(of path: String, in id: String, directory: String) throws(WorkFailure) -> String? {
    let answer = try GitProgram(directory: directory).run(
      ["rev-list", "--max-count=1", id, "--", ":(literal)" + path])
    return answer.status == 0 ? ids(in: answer.output).first : nil
  }

  /// The newest first.
  private static func commits(
    _ id: String, notIn other: String, _ git: GitProgram
  ) throws(WorkFailure) -> [String] {
    let answer = try git.run(["rev-list", "--topo-order", "--max-count=\(commitLimit + 1)", id, "^" + other])
    guard answer.status == 0 else {
      throw WorkFailure(
        .failed, "git can't list the commits between \(other) and \(id): \(answer.complaint)",
        help: "Fetch all of both branches; a shallow clone doesn't have them.")
    }
    return ids(in: answer.output)
  }

  private static func ids(in output: [UInt8]) -> [String] {
    output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func author(of id: String, _ objects: GitObjects) throws(WorkFailure) -> String {
    let bytes: [UInt8]
    do { bytes = try objects.read(id, "commit", limit: 1 << 20) } catch {
      throw WorkFailure(.failed, "the commit \(id) can't be read: \(error.reason)")
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let mark = "author "
    let line = lines.prefix { !$0.isEmpty }.first { $0.starts(with: mark.utf8) } ?? []
    let name = String(decoding: line.prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self).dropFirst(mark.count)
    return name.prefix(80).split(separator: " ").joined(separator: " ")
  }

  /// `:MODE… MODE ID… ID STATUS`, a zero byte, the path and a zero byte, for each file; of each kind as many as there are
  /// parents, and one for the commit.
  private static func changes(
    _ commits: [String], of id: String, _ place: String, _ git: GitProgram
  ) throws(WorkFailure) -> [Change] {
    let answer = try git.run(
      ["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-relative"] + commits, limit: listLimit)
    guard answer.status == 0 else {
      throw WorkFailure(
        .failed, "git can't list what the commit \(id) changes: \(answer.complaint)",
        help: "Fetch all of the branch; a shallow or partial clone doesn't have it.")
    }
    let prefix = place.isEmpty ? "" : place + "/"
    var changes: [Change] = []
    var parts = answer.output.split(separator: 0).makeIterator()
    while let row = parts.next(), let bytes = parts.next() {
      let path = String(decoding: bytes, as: UTF8.self)
      let words = row.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard words.count >= 5 else { continue }
      let isFile = words[(words.count - 1) / 2 - 1].hasPrefix("100")
      changes.append(
        Change(
          path: path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : "/" + path,
          isAdded: row.last == UInt8(ascii: "A"), isRemoved: row.last == UInt8(ascii: "D"),
          content: isFile ? words[words.count - 2] : nil))
    }
    return changes
  }
}

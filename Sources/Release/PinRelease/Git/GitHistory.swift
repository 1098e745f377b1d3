package import Diagnostics
import PinFormat
package import PinPolicy

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
    /// That of its content before; nil for what wasn't a file, and for a merge that is compared with all its parents.
    package var previous: String?
  }

  /// Those of the branch, each behind its parents.
  package let commits: [Commit]
  /// How many commits of the other branch are missing in this one.
  package let missing: Int
  /// Where the branch left the other one, if that has gone on since; nil where it has all of the other one.
  package let origin: String?
  /// The newest commits of both branches.
  let tips: [String]
  /// Reads contents of commits; nil without commits.
  private let objects: GitObjects?
  /// The path of the directory in its repository.
  private let place: String

  /// That of folders on disk.
  package static let none = GitHistory()

  private init() {
    (commits, missing, origin, tips, objects, place) = ([], 0, nil, [], nil, "")
  }

  /// More bytes than the list of a commit's files has, and than that of all commits of a branch.
  static let (listLimit, logLimit) = (16 << 20, 256 << 20)

  /// Lists the commits of a branch that another one doesn't have.
  ///
  /// - Parameters:
  ///   - branch: The branch's newest commit, whose directory counts.
  ///   - base: The other branch's newest commit.
  ///   - directory: A directory on disk, in the repository.
  /// - Throws: ``WorkFailure`` where git can't say.
  package init(of branch: GitCommit, notIn base: GitCommit, directory: String) throws(WorkFailure) {
    let git = GitProgram(directory: directory)
    missing = try Self.count(base.id, notIn: branch.id, git)
    tips = [branch.id, base.id]
    place = branch.path.split(separator: "/").dropLast().joined(separator: "/")
    objects = branch.objects
    origin = missing == 0 ? nil : try Self.origin(of: branch.id, base.id, git)
    guard let list = try Self.list(["-c", branch.id, "^" + base.id], git, limit: Self.logLimit) else {
      throw WorkFailure(
        .failed, "the branch's commits list more than \(Self.logLimit) bytes of changed files",
        help: "Squash the branch into one commit.")
    }
    commits = Self.commits(in: list, place)
  }

  /// The same without a base: no commit is the branch's own.
  ///
  /// - Parameter commit: A directory of the newest commit, which needn't have files in it.
  package init(at commit: GitCommit) {
    (commits, missing, origin, tips, objects, place) = ([], 0, nil, [commit.id], commit.objects, commit.path)
  }

  /// Lists all commits of both branches, and of every other branch here or of a remote, that change some folders; a merge
  /// once for each parent, with what is different from that one.
  ///
  /// Pull requests and tags don't count: strangers can make the first, and nobody can remove them. Runners put pull
  /// requests below `refs/remotes`, but not below the name of a remote.
  /// The checked-out branch is left out if the judged commit takes the place of it.
  package func changes(
    of folders: [String], directory: String, replacesBranch: Bool
  ) throws(WorkFailure) -> [Commit] {
    guard !tips.isEmpty else { return [] }
    let git = GitProgram(directory: directory)
    // As `-m` is by default; the configuration can give that another meaning.
    var every = ["--diff-merges=separate", "--full-history"]
    if replacesBranch {
      let name = try git.run(["symbolic-ref", "--quiet", "HEAD"])
      every += Self.ids(in: name.output).map { "--exclude=" + $0.dropFirst("refs/heads/".count) }
    }
    try requireModest(every + ["--"] + folders, git)
    let branches = ["--branches"] + (try Self.remotes(git)).map { "--remotes=\($0.name)/*" }
    guard let list = try Self.list(every + branches + tips + ["--"] + folders, git, limit: Self.logLimit) else {
      throw try tooLong(every + tips.map { "^" + $0 } + ["--"] + folders, git)
    }
    return Self.commits(in: list, place)
  }

  /// How the checked-out branch is pushed, as the end of a command.
  ///
  /// By git's defaults if it has an upstream. Empty without a remote, and if no branch is checked out.
  package func push(in directory: String) throws(WorkFailure) -> String {
    let git = GitProgram(directory: directory)
    if try git.run(["rev-parse", "--verify", "--quiet", "@{upstream}"]).status == 0 {
      return " && git pull --rebase && git push"
    }
    guard try git.run(["symbolic-ref", "--quiet", "HEAD"]).status == 0, let remote = try Self.remotes(git).first else {
      return ""
    }
    return " && git push -u \(ShellWord.of(remote.name)) HEAD"
  }

  /// How many branches ``changes(of:directory:)`` reads.
  static func branches(_ directory: String) throws(WorkFailure) -> Int {
    try names(GitProgram(directory: directory)).count
  }

  /// All branches by their full names.
  static func names(_ git: GitProgram) throws(WorkFailure) -> [String] {
    let answer = try git.run(
      ["for-each-ref", "--format=%(refname)", "refs/heads/"] + remotes(git).map { "refs/remotes/\($0.name)/" },
      limit: listLimit)
    guard answer.status == 0 else {
      throw WorkFailure(.failed, "git can't list the branches: \(answer.complaint)")
    }
    return ids(in: answer.output)
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
  package static func isPart(_ id: String, of branch: String, directory: String) throws(WorkFailure) -> Bool {
    guard [40, 64].contains(id.utf8.count), Hex.decode(id.utf8) != nil else { return false }
    return try GitProgram(directory: directory).run(["merge-base", "--is-ancestor", id, branch]).status == 0
  }

  /// Refuses a clone that doesn't have all commits and branches: what it lacks would look as if it had never been.
  package static func requireWhole(_ directory: String) throws(WorkFailure) {
    let git = GitProgram(directory: directory)
    let answer = try git.run(["rev-parse", "--is-shallow-repository"])
    guard answer.status == 0 else {
      throw git.unusable(
        answer.complaint, help: "Name a folder of a repository with --repository; or compare folders: --base ./FOLDER.")
    }
    guard answer.output.elementsEqual("false\n".utf8) else {
      throw WorkFailure(
        .failed, "the repository of '\(VisibleText.of(directory))' is a shallow clone",
        help: "Fetch all commits: git fetch --unshallow; in a workflow, fetch-depth: 0.")
    }
    let partial = try git.run(["config", "--get-regexp", "^(extensions\\.partialclone|remote\\..+\\.promisor)$"])
    guard partial.output.isEmpty else {
      throw WorkFailure(
        .failed, "the repository of '\(VisibleText.of(directory))' is a partial clone",
        help: "What it lacks would look as if it had never been. Clone it without --filter.")
    }
    let remotes = try Self.remotes(git)
    try requireKnown(remotes.map(\.name), git)
    for remote in remotes {
      let own = "refs/remotes/\(remote.name)/"
      let lines = remote.fetched.map { $0.hasPrefix("+") ? String($0.dropFirst()) : $0 }
      let shown = VisibleText.of(remote.name)
      // Where something else is among the branches, such as pull requests, anybody could withdraw a draft.
      let mixed = lines.first { line in
        !line.hasPrefix("refs/heads/") && [own, "refs/heads/", "refs/*"].contains { line.contains(":" + $0) }
      }
      let isWhole = lines.contains("refs/heads/*:\(own)*") && !lines.contains { $0.hasPrefix("^") }
      guard mixed != nil || !isWhole else { continue }
      throw WorkFailure(
        .failed,
        mixed.map { "'git fetch \(shown)' uses '\(VisibleText.of($0))', which fetches more than its branches" }
          ?? "not all branches of the remote '\(shown)' are fetched",
        help: "Drafts may be withdrawn on any branch. Run: git config --replace-all "
          + ShellWord.of("remote.\(remote.name).fetch") + " '+refs/heads/*:refs/remotes/\(remote.name)/*' && "
          + "git fetch --prune \(ShellWord.of(remote.name))")
    }
  }

  /// Refuses branches of a remote that isn't configured: nobody says whether they are all.
  private static func requireKnown(_ remotes: [String], _ git: GitProgram) throws(WorkFailure) {
    let answer = try git.run(["for-each-ref", "--format=%(refname)", "refs/remotes/"], limit: listLimit)
    // Runners put the pull request that they test here.
    let known = (remotes + ["pull"]).map { "refs/remotes/\($0)/" }
    guard let other = ids(in: answer.output).first(where: { ref in !known.contains(where: ref.hasPrefix) }) else {
      return
    }
    throw WorkFailure(
      .failed, "'\(VisibleText.of(other))' is of a remote that isn't configured",
      help:
        "Drafts may be withdrawn on any branch. Add the remote with 'git remote add NAME URL' and run git fetch; or "
        + "remove the reference with 'git update-ref -d \(ShellWord.of(other))'.")
  }

  /// The remotes of a repository, and what `git fetch` gets of each.
  static func remotes(_ git: GitProgram) throws(WorkFailure) -> [(name: String, fetched: [String])] {
    let answer = try git.run(["config", "-z", "--get-regexp", "^remote\\..+\\.(url|fetch)$"], limit: listLimit)
    // The status is 1 without a remote.
    guard answer.status <= 1 else { throw WorkFailure(.failed, "git can't list the remotes: \(answer.complaint)") }
    var found: [(name: String, fetched: [String])] = []
    for entry in answer.output.split(separator: 0) {
      // `remote.NAME.fetch`, and its value in the next line.
      let parts = String(decoding: entry, as: UTF8.self).split(separator: "\n", maxSplits: 1).map(String.init)
      guard let key = parts.first, let end = key.lastIndex(of: ".") else { continue }
      let name = String(key[..<end].dropFirst("remote.".count))
      let lines = key.hasSuffix(".fetch") ? Array(parts.dropFirst()) : []
      if let index = found.firstIndex(where: { $0.name == name }) {
        found[index].fetched += lines
      } else {
        found.append((name, lines))
      }
    }
    return found
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

  /// Lists the newest commits that changed a folder.
  ///
  /// - Parameters:
  ///   - folder: Relative to the directory.
  ///   - id: The commit whose history counts.
  ///   - limit: How many commits are listed.
  ///   - directory: A directory on disk, in the repository.
  /// - Returns: Their ids, the newest first; none where git can't say.
  /// - Throws: ``WorkFailure`` where git can't be run.
  static func commits(
    changing folder: String, in id: String, limit: Int, directory: String
  ) throws(WorkFailure) -> [String] {
    let answer = try GitProgram(directory: directory).run(
      ["rev-list", "--full-history", "--max-count=\(limit)", id, "--", ":(literal)" + folder], limit: listLimit)
    return answer.status == 0 ? ids(in: answer.output) : []
  }

  private static func count(_ id: String, notIn other: String, _ git: GitProgram) throws(WorkFailure) -> Int {
    let answer = try git.run(["rev-list", "--count", id, "^" + other])
    guard answer.status == 0, let count = ids(in: answer.output).first.flatMap({ Int($0) }) else {
      throw WorkFailure(
        .failed, "git can't count the commits between \(other) and \(id): \(answer.complaint)",
        help: "Fetch all of both branches; a shallow clone doesn't have them.")
    }
    return count
  }

  private static func ids(in output: [UInt8]) -> [String] {
    output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// How files of commits are listed, whatever the configuration says.
  private static let format = ["-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-relative"]

  /// Lists commits; nil where the list is longer than a limit.
  static func list(_ arguments: [String], _ git: GitProgram, limit: Int) throws(WorkFailure) -> [UInt8]? {
    let answer = try git.runShort(
      ["--literal-pathspecs", "log"] + format
        + ["--topo-order", "--reverse", "--root", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8"]
        + ["--format=%x01%H %an"] + arguments, limit: limit)
    guard let answer else { return nil }
    guard answer.status == 0 else {
      throw WorkFailure(
        .failed, "git can't list the commits of the branches: \(answer.complaint)",
        help: "Fetch all of both branches; a shallow or partial clone doesn't have them.")
    }
    return answer.output
  }

  private static func commits(in list: [UInt8], _ place: String) -> [Commit] {
    var commits: [Commit] = []
    var parts = list.split(separator: 0).makeIterator()
    while let part = parts.next() {
      // `\u{1}ID AUTHOR` of a commit, or one of its files.
      if part.first == 1 {
        let words = String(decoding: part.dropFirst(), as: UTF8.self).split(separator: " ").map(String.init)
        let author = words.dropFirst().joined(separator: " ").prefix(80)
        commits.append(Commit(id: words.first ?? "", author: String(author), changes: []))
      } else if !commits.isEmpty, let path = parts.next(), let change = change(part, path, place) {
        commits[commits.count - 1].changes.append(change)
      }
    }
    return commits
  }

  private static func changes(
    _ commits: [String], of id: String, _ place: String, _ git: GitProgram
  ) throws(WorkFailure) -> [Change] {
    let answer = try git.run(["diff-tree"] + format + commits, limit: listLimit)
    guard answer.status == 0 else {
      throw WorkFailure(
        .failed, "git can't list what the commit \(id) changes: \(answer.complaint)",
        help: "Fetch all of the branch; a shallow or partial clone doesn't have it.")
    }
    var changes: [Change] = []
    var parts = answer.output.split(separator: 0).makeIterator()
    while let row = parts.next(), let path = parts.next() {
      if let change = change(row, path, place) { changes.append(change) }
    }
    return changes
  }

  /// `:MODE… MODE ID… ID STATUS` and the path: of each kind as many as there are parents, and one for the commit.
  private static func change(_ row: ArraySlice<UInt8>, _ path: ArraySlice<UInt8>, _ place: String) -> Change? {
    let path = String(decoding: path, as: UTF8.self)
    let words = row.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard words.count >= 5 else { return nil }
    let prefix = place.isEmpty ? "" : place + "/"
    let isFile = words[(words.count - 1) / 2 - 1].hasPrefix("100")
    return Change(
      path: path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : "/" + path,
      isAdded: row.last == UInt8(ascii: "A"), isRemoved: row.last == UInt8(ascii: "D"),
      content: isFile ? words[words.count - 2] : nil,
      previous: words.count == 5 && words[0].suffix(6).hasPrefix("100") ? words[2] : nil)
  }
}

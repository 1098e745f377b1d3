package import Diagnostics
package import PinFormat
package import PinPolicy

/// A directory as one commit has it.
package struct GitCommit: Sendable {
  /// The commit's name: 40 or 64 hexadecimal digits.
  package let id: String
  /// When it was committed.
  package let instant: Instant
  /// The directory's path in the repository; empty for the repository itself.
  package let path: String
  /// The files below the directory, and the names of their contents.
  package let files: [PolicyDirectory.Listed]
  private let contents: [String: String]
  let objects: GitObjects

  /// More bytes than the list of a policy's files has: a limit on what a mistake can cost.
  private static let listLimit = 64 << 20

  /// Finds a directory in a commit; nothing is checked out, written or fetched.
  ///
  /// - Parameters:
  ///   - directory: A directory on disk, in a repository.
  ///   - reference: What names the commit: a branch, a tag, a commit's id.
  ///   - folder: A folder of the directory in place of all of it; one that the commit doesn't have has no files.
  /// - Throws: ``WorkFailure`` saying what is missing.
  package init(of directory: String, at reference: String, folder: String? = nil) throws(WorkFailure) {
    let git = GitProgram(directory: directory)
    let shown = VisibleText.of(reference)
    // No revision begins with a hyphen, so none can be taken as an option.
    guard !reference.isEmpty, reference.utf8.first != UInt8(ascii: "-"), !reference.utf8.contains(10) else {
      throw WorkFailure(
        .usage, "'\(shown)' names no commit", help: "Name a branch, a tag or a commit: git:main.")
    }
    let place = try Self.path(git)
    path = folder.map { place.isEmpty ? $0 : place + "/" + $0 } ?? place
    // Nothing is named by an empty text.
    let fullName = try Self.fullName(of: reference, shown, git) ?? ""
    let named = try git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", fullName + "^{commit}"])
    id = String(decoding: named.output, as: UTF8.self).filter { !$0.isNewline }
    guard named.status == 0, [40, 64].contains(id.utf8.count), Hex.decode(id.utf8) != nil else {
      throw WorkFailure(
        .failed, "the repository of '\(directory)' has no commit '\(shown)'",
        help: "Name a branch, a tag or a commit that 'git log' knows; a shallow clone has to fetch it first.")
    }
    objects = try GitObjects(git)
    instant = try Self.committed(id, objects)
    guard let tree = try Self.tree(path, of: id, shown, git) else {
      guard folder == nil else {
        (files, contents) = ([], [:])
        return
      }
      throw WorkFailure(
        .failed, "the commit '\(shown)' has no '\(path)'",
        help: "The commit must have the policy in the folder where it is now.")
    }
    let list = try git.run(["ls-tree", "-r", "-z", "-l", "--full-tree", tree], limit: Self.listLimit)
    guard list.status == 0 else {
      throw WorkFailure(
        .failed, "git can't list '\(path)' of the commit '\(shown)': \(list.complaint)",
        help: "Name a commit that has the policy's directory where it is now.")
    }
    var files: [PolicyDirectory.Listed] = []
    var contents: [String: String] = [:]
    for row in list.output.split(separator: 0) {
      guard let file = Self.file(row) else {
        throw WorkFailure(
          .failed, "git doesn't say what '\(path.isEmpty ? "." : path)' of the commit '\(shown)' holds",
          help: "A partial clone doesn't have all of the commit: fetch it wholly, and ask again.")
      }
      files.append(PolicyDirectory.Listed(path: file.path, kind: file.kind))
      contents[file.path] = file.content
    }
    self.files = files
    self.contents = contents
  }

  /// Reads a file of the commit.
  package func read(_ path: String, limit: Int = PolicyDirectory.fileLimit) throws(FileReadError) -> [UInt8] {
    guard let content = contents[path] else { throw FileReadError("it doesn't exist") }
    do { return try objects.read(content, "blob", limit: limit) } catch { throw FileReadError(error.reason) }
  }

  /// The full name of what a short one means: a branch, even if a tag has the same name.
  ///
  /// git would take the tag, and anybody who can push one could replace the base by it, or stop the gate.
  /// Nil where a full name doesn't exist.
  private static func fullName(
    of reference: String, _ shown: String, _ git: GitProgram
  ) throws(WorkFailure) -> String? {
    // What follows a name in a revision, such as `~1`; none of it can be in the name of a branch.
    let ends = [reference.firstIndex { "~^:".contains($0) }, reference.firstRange(of: "@{")?.lowerBound]
    let end = ends.compactMap(\.self).min() ?? reference.endIndex
    let (name, rest) = (String(reference[..<end]), reference[end...])
    // git reads these as what they are, whatever branches and tags are called; `HEAD` and `FETCH_HEAD` as well.
    let isID = [40, 64].contains(name.utf8.count) && Hex.decode(name.utf8) != nil
    guard !name.isEmpty, !isID, name != "HEAD", !name.hasSuffix("_HEAD") else { return reference }
    guard !name.hasPrefix("refs/") else {
      // Without the reference, git would look for a tag whose name begins with `refs/`.
      return try git.run(["show-ref", "--verify", "--quiet", name]).status == 0 ? reference : nil
    }
    let branches = ["refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"]
    let found = try git.run(["for-each-ref", "--format=%(refname)"] + branches)
    let known = String(decoding: found.output, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
      .filter { branches.contains($0) }
    guard known.count < 2 else {
      throw WorkFailure(
        .failed, "'\(shown)' names \(known.count) things: \(known.map(VisibleText.of).joined(separator: ", "))",
        help: "Write the one that you mean, such as \(VisibleText.of(known[known.count - 1])).")
    }
    return (known.first ?? name) + rest
  }

  /// The directory's path in its repository.
  private static func path(_ git: GitProgram) throws(WorkFailure) -> String {
    let answer = try git.run(["rev-parse", "--is-inside-work-tree", "--show-prefix"])
    let lines = answer.output.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard answer.status == 0, lines.count == 2, lines[0].elementsEqual("true".utf8) else {
      throw git.unusable(
        answer.status == 0 ? "it isn't in a working tree" : answer.complaint,
        help: "The directory must be in a working tree of git.")
    }
    // The prefix, such as `policies/`, or nothing, and a line break.
    let text = String(decoding: lines[1].dropLast(), as: UTF8.self)
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  /// What names a directory's content in a commit; nil where the commit doesn't have it, or has something else there.
  private static func tree(
    _ path: String, of id: String, _ shown: String, _ git: GitProgram
  ) throws(WorkFailure) -> String? {
    guard !path.isEmpty else { return id + "^{tree}" }
    // Unlike rev-parse, it tells a folder that isn't there from one that a partial clone lacks.
    let row = try git.run(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", id, "--", path])
    guard row.status == 0 else {
      throw WorkFailure(
        .failed, "git can't find '\(path)' in the commit '\(shown)': \(row.complaint)",
        help: "A partial clone doesn't have all of the commit: fetch it wholly, and ask again.")
    }
    // `MODE TYPE ID<tab>PATH`
    let words = row.output.prefix { $0 != UInt8(ascii: "\t") }.split(separator: UInt8(ascii: " "))
    // A file, a link or a submodule in the place of the directory isn't one.
    guard words.count == 3, words[1].elementsEqual("tree".utf8) else { return nil }
    return String(decoding: words[2], as: UTF8.self)
  }

  /// When the commit was made, by its committer's clock.
  private static func committed(_ id: String, _ objects: GitObjects) throws(WorkFailure) -> Instant {
    let bytes: [UInt8]
    do {
      bytes = try objects.read(id, "commit", limit: 1 << 20)
    } catch {
      throw WorkFailure(.failed, "the commit \(id) can't be read: \(error.reason)")
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = lines.prefix { !$0.isEmpty }.first { $0.starts(with: "committer ".utf8) } ?? []
    // "committer NAME <ADDRESS> SECONDS ZONE"
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count > 2, let seconds = Int64(words[words.count - 2]) else {
      throw WorkFailure(.failed, "the commit \(id) doesn't say when it was made")
    }
    return Instant(secondsSinceEpoch: seconds)
  }

  /// `MODE TYPE ID SIZE<tab>PATH`; nil for what is neither a file nor is in place of one, and for a file whose
  /// content the repository doesn't hold, for which git writes `BAD` in place of a size.
  private static func file(
    _ row: ArraySlice<UInt8>
  ) -> (path: String, content: String, kind: PolicyDirectory.Listed.Kind)? {
    guard let tab = row.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
    let words = String(decoding: row[..<tab], as: UTF8.self).split(separator: " ")
    guard words.count == 4 else { return nil }
    let kind: PolicyDirectory.Listed.Kind
    switch (words[0], Int(words[3])) {
    case ("120000", _): kind = .link
    case ("160000", _): kind = .submodule
    case (_, let size?) where words[1] == "blob": kind = .file(size)
    default: return nil
    }
    return (String(decoding: row[row.index(after: tab)...], as: UTF8.self), String(words[2]), kind)
  }
}

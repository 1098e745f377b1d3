import Diagnostics

/// Branches whose commits list so much that git's list of all commits can't be read.
extension GitHistory {
  /// More bytes than the list of one branch has, of files that people sign.
  private static let ownLimit = 4 << 20

  /// Refuses a branch that makes the list of all commits so long that it can't be read any more once the branch is merged.
  ///
  /// - Parameters:
  ///   - arguments: How its commits are listed.
  ///   - git: The repository.
  /// - Throws: ``WorkFailure`` where it does.
  func requireModest(_ arguments: [String], _ git: GitProgram) throws(WorkFailure) {
    guard tips.count == 2,
      try Self.list([tips[0], "^" + tips[1]] + arguments, git, limit: Self.ownLimit) == nil
    else { return }
    throw WorkFailure(
      .failed,
      "the branch's commits change too much in the folders of files that people sign: git's list of it has more than "
        + "\(Self.ownLimit) bytes",
      help: "Squash the branch into one commit.")
  }

  /// Names the branches that make the list of all commits too long: up to three whose own part is longer than that of one
  /// branch may be, else the three with the longest.
  ///
  /// - Parameters:
  ///   - arguments: How the own commits of one branch are listed.
  ///   - git: The repository.
  /// - Returns: What to say of it.
  /// - Throws: ``WorkFailure`` where git can't list them.
  func tooLong(_ arguments: [String], _ git: GitProgram) throws(WorkFailure) -> WorkFailure {
    var long: [String] = []
    var sizes: [(name: String, bytes: Int)] = []
    for name in try Self.names(git) where long.count < 3 {
      guard let list = try Self.list([name] + arguments, git, limit: Self.ownLimit) else {
        long.append(name)
        continue
      }
      if !list.isEmpty { sizes.append((name, list.count)) }
    }
    if long.isEmpty { long = sizes.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }.prefix(3).map(\.name) }
    let message =
      "git's list of what all branches change in the folders of files that people sign has more than \(Self.logLimit) bytes"
    guard !long.isEmpty else {
      return WorkFailure(.failed, message, help: "Most of it is in the history of the branches that are compared.")
    }
    let remotes = try Self.remotes(git).map(\.name)
    let shown = long.map { "'\(VisibleText.of(Self.short($0)))'" }.listed("and")
    return WorkFailure(
      .failed, "\(message), most of it on the branch\(long.count == 1 ? "" : "es") \(shown)",
      help: "Look at what is withdrawn there, because it can be released again afterwards. Then delete "
        + "\(long.count == 1 ? "the branch" : "them"): "
        + long.map { Self.deletion(of: $0, remotes) }.joined(separator: "; "))
  }

  /// `evil`, `origin/evil`.
  private static func short(_ name: String) -> String {
    name.split(separator: "/", maxSplits: 2).last.map(String.init) ?? name
  }

  /// The commands that delete a branch here, or on its server and then here.
  private static func deletion(of name: String, _ remotes: [String]) -> String {
    let short = short(name)
    guard name.hasPrefix("refs/remotes/"), let remote = remotes.first(where: { short.hasPrefix($0 + "/") }) else {
      return "git branch -D \(ShellWord.of(short))"
    }
    let branch = String(short.dropFirst(remote.count + 1))
    let server = ShellWord.of(remote)
    return "git push \(server) --delete \(ShellWord.of(branch)) && git fetch --prune \(server)"
  }
}

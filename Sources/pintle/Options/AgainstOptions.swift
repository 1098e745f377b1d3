import ArgumentParser
import PinCompiler

/// `--against`, what clients have.
struct AgainstOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What clients have: a released manifest, a directory of all of them, or 'git:REF', the policy of a commit.",
      valueName: "baseline"))
  var against: String?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A public key (PEM) that signed released manifests; give it again for further ones.", valueName: "file"))
  var keys: [String] = []

  @Option(help: ArgumentHelp("How many of the keys must have signed.", valueName: "count"))
  var threshold = 1

  func validate() throws {
    guard let source else {
      if !keys.isEmpty { throw ValidationError("--key verifies what --against names, which is not given.") }
      return
    }
    if !source.isSigned, !keys.isEmpty {
      throw ValidationError("A commit of the policy bears no signature, so --key has nothing to verify.")
    }
  }

  private var source: ReleasedSource? { against.map { ReleasedSource($0) } }

  /// Reads what clients have.
  ///
  /// - Parameter directory: The policy directory, whose repository `git:REF` is about.
  /// - Returns: The releases in order, none where nobody says.
  /// - Throws: ``CommandFailure``, with exit status 6 where a manifest is refused.
  func load(policy directory: String) throws(CommandFailure) -> [ReleasedManifest] {
    switch source {
    case nil: return []
    case .commit(let reference): return [try CommitRelease.load(reference, of: directory)]
    case .path(let path):
      guard !keys.isEmpty else {
        throw CommandFailure(
          .usage, "no --key says whose signature on '\(path)' counts",
          help: "Give the public key of each signer: --key release.key.pub.")
      }
      let files = ReleasedFiles(trusted: try SigningKeyFile.publicKeys(keys), threshold: threshold)
      return ReleasedSource.isDirectory(path) ? try files.directory(path) : [try files.file(path)]
    }
  }
}

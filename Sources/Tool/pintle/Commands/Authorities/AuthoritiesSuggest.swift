import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinRules
import PinStudies
import PinValidator

extension AuthoritiesCommand {
  /// `pintle authorities suggest`: a key set.
  struct Suggest: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "suggest",
      abstract: "Suggest a key set for an authority, a service, or a host of the policy.",
      discussion: """
        Prints keys and a key set for a policy file, with the reason for each key and how long it lasts. The active keys \
        are the roots of the authority that last at least a year; the backup is a root of another owner. For a service, \
        the roots of all its authorities are active; for a host, those of its service and of its active keys.

        The roots come from this machine's trust store (SSL_CERT_FILE, or Debian's ca-certificates), never from what a \
        server presents. With --write, their certificates and a file with the key set are written into the policy \
        directory. Existing files are kept. --write can't be used in CI, because a person has to review what is added.

        EXAMPLES:
          pintle authorities suggest lets-encrypt
          pintle authorities suggest cloudflare --write
          pintle authorities suggest api.example.com --policy pins/policies
        """)

    @Argument(help: "An authority or service by its name in 'pintle authorities list', or a host of the policy.")
    var name: String

    @Option(
      help: ArgumentHelp("The policy directory; 'policies' unless given.", valueName: "path"), completion: .directory)
    var policy: String?

    @Flag(help: "Write the certificates and a policy file with the key set.")
    var write = false

    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var time: TimeOption

    func run() throws {
      if write { try AuthoritiesCommand.refuseInCI("--write") }
      let known = try authorities.library(at: time.instant).all(at: time.instant)
      let folder = policy ?? "policies"
      guard !write || InputFile.isFolder(folder) else {
        throw CommandFailure(
          .failed, "the policy directory '\(VisibleText.of(folder))' doesn't exist",
          help: "Name it with --policy; 'pintle init --authority NAME --host HOST' begins a policy.")
      }
      let loaded =
        policy != nil || InputFile.isFolder(folder)
        ? try LoadedPolicy.loadEach([folder], audience: nil).first?.policy
        : nil
      let suggestion = try KeySetSuggestion(for: name, known, policy: loaded, anchors: LocalAnchors.read())
      if write { try write(suggestion, into: folder) } else { try Console.write(suggestion.policy) }
      Console.say("\nWhy, as of \(time.instant):\n" + suggestion.reasons)
      if write { Console.say("next: write 'keys: \(suggestion.name)' in host entries, and run 'pintle check'") }
    }

    /// Writes all files or none; one that is there already and is the same is kept.
    private func write(_ suggestion: KeySetSuggestion, into folder: String) throws {
      let withoutWrite = "Nothing was written. Without --write, the suggestion is printed."
      guard !suggestion.isNameTaken else {
        throw CommandFailure(
          .failed, "the policy already has a key set '\(suggestion.name)'", help: withoutWrite)
      }
      // The file that names the others is last.
      var files: [(path: String, bytes: [UInt8])] = suggestion.added.map { ($0.path, $0.anchor.file) }
      files.append(("\(suggestion.name).yaml", Array(suggestion.policy.utf8)))
      var new: [(path: String, bytes: [UInt8])] = []
      for file in files {
        let path = StarterFiles.join(folder, file.path)
        if InputFile.isRegular(path), (try? InputFile.read(path, limit: InputFile.keyLimit)) == file.bytes { continue }
        guard access(path, F_OK) != 0, !InputFile.isLink(path) else {
          throw CommandFailure(.failed, "'\(VisibleText.of(path))' exists with other content", help: withoutWrite)
        }
        new.append((file.path, file.bytes))
      }
      for file in new {
        do throws(CommandFailure) { try StarterFiles.makeFolders(above: file.path, in: folder) } catch {
          throw CommandFailure(.failed, error.message, help: withoutWrite)
        }
      }
      let output = new.map {
        OutputFiles.File(path: StarterFiles.join(folder, $0.path), bytes: $0.bytes, existing: .keep)
      }
      try OutputFiles(output, help: withoutWrite).write()
      for file in output { Console.say("wrote \(Output.name(file.path))") }
    }
  }
}

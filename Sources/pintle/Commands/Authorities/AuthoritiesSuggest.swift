import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import PinValidator

extension AuthoritiesCommand {
  /// `pintle authorities suggest`: a key set.
  struct Suggest: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "suggest",
      abstract: "Suggest a key set for an authority, a service, or a host of the policy.",
      discussion: """
        Prints keys and a key set for a policy file, with the reason for each key and how long it lasts. Active are the \
        roots of the authority that last at least a year; the backup is the root of another owner. For a host of the \
        policy, the authorities are those of its present keys.

        The roots come from this machine's trust store (SSL_CERT_FILE, or Debian's ca-certificates), never from what a \
        server showed. With --write, their certificates are written into the policy directory, with a file for the key \
        set; no file is replaced. --write is refused in CI, because a person has to review what is added.

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
      let loaded = policy != nil || InputFile.isFolder(folder) ? try LoadedPolicy.load([folder]).policy : nil
      for name in try names(known, loaded) {
        let suggestion = try KeySetSuggestion(
          for: name, known, policy: loaded, anchors: LocalAnchors.read())
        if write { try write(suggestion, into: folder) } else { try Console.write(suggestion.policy) }
        Console.say("\nWhy, as of \(time.instant):\n" + suggestion.reasons)
      }
    }

    /// The authority or service, or the authorities that a host of the policy has keys of.
    private func names(_ known: Authorities, _ policy: Policy?) throws -> [String] {
      guard let policy, let host = policy.hosts.first(where: { $0.host.text == name || $0.label == name }) else {
        return [name]
      }
      let set = host.keySet.map { policy.keySets[$0.value] }
      let names = (set?.active ?? []).compactMap { member in
        policy.keys[member.key].pin.flatMap { known[$0] }?.name.authority
      }
      guard !names.isEmpty else {
        throw CommandFailure(
          .failed, "no active key of '\(name)' belongs to a known authority",
          help: "Name the authority that issues the host's certificates: 'pintle authorities list' shows the names.")
      }
      return names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func write(_ suggestion: KeySetSuggestion, into folder: String) throws {
      let files =
        suggestion.added.map { ($0.path, $0.anchor.file) }
        + [("\(suggestion.name).yaml", Array(suggestion.policy.utf8))]
      for (path, bytes) in files {
        do {
          try WholeFile.write(bytes, to: folder + "/" + path, existing: .keep)
        } catch {
          throw CommandFailure(
            .failed, error.message, help: "No file is replaced; without --write, the suggestion is printed.")
        }
        Console.say("wrote \(Output.name(folder + "/" + path))")
      }
    }
  }
}

import ArgumentParser
import Diagnostics

/// `pintle keyset`: who may sign manifests, and who may sign the next keyset.
struct KeysetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keyset",
    abstract: "Make keysets, which say who may sign.",
    discussion: """
      A keyset names the signers of manifests and the roots, who sign keysets, and how many of each are needed. A \
      client ships one and takes each next version that enough roots of both, the old and the new one, have signed: \
      so signers' keys change without a new client. A policy's 'key-sets:' are something else: which keys hosts may \
      present.\(Citation.see("docs/signing.md"))
      """,
    subcommands: [Init.self, Next.self])
}

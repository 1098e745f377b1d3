import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinValidator

extension KeysetCommand {
  /// `pintle keyset verify`: whether clients would go from the first version to the last.
  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Walk from version to version as a client does.",
      discussion: """
        The first file is trusted as one that was shipped with a client; each further one must be the next version, \
        signed by enough roots of both. Versions on the way may have expired, the newest may not. A folder stands for \
        all files 'N.keyset.json' in it, in order of N.

        EXAMPLES:
          pintle keyset verify 1.keyset.json 2.keyset.json
          pintle keyset verify keysets --audience production --at 2027-06-01
        """)

    @Argument(
      help: ArgumentHelp("Keysets, the shipped one first, or a folder of them.", valueName: "keyset"),
      completion: .file())
    var keysets: [String]

    @Option(help: ArgumentHelp("The environment that they must be for, such as production.", valueName: "name"))
    var audience: String?

    @OptionGroup var time: TimeOption

    func run() throws {
      let walk = try KeysetFiles.walk(keysets, audience: audience)
      let newest = walk.newest
      var table = Table()
      var before: KeysetFile?
      for step in walk.steps {
        let file = try KeysetFiles.read(step.path)
        let signers = try Self.signers(of: file, after: before)
        table.add("version \(step.trusted.version)", VisibleText.of(step.path), signers)
        before = file
      }
      try Console.write(table.text())
      guard time.instant < newest.expires else {
        throw CommandFailure(
          .refused,
          "'\(walk.steps[walk.steps.count - 1].path)' is rejected: it expired \(newest.expires); clients accept no "
            + "further manifest with it [keyset-expired]",
          help: "Make and release the next version (pintle keyset next), or give --at for another instant.")
      }
      let last = walk.steps.dropLast().last?.trusted.keyset
      let isFine = KeysetFindings.say(of: newest.keyset, after: last, at: time.instant)
      try Console.write(
        "verified: version \(newest.version) for '\(VisibleText.of(newest.audience))' holds until \(newest.expires)\n")
      if !isFine { try ExitStatus.findings.exit() }
    }

    private static func signers(of file: KeysetFile, after previous: KeysetFile?) throws(CommandFailure) -> String {
      let signatures: KeysetSignatures
      do {
        signatures = try KeysetSignatures(of: file, after: previous)
      } catch {
        throw CommandFailure(.failed, error.message)
      }
      let names = signatures.tallies.flatMap(\.signed)
      let unique = names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
      return "\(previous == nil ? "trusted as shipped, " : "")signed by \(KeysetDraft.list(unique))"
    }
  }
}

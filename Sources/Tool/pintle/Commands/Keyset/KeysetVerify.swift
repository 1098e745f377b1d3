import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
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
    @OptionGroup var facts: FactsOptions

    func run() throws {
      var found = KeysetWalkFacts(instant: time.instant)
      let isFine: Bool
      do throws(CommandFailure) {
        isFine = try verify(&found)
      } catch {
        if facts.format == .json, error.status == .refused {
          found.rejection = error
          try Console.write(found.json())
        }
        throw error
      }
      if !isFine { try ExitStatus.findings.exit() }
    }

    /// Walks from version to version, and says what was found; false if the rules have errors.
    private func verify(_ found: inout KeysetWalkFacts) throws(CommandFailure) -> Bool {
      let walk = try KeysetFiles.walk(keysets, audience: audience)
      let newest = walk.newest
      found.newest = newest
      var before: KeysetFile?
      for step in walk.steps {
        let file = try KeysetFiles.read(step.path)
        found.versions.append(
          KeysetWalkFacts.Version(
            number: step.trusted.version, file: step.path, signers: try Self.signers(of: file, after: before)))
        before = file
      }
      if facts.format == .text { try Console.write(found.table()) }
      guard time.instant < newest.expires else {
        throw CommandFailure(
          .refused, code: "keyset-expired",
          "'\(walk.steps[walk.steps.count - 1].path)' is rejected: it expired \(newest.expires); clients accept no "
            + "further manifest with it [keyset-expired]",
          help: "Make and release the next version (pintle keyset next), or give --at for another instant.")
      }
      let last = walk.steps.dropLast().last?.trusted.keyset
      let isFine = KeysetFindings.say(of: newest.keyset, after: last, at: time.instant)
      try facts.write(
        text: "verified: version \(newest.version) for '\(VisibleText.of(newest.audience))' holds until "
          + "\(newest.expires)\n",
        json: found.json())
      return isFine
    }

    private static func signers(of file: KeysetFile, after previous: KeysetFile?) throws(CommandFailure) -> [String] {
      let signatures: KeysetSignatures
      do {
        signatures = try KeysetSignatures(of: file, after: previous)
      } catch {
        throw CommandFailure(.failed, error.message)
      }
      let names = signatures.tallies.flatMap(\.signed)
      return names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }
  }
}

import ArgumentParser
import Diagnostics
import Glibc
import PinExchange
import PinPolicy
import PinRelease
import PinRules

extension AuthoritiesCommand {
  /// `pintle authorities sign`: an authorities file, with one more signature.
  struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sign",
      abstract: "Sign an authorities file.",
      discussion: """
        Checks the file and writes it with a signature, as a DSSE envelope. If the envelope exists, the signature is added, \
        so several people can sign, each with the file that they have reviewed. 'pintle check' accepts the envelope with \
        --authorities and --authorities-keyset if enough signers of the keyset have signed it.

        EXAMPLES:
          pintle authorities sign our-cas.yaml --sign-key alice.key -o our-cas.json
          pintle authorities sign our-cas.yaml --sign-key bob.key -o our-cas.json
        """)

    @Argument(help: ArgumentHelp("The authorities file.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var signingKeys: SigningKeyOptions

    @Option(
      name: .shortAndLong, help: ArgumentHelp("Where to write the envelope.", valueName: "file"), completion: .file())
    var output: String

    @OptionGroup var time: TimeOption

    func validate() throws {
      if signingKeys.isEmpty { throw ValidationError("Give at least one --sign-key.") }
    }

    func run() throws {
      try signingKeys.protectKeys(from: output)
      let text = try InputFile.read(file, limit: AuthorityFile.sizeLimit)
      let latest = try AuthorityOptions.latestReview(at: time.instant)
      try AuthorityFiles(SourceSet([SourceSet.File(path: file, bytes: text)]), until: latest)
        .requireUsable(at: time.instant, help: "Nothing was signed. Fix the errors above first.")
      var signed = try envelope(of: text)
      let count = signed.signatures.count
      do { try signed.add(signingKeys.signers()) } catch let failure as SignerFailure {
        throw CommandFailure(
          .failed, "'\(VisibleText.of(file))' can't be signed: \(failure.message)", help: failure.help)
      }
      try Output.write(signed.bytes, to: output)
      Console.say(
        "signed \(VisibleText.of(output)): \(counted(signed.signatures.count, "signature"))"
          + (count > 0 ? ", \(count) of them from before" : ""))
    }

    /// The envelope that exists already, or a new one.
    private func envelope(of text: [UInt8]) throws -> SignedAuthorities {
      guard output != "-", access(output, F_OK) == 0 else { return SignedAuthorities(unsigned: text) }
      guard let bytes = try? InputFile.read(output, limit: SignedAuthorities.sizeLimit),
        let present = try? SignedAuthorities(envelope: bytes), present.text == text
      else {
        throw CommandFailure(
          .failed, "'\(VisibleText.of(output))' exists, and isn't an envelope with the same text",
          help: "Nothing was signed. Give -o another path, or remove that file first.")
      }
      return present
    }
  }
}

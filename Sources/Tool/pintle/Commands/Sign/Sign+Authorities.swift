import Diagnostics
import Glibc
import PinExchange
import PinPolicy
import PinRelease
import PinRules

extension Sign {
  /// Checks an authorities file, and adds a signature to the envelope of its text.
  func signAuthorities(_ draft: Draft) throws {
    let (file, text) = (draft.path, draft.bytes)
    guard let output, output != "-", !SignedAuthorities.isEnvelope(text) else {
      throw CommandFailure(
        .usage, "'\(VisibleText.of(file))' is signed in an envelope of its own",
        help: "Give the YAML file, and with -o the envelope: a signature is added to one that is there.")
    }
    let latest = AuthorityOptions.latestReview(at: time.instant)
    try AuthorityFiles(SourceSet([SourceSet.File(path: file, bytes: text)]), until: latest)
      .requireUsable(at: time.instant, help: "Nothing was signed. Fix the errors above first.")
    var signed = try envelope(of: text, at: output)
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
  private func envelope(of text: [UInt8], at output: String) throws -> SignedAuthorities {
    guard access(output, F_OK) == 0 else { return SignedAuthorities(unsigned: text) }
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

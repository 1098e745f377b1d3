import Glibc
import PinFormat

/// Signatures that would go with a file when another is written in its place.
enum SignatureLoss {
  /// Refuses to replace a file by one of the same signed bytes that lacks a signature of it.
  ///
  /// Two people who each sign the same draft into one file would otherwise leave the second signature only.
  static func prevent(by bytes: [UInt8], _ content: SignedContent, at output: String) throws(CommandFailure) {
    var status = stat()
    guard output != "-", stat(output, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = try? Input.read(output, limit: .manifest),
      let old = try? SignatureEnvelope(draft: file, as: content),
      let new = try? SignatureEnvelope(draft: bytes, as: content),
      file[old.signed].elementsEqual(bytes[new.signed])
    else { return }
    let kept = Set(new.signatures.map(\.keyID))
    guard let lost = old.signatures.first(where: { !kept.contains($0.keyID) }) else { return }
    throw CommandFailure(
      .failed, "'\(output)' has the same signed bytes and a signature of \(lost.keyID.hex), which would be lost",
      help: "Nothing was written. Add to that file instead, or give -o another path.")
  }
}

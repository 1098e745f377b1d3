import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import PinRelease

/// A file that came in another format, in its own again.
struct ImportedFile {
  let content: SignedContent
  /// The whole file, in its one encoding.
  let bytes: [UInt8]
  /// How many signatures it bears.
  let signatures: Int
  /// Whether somebody said whose signatures count, and enough of them are there.
  let isVerified: Bool
  /// What became of signatures that couldn't be taken as they were.
  let remarks: [String]

  /// Finds out whose the signatures are, and verifies the file where the caller names the signers.
  ///
  /// - Throws: ``CommandFailure``, with exit status 6 where signatures are wrong or too few.
  init(_ document: SignedDocument, verifiedBy options: VerificationOptions, from path: String) throws(CommandFailure) {
    let trust = try options.trust()
    let keys: [[UInt8]]
    switch document.content {
    case .manifest: keys = trust?.publicKeys ?? []
    case .keyset: keys = trust?.rootKeys ?? []
    }
    let named: SignedDocument.Named
    do throws(ExchangeError) {
      named = try document.named(byTrying: keys)
    } catch {
      throw Self.failure(error, path)
    }
    content = document.content
    bytes = named.file
    signatures = named.keyIDs.count
    isVerified = trust != nil
    remarks =
      named.converted.map { "the signature of \($0.hex) came as two numbers and is DER now" }
      + (named.omitted == 0
        ? [] : ["\(counted(named.omitted, "signature")) left out: of no given key, and without a key id of Pintle's"])
    switch document.content {
    case .manifest:
      do throws(CommandFailure) {
        _ = try trust?.load(bytes, of: path, audience: options.audience)
      } catch {
        // 'pintle show' and 'pintle sign' don't read an envelope.
        var failure = error
        if failure.code == "too-few-signatures" { failure.help = "Pass the public keys of those who signed it." }
        throw failure
      }
    case .keyset: try trust?.verify(keyset: bytes, of: path, audience: options.audience)
    }
  }

  private static func failure(_ error: ExchangeError, _ path: String) -> CommandFailure {
    switch error.code {
    case .invalidSignature, .unsigned:
      CommandFailure(.refused, "'\(path)' is rejected: \(error.message)")
    case .namelessSignature:
      CommandFailure(
        .failed, "'\(path)' can't be imported: \(error.message)",
        help: "Give the public keys of the signers, by --key or --keyset: each is tried.")
    default: CommandFailure(.failed, "'\(path)' can't be imported: \(error.message)")
    }
  }
}

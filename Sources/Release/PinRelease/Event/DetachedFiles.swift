package import Diagnostics
package import PinFormat
import PinPolicy
import PinValidator

/// Signatures in files of their own, beside a draft on disk.
package struct DetachedFiles {
  /// The draft as messages name it.
  private let draft: String
  /// The folder that they are in.
  package let folder: String

  /// - Throws: ``WorkFailure`` where the draft isn't a file `*.json`.
  package init(of draft: String) throws(WorkFailure) {
    guard let folder = EventPath.signatures(of: draft) else {
      throw WorkFailure(
        .usage, "'\(draft)' has no place for its signatures: its name doesn't end in .json",
        help: "Name the draft by its serial, such as event/8.json.")
    }
    (self.draft, self.folder) = (draft, folder)
  }

  /// Where a key's signature is.
  package func path(_ keyID: SHA256Digest) -> String { folder + "/" + EventPath.name(of: keyID) }

  /// Reads the signatures of some keys that are there for some signed bytes; none is verified.
  ///
  /// - Parameters:
  ///   - digest: SHA-256 over the signed bytes; a signature over others isn't one of theirs.
  ///   - keys: The keys.
  /// - Returns: Those that are there, in order of key.
  /// - Throws: ``WorkFailure`` where a file isn't a signature of the key that it is named by.
  package func read(
    over digest: SHA256Digest, of keys: [SHA256Digest]
  ) throws(WorkFailure) -> [SignatureEnvelope.Signature] {
    var found: [SignatureEnvelope.Signature] = []
    for key in Set(keys).sorted() where FileIdentity(ofLink: path(key)) != nil {
      let detached: DetachedSignature
      do {
        detached = try DetachedSignature(reading: InputFile.read(path(key), limit: DetachedSignature.maximumBytes))
      } catch let error as FormatError {
        throw WorkFailure(
          .failed, "'\(path(key))' is not a signature: \(error.description)", help: "Remove it, and sign again.")
      } catch let failure as WorkFailure {
        throw failure
      } catch {
        throw WorkFailure(.failed, String(describing: error))
      }
      if detached.digest == digest, detached.signature.keyID == key { found.append(detached.signature) }
    }
    return found
  }
}

import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease

extension DetachedFiles {
  /// Each signature as the file of its key, in place of one over other bytes; the folder is made.
  func files(
    _ signatures: [SignatureEnvelope.Signature], over digest: SHA256Digest
  ) throws(CommandFailure) -> [OutputFiles.File] {
    var files: [OutputFiles.File] = []
    for signature in signatures {
      let name = folder.split(separator: "/").last.map(String.init) ?? folder
      let parent = String(folder.dropLast(name.count))
      try StarterFiles.makeFolders(above: name + "/KEY.json", in: parent.isEmpty ? "." : parent)
      let bytes = DetachedSignature(signature, over: digest).bytes
      files.append(OutputFiles.File(path: path(signature.keyID), bytes: bytes))
    }
    return files
  }
}

extension SigningCeremony {
  /// The draft with the signatures of known signers that are beside it and that count.
  func joined(
    _ draft: SignableManifest, with apart: DetachedFiles, counting keys: [SHA256Digest]
  ) throws(CommandFailure) -> SignableManifest {
    let others = try apart.read(over: draft.digest, of: keys)
    do { return try draft.joined(with: others, of: known?.keys ?? []) } catch {
      throw CommandFailure(.failed, "the signatures in '\(apart.folder)' can't be verified: \(error.message)")
    }
  }
}

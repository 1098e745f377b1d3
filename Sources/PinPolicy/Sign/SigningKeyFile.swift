package import Diagnostics
import OpenSSLKit

/// The files of signing keys; here are the public ones.
package enum SigningKeyFile {
  /// Reads public keys, each as the SubjectPublicKeyInfo of a signer.
  package static func publicKeys(_ paths: [String]) throws(WorkFailure) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for path in paths { keys.append(try publicKey(path)) }
    return keys
  }

  /// Reads the public key of a signer whose private key is somewhere else.
  package static func candidate(_ path: String) throws(WorkFailure) -> Signer.Key {
    let key = try publicKey(path)
    do {
      return try Signer.Key(publicKey: key)
    } catch {
      throw WorkFailure(.failed, "'\(path)' can't be used: \(error.message)")
    }
  }

  private static func publicKey(_ path: String) throws(WorkFailure) -> [UInt8] {
    let pem = try InputFile.read(path, limit: InputFile.keyLimit)
    do throws(CryptoError) {
      let key = try PublicKey(pem: pem)
      _ = try SigningAlgorithm(key.algorithm)
      return key.subjectPublicKeyInfo
    } catch {
      if let other = WrongFile.failure(path, pem, needed: .publicKey) { throw other }
      throw WorkFailure(
        .failed, "'\(path)' is not a signer's public key: \(error.message)",
        help: "Give the file that 'pintle keys new PATH' wrote as PATH.pub.")
    }
  }
}

import Diagnostics
import Glibc
import OpenSSLKit
import PinCompiler
import PinFormat
import PinRules

/// The files of signing keys, private and public.
enum SigningKeyFile {
  /// A key as `pintle keys show` lists it.
  struct Description {
    var id: SHA256Digest
    var algorithm: String
  }

  /// Reads a private key, and warns where others may read it too.
  static func signer(_ path: String) throws(CommandFailure) -> Signer {
    let pem = try Input.read(path, limit: .key)
    warnIfReadableByOthers(path)
    do throws(CryptoError) {
      return try Signer(pem: pem)
    } catch {
      throw CommandFailure(
        .failed, "'\(path)' can't be used for signing: \(error.message)",
        help: "Give a private key as 'pintle keys new' makes one: PEM, Ed25519 or ECDSA P-256, without a passphrase.")
    }
  }

  /// Reads public keys, each as the SubjectPublicKeyInfo of a signer.
  static func publicKeys(_ paths: [String]) throws(CommandFailure) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for path in paths { keys.append(try publicKey(path)) }
    return keys
  }

  /// Reads the public key of a signer whose private key is somewhere else.
  static func candidate(_ path: String) throws(CommandFailure) -> Signer.Key {
    let key = try publicKey(path)
    do {
      return try Signer.Key(publicKey: key)
    } catch {
      throw CommandFailure(.failed, "'\(path)' can't be used: \(error.message)")
    }
  }

  private static func publicKey(_ path: String) throws(CommandFailure) -> [UInt8] {
    let pem = try Input.read(path, limit: .key)
    do throws(CryptoError) {
      let key = try PublicKey(pem: pem)
      _ = try SigningAlgorithm(key.algorithm)
      return key.subjectPublicKeyInfo
    } catch {
      throw CommandFailure(
        .failed, "'\(path)' is no public key of a signer: \(error.message)",
        help: "Give the file that 'pintle keys new PATH' wrote as PATH.pub.")
    }
  }

  /// Reads a private or a public key for what both say: its key id and its algorithm.
  static func describe(_ path: String) throws(CommandFailure) -> Description {
    let pem = try Input.read(path, limit: .key)
    do throws(CryptoError) {
      let spki: [UInt8]
      if try PEMBlock.read(pem).contains(where: \.isPrivateKey) {
        warnIfReadableByOthers(path)
        spki = try PrivateKey(pem: pem).subjectPublicKeyInfo()
      } else {
        spki = try PublicKey(pem: pem).subjectPublicKeyInfo
      }
      let key = try PublicKey(subjectPublicKeyInfo: spki)
      let algorithm =
        switch try SigningAlgorithm(key.algorithm) {
        case .ed25519: "ed25519"
        case .ecdsaP256: "ecdsa-p256"
        }
      return Description(id: SHA256Digest(try key.digest()), algorithm: algorithm)
    } catch {
      throw CommandFailure(.failed, "'\(path)' is no signing key: \(error.message)")
    }
  }

  private static func warnIfReadableByOthers(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let (finding, _) = Rule.signingKeyFinding(path: path, permissions: status.st_mode & 0o777)
    else { return }
    Console.warn("\(finding.message) [\(finding.code)]", help: finding.help)
  }
}

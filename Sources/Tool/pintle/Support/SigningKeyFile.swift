import Diagnostics
import Glibc
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator

extension SigningKeyFile {
  /// A key as `pintle show` lists it.
  struct Description {
    var id: SHA256Digest
    var algorithm: String
    /// The file that says so.
    var path: String
  }

  /// Reads a private key, and warns where others may read it too.
  static func signer(_ path: String, _ passphrases: Passphrases) throws(CommandFailure) -> Signer {
    var pem = try Input.read(path, limit: .key)
    defer { wipe(&pem) }
    if let other = WrongFile.failure(path, pem, needed: .signingKey) { throw other }
    warnIfReadableByOthers(path)
    do throws(CryptoError) {
      if try !PrivateKey.isProtected(pem: pem) { return try Signer(pem: pem) }
    } catch {
      throw unusable(path, error)
    }
    return try opened(path, pem, passphrases) { (key) throws(CryptoError) in try Signer(privateKey: key) }
  }

  /// Opens a private key with its passphrase.
  private static func opened<Result>(
    _ path: String, _ pem: [UInt8], _ passphrases: Passphrases,
    _ use: (consuming PrivateKey) throws(CryptoError) -> Result
  ) throws(CommandFailure) -> Result {
    try passphrases.open(path) { (passphrase) throws(OpeningFailure) in
      do throws(CryptoError) {
        return try use(PrivateKey(pem: pem, passphrase: passphrase))
      } catch {
        throw error.code == .wrongPassphrase ? .wrongPassphrase : .other(unusable(path, error))
      }
    }
  }

  private static func unusable(_ path: String, _ error: CryptoError) -> CommandFailure {
    CommandFailure(
      .failed, "'\(path)' can't be used for signing: \(error.message)",
      help: "Give a private key as 'pintle key' makes one: PEM, Ed25519 or ECDSA P-256.")
  }

  /// Reads a private or a public key for what both say: its key id and its algorithm.
  ///
  /// Of a private key with a passphrase, the public key in the file beside it is as good; without such a file, or where
  /// a passphrase was given, the private key is opened.
  static func describe(
    _ path: String, _ pem: [UInt8], _ passphrases: Passphrases
  ) throws(CommandFailure) -> Description {
    do throws(CryptoError) {
      guard try PEMBlock.read(pem).contains(where: \.isPrivateKey) else {
        return try description(of: try PublicKey(pem: pem).subjectPublicKeyInfo, path)
      }
      warnIfReadableByOthers(path)
      if try !PrivateKey.isProtected(pem: pem) {
        return try description(of: try PrivateKey(pem: pem).subjectPublicKeyInfo(), path)
      }
    } catch {
      if !pem.isEmpty, let other = WrongFile.failure(path, pem, needed: .publicKey) { throw other }
      throw CommandFailure(.failed, "'\(path)' is not a signing key: \(error.message)")
    }
    if !passphrases.areGiven, access(path + ".pub", F_OK) == 0 {
      let shown = VisibleText.of(path)
      Console.say("'\(shown)' has a passphrase; shown is what '\(shown).pub' says")
      return try describe(path + ".pub", Input.read(path + ".pub", limit: .key), passphrases)
    }
    return try opened(path, pem, passphrases) { (key) throws(CryptoError) in
      try description(of: try key.subjectPublicKeyInfo(), path)
    }
  }

  /// Refuses `exec:COMMAND`, which says nothing of its key.
  static func refuseCommand(_ path: String) throws(CommandFailure) {
    guard path.hasPrefix(UserCommand.prefix) else { return }
    throw CommandFailure(
      .usage,
      "'\(UserCommand.name(of: path.dropFirst(UserCommand.prefix.count)))' is a command, so its public key isn't known",
      help: "Give the file of its public key.")
  }

  private static func description(of publicKey: [UInt8], _ path: String) throws(CryptoError) -> Description {
    let key = try PublicKey(subjectPublicKeyInfo: publicKey)
    let algorithm =
      switch try SigningAlgorithm(key.algorithm) {
      case .ed25519: "ed25519"
      case .ecdsaP256: "ecdsa-p256"
      }
    return Description(id: SHA256Digest(try key.digest()), algorithm: algorithm, path: path)
  }

  private static func warnIfReadableByOthers(_ path: String) {
    guard let file = FileIdentity(of: path), file.isRegular,
      let (finding, _) = Rule.signingKeyFinding(path: path, permissions: file.permissions)
    else { return }
    Console.warn("\(finding.message) [\(finding.code)]", help: finding.help)
  }
}

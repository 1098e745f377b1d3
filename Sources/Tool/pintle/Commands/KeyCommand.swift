import ArgumentParser
import Diagnostics
import Glibc
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// `pintle key`: a new signing key in a file of its own.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Make a signer's key.",
    discussion: """
      Writes the private key to PATH, readable by its owner only, and the public key to PATH.pub. A file that is \
      already there is never overwritten. The public key goes into the keyset, which clients are given. It is not a key \
      to pin: those are keys of servers and CAs. With --encrypt, a passphrase protects the private key; it is asked for twice on the terminal, or read from --passphrase-fd.

      EXAMPLES:
        pintle key release.key
        pintle key release.key --encrypt
        pintle key release.key --algorithm ecdsa-p256
      """)

  /// The algorithms of new keys.
  enum Algorithm: String, ExpressibleByArgument, CaseIterable {
    case ed25519
    case ecdsaP256 = "ecdsa-p256"
  }

  @Argument(
    help: ArgumentHelp("Where to write the private key (PEM, PKCS#8).", valueName: "path"), completion: .file())
  var path: String

  @Option(help: "ed25519, or ecdsa-p256 where hardware or a service asks for it.")
  var algorithm = Algorithm.ed25519

  @Flag(help: "Protect the private key by a passphrase.")
  var encrypt = false

  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var facts: FactsOptions

  func validate() throws {
    if passphrase.descriptor != nil, !encrypt {
      throw ValidationError("--passphrase-fd is for --encrypt, which is not given.")
    }
    if path.isEmpty || path == "-" { throw ValidationError("Give the path of a file for the private key.") }
  }

  func run() throws {
    // Read the passphrase before making anything.
    let secret = try encrypt ? passphrase.source().new(for: path) : nil
    var pair = try makePair(secret)
    defer { wipe(&pair.privatePEM) }
    do throws(FileError) {
      try WholeFile.write(pair.privatePEM, to: path, permissions: 0o600, existing: .keep)
      do throws(FileError) {
        try WholeFile.write(pair.publicPEM, to: path + ".pub", existing: .keep)
      } catch {
        // One half of a pair is useless. This private key was made just now, so it can be removed.
        unlink(path)
        throw error
      }
    } catch {
      let isThere = error.number == EEXIST
      throw CommandFailure(
        .failed, error.message,
        help: isThere ? "Choose another path; a key that is there is never overwritten." : "No key was made.")
    }
    try facts.write(
      // Into a pipe the id alone, for scripts.
      text: (isatty(STDOUT_FILENO) == 1 ? "key id " : "") + "\(pair.id.hex)\n",
      json: Facts.text("keys-new") { writer in
        writer.signer(pair.id, name: nil)
        writer.member("algorithm", algorithm.rawValue)
        writer.member("privateKey", path)
        writer.member("publicKey", path + ".pub")
        writer.member("isEncrypted", encrypt)
      })
    Console.say("wrote the private key to \(VisibleText.of(path)): keep it secret")
    Console.say("wrote the public key to \(VisibleText.of(path)).pub: put it into the keyset")
  }

  private func makePair(
    _ passphrase: SecretBytes?
  ) throws(CommandFailure) -> (id: SHA256Digest, privatePEM: [UInt8], publicPEM: [UInt8]) {
    do throws(CryptoError) {
      let key = try PrivateKey(generating: algorithm == .ed25519 ? .ed25519 : .ecdsaP256)
      let publicKey = try key.publicKey()
      let pem = if let passphrase { try key.pem(passphrase: passphrase) } else { try key.pem() }
      return (SHA256Digest(try publicKey.digest()), pem, try publicKey.pem())
    } catch {
      throw CommandFailure(.failed, error.message)
    }
  }
}

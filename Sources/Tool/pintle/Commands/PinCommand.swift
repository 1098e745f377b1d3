import ArgumentParser
import Diagnostics
import Glibc
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRules

/// `pintle pin`: the pins of files and servers, as lines for a policy.
struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Print the pins of certificates, keys or a server.",
    discussion: """
      Prints one line a key, ready to paste under 'keys:' of a policy, with what the file says of it as a comment. Of a \
      server it prints the chain as served, which is not validated: compare it with what the CA or the operator says \
      before you trust it.

      EXAMPLES:
        pintle pin keys/payments-spare-2026.csr
        pintle pin /etc/ssl/certs/ISRG_Root_X1.pem
        pintle pin api.example.com:443
        pintle pin api.example.com:443 --format json
      """)

  @Argument(
    help: ArgumentHelp(
      "PEM or DER files (certificates, requests, public keys), or HOST:PORT.", valueName: "file|host:port"))
  var sources: [String]

  @Option(help: "How many seconds to wait for a server.")
  var timeout = 10

  @OptionGroup var facts: FactsOptions

  func validate() throws {
    if sources.isEmpty { throw ValidationError("Give at least one file or HOST:PORT.") }
    if !(1...600).contains(timeout) { throw ValidationError("--timeout is from 1 to 600 seconds.") }
  }

  func run() throws {
    var found: [PolicyLines.Source] = []
    for source in sources {
      // A file that can't be seen for lack of permission is still a file.
      let isFile = source == "-" || access(source, F_OK) == 0 || errno == EACCES
      let keys = try isFile ? Self.keys(inFile: source) : served(by: source)
      found.append(PolicyLines.Source(name: source, isServer: !isFile, keys: PolicyLines.distinguished(keys)))
      // Text is printed for each source as soon as it is known.
      if facts.format == .text { try Console.write(PolicyLines.text(found[found.count - 1])) }
    }
    try facts.write(text: nil, json: PolicyLines.json(found))
  }

  /// The keys of a file's certificates, or the one of its request or public key.
  static func keys(inFile path: String) throws(CommandFailure) -> [PolicyLines.Key] {
    let bytes = try Input.read(path, limit: .bundle)
    do throws(CryptoError) {
      switch try KeyFile(bytes) {
      case .certificates(let certificates, let trust):
        return try zip(certificates, trust).map { (certificate, trust) throws(CryptoError) in
          var key = try PolicyLines.Key(certificate)
          key.hasTrustSettings = trust != .unsaid
          return key
        }
      case .request(let request): return [try PolicyLines.Key(request)]
      case .publicKey(let spki, let algorithm):
        return [
          PolicyLines.Key(
            kind: .publicKey, name: PolicyLines.name(fromPath: path),
            pin: Pin(SHA256Digest(try SHA256.digest(of: spki))), algorithm: algorithm.title)
        ]
      }
    } catch {
      guard error.code != .privateKey else {
        throw CommandFailure(
          .failed, "'\(path)' holds a private key", help: "Give its certificate, request or public key instead.")
      }
      let act = error.code == .unusualKeyForm ? "pin" : "read"
      throw WrongFile.failure(path, bytes, needed: .keyFile)
        ?? CommandFailure(.failed, "can't \(act) '\(path)': \(error.message)")
    }
  }

  private func served(by source: String) throws(CommandFailure) -> [PolicyLines.Key] {
    guard let endpoint = Endpoint(source) else {
      throw CommandFailure(
        .failed, "there is no file '\(source)'", help: "For a live server give HOST:PORT, such as api.example.com:443.")
    }
    let chain = try LiveServer.chain(of: endpoint, askedFor: endpoint.host, timeout: timeout).servedChain
    do throws(CryptoError) {
      var keys: [PolicyLines.Key] = []
      for (index, der) in chain.enumerated() {
        let certificate = try Certificate(der: der)
        try UnusualKeyForm.check(certificate.subjectPublicKeyInfo)
        var key = try PolicyLines.Key(certificate)
        if index == 0 { key.position = .leaf }
        keys.append(key)
      }
      return keys
    } catch {
      throw CommandFailure(
        .mismatch,
        error.code == .unusualKeyForm
          ? "\(source) served a key that can't be pinned: \(error.message)"
          : "\(source) served something that is not a certificate")
    }
  }
}

import OpenSSLKit
import PinFormat
import PinValidator

/// Decisions on a chain's DER bytes: find the entry, find and hash the keys, compare.
struct DecisionWork {
  private let manifest: LoadedManifest
  private let chain: SlicedChain
  private let host: String
  private let rounds: Rounds

  init(_ arguments: inout Arguments) throws {
    manifest = try LoadedManifest.load(measured: &arguments)
    chain = SlicedChain(certificates: try PEMBlock.read(arguments.file()).map(\.bytes))
    host = arguments.next()
    rounds = Rounds(&arguments)
  }

  func run() throws {
    let instant = manifest.issued
    // The first time, Swift and libcrypto make what they need; it is no part of what is measured.
    guard decide(at: instant) else { fail("the chain doesn't match what the manifest says of \(host)") }
    rounds.measure("decide") {
      if !decide(at: instant) { fail("the answer changed") }
    }
  }

  @inline(never)
  private func decide(at instant: Instant) -> Bool {
    guard case .pinned(let entry) = manifest.govern(host: host, port: 443, at: instant),
      case .allow = manifest.decide(chain, for: entry)
    else { return false }
    return true
  }
}

/// A chain as its DER bytes, whose keys are found and hashed at each question.
private struct SlicedChain: PinnedChain {
  let certificates: [[UInt8]]

  var certificateCount: Int { certificates.count }

  func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? {
    guard let key = CertificateLayout(certificates[number])?.subjectPublicKeyInfo else { return nil }
    return (try? SHA256.digest(of: certificates[number], in: key)).map { SHA256Digest($0) }
  }
}

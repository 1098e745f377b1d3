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
    chain = SlicedChain(try PEMBlock.read(arguments.file()).map(\.bytes))
    host = arguments.next()
    rounds = Rounds(&arguments)
  }

  func run() throws {
    let instant = manifest.issued
    // A warm-up: Swift and libcrypto initialise themselves, which isn't measured.
    guard decide(on: chain, at: instant) else { fail("the chain doesn't match what the manifest says of \(host)") }
    rounds.measure("decide") {
      if !decide(on: chain, at: instant) { fail("the answer changed") }
    }
  }

  @inline(never)
  private func decide(on chain: borrowing SlicedChain, at instant: Instant) -> Bool {
    guard case .pinned(let entry) = manifest.govern(host: host, port: 443, at: instant),
      case .allow = manifest.decide(chain, for: entry)
    else { return false }
    return true
  }
}

/// A chain as its DER bytes, one certificate behind the other, whose keys are found and hashed at each question.
private struct SlicedChain: PinnedChain {
  private let der: [UInt8]
  private let places: [Range<Int>]

  init(_ certificates: [[UInt8]]) {
    var end = 0
    places = certificates.map { certificate in
      defer { end += certificate.count }
      return end..<end + certificate.count
    }
    der = certificates.flatMap { $0 }
  }

  var certificateCount: Int { places.count }

  func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? {
    CertificateLayout.publicKeyDigest(ofCertificate: der.span.extracting(places[number])).map { SHA256Digest($0) }
  }
}

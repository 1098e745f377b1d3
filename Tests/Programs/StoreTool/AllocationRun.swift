import Glibc
import OpenSSLKit
import PinFormat
import PinValidator

/// Counts what a decision allocates, from the snapshot on, on a validated chain and on one that is still DER: nothing.
///
/// What counts is faults.c, which must be loaded.
struct AllocationRun {
  private let scene: Scene
  private let allocations: @convention(c) () -> Int

  init(fixtures: String) throws {
    scene = try Scene(fixtures: fixtures)
    guard let symbol = dlsym(nil, "pintle_allocations") else { fail("faults.c isn't loaded") }
    allocations = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
  }

  func run() throws {
    try scene.store.update(scene.file(serial: 1))
    let decision = scene.store.evaluate(scene.handshakes[1])
    guard let chain = decision.chain else { fail("no chain: \(decision.verdict)") }
    let host = Scene.hosts[1]
    // A warm-up: the first time, Swift creates type metadata.
    let der = DERChain(certificates: chain.certificates)
    guard decide(chain, host, times: 10) == 10, decide(der, host, times: 10) == 10 else { fail("not allowed") }
    let before = allocations()
    let allowed = decide(chain, host, times: 10_000) + decide(der, host, times: 10_000)
    let after = allocations()
    guard allowed == 20_000 else { fail("not allowed") }
    let control = [UInt8](repeating: 1, count: 1_000 + allowed)
    guard allocations() > after, control.count > 0 else { fail("nothing counts") }
    print("allocations \(after - before)")
  }

  @inline(never)
  private func decide(_ chain: ValidatedChain, _ host: String, times: Int) -> Int {
    var allowed = 0
    for _ in 0..<times {
      guard let validator = scene.store.validator else { continue }
      if case .allow = validator.decide(chain, host: host, port: 443, at: scene.store.now) { allowed += 1 }
    }
    return allowed
  }

  @inline(never)
  private func decide(_ chain: borrowing DERChain, _ host: String, times: Int) -> Int {
    var allowed = 0
    for _ in 0..<times {
      guard let manifest = scene.store.validator?.manifest,
        case .pinned(let entry) = manifest.govern(host: host, port: 443, at: scene.store.now)
      else { continue }
      if case .allow = manifest.decide(chain, for: entry) { allowed += 1 }
    }
    return allowed
  }
}

/// Certificates whose keys are found and hashed at each question.
private struct DERChain: PinnedChain {
  let certificates: [[UInt8]]

  var certificateCount: Int { certificates.count }

  func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? {
    let der = certificates[number]
    return CertificateLayout.publicKeyDigest(ofCertificate: der.span).map { SHA256Digest($0) }
  }
}

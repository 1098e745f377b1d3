import OpenSSLKit
import PinFormat
import PinValidator

/// Whole evaluations, as of a handshake: parse the chain, build and check its path, check the name, match the pins.
struct EvaluationWork {
  private let validator: Validator
  private let handshake: PeerHandshake
  private let instant: Instant
  private let rounds: Rounds

  init(_ arguments: inout Arguments) throws {
    let manifest = try LoadedManifest.load(measured: &arguments)
    let certificates = try PEMBlock.read(arguments.file()).map(\.bytes)
    let anchors = try TrustAnchors([arguments.file()])
    validator = Validator(manifest: manifest, evaluator: TrustEvaluator(anchors: anchors))
    handshake = PeerHandshake(host: arguments.next(), port: 443, certificates: certificates, tlsVersion: nil)
    let text = arguments.next()
    guard let instant = Instant(written: text) else { fail("'\(text)' is no instant") }
    self.instant = instant
    rounds = Rounds(&arguments)
  }

  func run() throws {
    let first = validator.evaluate(handshake, at: instant)
    guard case .allow = first.verdict else { fail("the chain isn't allowed: \(first.verdict)") }
    rounds.measure("evaluate") {
      guard case .allow = validator.evaluate(handshake, at: instant).verdict else { fail("the answer changed") }
    }
  }
}

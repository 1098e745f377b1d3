import OpenSSLKit
import PinFormat
import PinValidator

/// Whole evaluations, as of a handshake: parse the chain, build and check its path, check the name, match the pins.
///
/// A service keeps its evaluator, and with it the certificates that were parsed; an evaluator that has seen nothing yet
/// parses all of them.
struct EvaluationWork {
  private let manifest: LoadedManifest
  private let anchors: TrustAnchors
  private let isKept: Bool
  private let handshake: PeerHandshake
  private let instant: Instant
  private let rounds: Rounds

  init(_ arguments: inout Arguments, keepsEvaluator isKept: Bool) throws {
    self.isKept = isKept
    manifest = try LoadedManifest.load(measured: &arguments)
    let certificates = try PEMBlock.read(arguments.file()).map(\.bytes)
    anchors = try TrustAnchors([arguments.file()])
    handshake = PeerHandshake(host: arguments.next(), port: 443, certificates: certificates, tlsVersion: nil)
    let text = arguments.next()
    guard let instant = Instant(written: text) else { fail("'\(text)' is no instant") }
    self.instant = instant
    rounds = Rounds(&arguments)
  }

  func run() throws {
    let validator = makeValidator()
    let first = validator.evaluate(handshake, at: instant)
    guard case .allow = first.verdict else { fail("the chain isn't allowed: \(first.verdict)") }
    rounds.measure("evaluate") {
      let asked = isKept ? validator : makeValidator()
      guard case .allow = asked.evaluate(handshake, at: instant).verdict else { fail("the answer changed") }
    }
  }

  private func makeValidator() -> Validator {
    Validator(manifest: manifest, evaluator: TrustEvaluator(anchors: anchors))
  }
}

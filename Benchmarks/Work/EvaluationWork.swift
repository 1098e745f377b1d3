import OpenSSLKit
import PinFormat
import PinValidator

/// Whole evaluations, as of a handshake: parse the chain, build and check its path, check the name, match the pins.
///
/// A service keeps its validator, which remembers the evaluations of the last minute, and its evaluator, which keeps the
/// authorities that were parsed. An evaluator that has seen nothing yet parses all certificates.
struct EvaluationWork {
  /// What is kept from one time to the next.
  enum Kept {
    case evaluations
    case certificates
    case nothing
  }

  private let manifest: LoadedManifest
  private let anchors: TrustAnchors
  private let kept: Kept
  private let handshake: PeerHandshake
  private let instant: Instant
  private let rounds: Rounds

  init(_ arguments: inout Arguments, keeping kept: Kept) throws {
    self.kept = kept
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
    let evaluator = TrustEvaluator(anchors: anchors)
    let validator = Validator(manifest: manifest, evaluator: evaluator)
    let first = validator.evaluate(handshake, at: instant)
    guard case .allow = first.verdict else { fail("the chain isn't allowed: \(first.verdict)") }
    rounds.measure("evaluate") {
      let asked =
        switch kept {
        case .evaluations: validator
        case .certificates: Validator(manifest: manifest, evaluator: evaluator)
        case .nothing: Validator(manifest: manifest, evaluator: TrustEvaluator(anchors: anchors))
        }
      guard case .allow = asked.evaluate(handshake, at: instant).verdict else { fail("the answer changed") }
    }
  }
}

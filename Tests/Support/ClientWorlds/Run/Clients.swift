import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// The clients of one release, who decide on real chains by the runtime validator.
final class Clients {
  enum Kind: String {
    case older, newest, candidate, planned

    /// Whether the release is out.
    var isOut: Bool { self == .older || self == .newest }
  }

  let kind: Kind
  let issued: Instant
  /// When the last of them has the next release; nil for the last release.
  var end: Instant?
  let manifest: LoadedManifest
  private let validator: Validator

  init(_ kind: Kind, _ manifest: LoadedManifest, issued: Instant, _ evaluator: TrustEvaluator) {
    self.kind = kind
    self.issued = issued
    self.manifest = manifest
    validator = Validator(manifest: manifest, evaluator: evaluator)
  }

  /// Why they block a chain; nil where they don't.
  func block(_ chain: [[UInt8]], tls13: Bool, at instant: Instant) -> Block? {
    let decision = validator.evaluate(
      PeerHandshake(
        host: ClientWorld.host, port: 443, certificates: chain, tlsVersion: tls13 ? .tls13 : .tls12),
      at: instant)
    guard case .block(let reason, _) = decision.verdict else { return nil }
    return Block(reason: reason, failures: decision.failures)
  }

  struct Block {
    var reason: BlockReason
    /// All that trust evaluation found wrong.
    var failures: [TrustFailure]

    var isTrust: Bool { if case .untrusted = reason { true } else { false } }
    /// Whether the entry or the manifest has expired.
    var isExpired: Bool {
      switch reason {
      case .expired, .unpinnedHost(.expired): true
      default: false
      }
    }

    /// The kind of reason, and which certificate of the chain is at fault.
    var name: String {
      switch reason {
      case .untrusted(let failure):
        let place = failure.certificate.map { ["leaf", "first above the leaf", "second above the leaf"][min($0, 2)] }
        return failure.code.description + (place.map { " of the \($0)" } ?? "")
      case .mismatch: return "mismatch"
      case .deniedKey: return "denied key"
      case .expired(.entry), .unpinnedHost(.expired): return "entry expired"
      case .expired(.manifest): return "manifest expired"
      case .unpinnedHost, .noManifest, .invalidHost, .unreadableChain: return "other"
      }
    }
  }
}

extension LoadedManifest {
  /// The same without the ends of its staleness and its entries.
  func lasting() throws -> LoadedManifest {
    var lasting = manifest
    lasting.expires = .latest
    for number in lasting.hosts.indices {
      lasting.hosts[number].expires = nil
      lasting.hosts[number].onExpiry = nil
    }
    return try Rehearsal().load(lasting)
  }
}

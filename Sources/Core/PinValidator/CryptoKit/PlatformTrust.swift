#if CryptoKit
public import PinFormat

/// The settings for a platform's evaluation of trust in one server, and the decision on the outcome.
///
/// The platform takes the place of ``TrustEvaluator``'s own path validation. It must get all of these settings, and evaluate
/// for this very connection: a chain that was validated otherwise mustn't be passed to ``decide(validated:tlsVersion:)``.
public struct PlatformTrust: Sendable {
  /// The name that the certificate must be for.
  public let name: String
  /// The entry's own anchors, DER; empty where it names none.
  public let anchors: [[UInt8]]
  /// Whether the system's anchors count as well.
  public let includesSystemAnchors: Bool
  /// Certificates that complete what the server leaves out, DER; they are never anchors.
  public let intermediates: [[UInt8]]
  /// Whether the entry names one certificate that the server must send, byte for byte.
  ///
  /// Then path and name aren't evaluated: the leaf as it was sent is all that ``decide(validated:tlsVersion:)`` takes.
  public let isOneCertificate: Bool
  /// The least TLS version that the entry accepts; nil for the transport's own.
  public let minimumTLS: TLSVersion?
  private let validator: Validator
  private let entry: GoverningEntry
  private let handshake: PeerHandshake
  private let instant: Instant
  private let store: PinStore?

  fileprivate init(
    _ validator: Validator, _ entry: GoverningEntry, host: String, port: UInt16, at instant: Instant, store: PinStore?
  ) throws(TrustFailure) {
    let trust = validator.manifest.tables.trust(ofHost: entry.number)
    func certificates(_ fingerprints: [SHA256Digest]) throws(TrustFailure) -> [[UInt8]] {
      var found: [[UInt8]] = []
      for fingerprint in fingerprints {
        guard let der = validator.manifest.tables.certificate(fingerprint) else {
          throw TrustFailure(.other, fingerprint: fingerprint, "a certificate that the entry's trust names isn't there")
        }
        found.append(der)
      }
      return found
    }
    name = if let written = trust?.serverName { written.text } else { try Self.canonical(host) }
    anchors = try certificates(trust?.anchors ?? [])
    includesSystemAnchors = trust?.systemAnchors ?? true
    intermediates = try certificates(trust?.intermediates ?? [])
    isOneCertificate = trust?.certificate != nil
    minimumTLS = trust?.minimumTLS
    self.validator = validator
    self.entry = entry
    handshake = PeerHandshake(host: host, port: port, certificates: [], tlsVersion: nil)
    self.instant = instant
    self.store = store
  }

  private static func canonical(_ host: String) throws(TrustFailure) -> String {
    do throws(HostNameError) { return HostName(try CanonicalHost(host.utf8Span.span, isQuestion: true)).text } catch {
      throw TrustFailure(.nameMismatch, "the name that the connection is for is not a valid host name")
    }
  }

  /// Whether the store still has the manifest and the keyset in force that these settings come from.
  ///
  /// If not, ask the store again and evaluate again: the decision would be to block.
  public var isInForce: Bool { store.map { $0.validator?.memory === validator.memory } ?? true }

  /// Steps 2 to 5, after the platform has found the chain valid: Pintle's own checks, denied keys, pins.
  ///
  /// - Parameters:
  ///   - validated: The chain that the platform validated, leaf to anchor, DER; none at all blocks.
  ///   - tlsVersion: The version that was negotiated, or one that it can't be below; nil where nobody says.
  /// - Returns: The decision.
  public func decide(validated: [[UInt8]], tlsVersion: TLSVersion?) -> Decision {
    guard isInForce else { return decide(failure: "another manifest took effect during the evaluation") }
    var handshake = handshake
    handshake.certificates = validated
    handshake.tlsVersion = tlsVersion
    handshake.isOfPlatform = true
    return noted(validator.evaluate(handshake, at: instant), handshake)
  }

  /// Step 2, after the platform has found something wrong: that blocks in every mode.
  ///
  /// The entry's exceptions don't excuse it, since a platform doesn't say which certificate failed, and whether only this
  /// is wrong.
  ///
  /// - Parameter failure: What is wrong, for people: a clause without a full stop.
  /// - Returns: The decision to block.
  public func decide(failure: String) -> Decision {
    let hasExceptions = !(validator.manifest.tables.trust(ofHost: entry.number)?.exceptions.isEmpty ?? true)
    let message = failure + (hasExceptions ? "; exceptions of the policy can't excuse what the platform finds" : "")
    return noted(validator.decision(on: .refused([TrustFailure(.other, message)]), for: entry), handshake)
  }

  private func noted(_ decision: Decision, _ handshake: PeerHandshake) -> Decision {
    store?.note(decision, on: handshake, .stands, at: instant)
    return decision
  }
}

/// What a transport does next about one server.
public enum PlatformQuestion: Sendable {
  /// The decision is made: by step 1, whatever the server sends.
  case answered(Decision)
  /// The platform has to evaluate trust first.
  case evaluate(PlatformTrust)
}

extension Validator {
  /// Step 1 of the order of decision, for a platform that evaluates trust itself.
  ///
  /// - Parameters:
  ///   - host: The host that the connection is for, ASCII in any letter case.
  ///   - port: The port that the connection is for.
  ///   - instant: The time to decide at.
  /// - Returns: The decision, or the settings for the platform.
  public func question(host: String, port: UInt16, at instant: Instant) -> PlatformQuestion {
    question(host: host, port: port, at: instant, store: nil)
  }

  func question(host: String, port: UInt16, at instant: Instant, store: PinStore?) -> PlatformQuestion {
    switch manifest.govern(host: host, port: port, at: instant) {
    case .answered(let verdict): return .answered(Decision(verdict, by: manifest))
    case .pinned(let entry):
      do throws(TrustFailure) {
        return .evaluate(try PlatformTrust(self, entry, host: host, port: port, at: instant, store: store))
      } catch {
        return .answered(decision(on: .refused([error]), for: entry))
      }
    }
  }
}

extension PinStore {
  /// Step 1 of the order of decision, by the manifest in force at the store's time; its observers learn of a decision.
  ///
  /// - Parameters:
  ///   - host: The host that the connection is for, ASCII in any letter case.
  ///   - port: The port that the connection is for.
  /// - Returns: The decision, or the settings for the platform.
  public func question(host: String, port: UInt16) -> PlatformQuestion {
    let (validator, earliest) = inForce.read { ($0.validator, $0.earliest) }
    let instant = max(settings.clock(), earliest)
    let handshake = PeerHandshake(host: host, port: port, certificates: [], tlsVersion: nil)
    let question =
      validator?.question(host: host, port: port, at: instant, store: self)
      ?? .answered(answerWithoutManifest(to: handshake, at: instant, .stands))
    if case .answered(let decision) = question { note(decision, on: handshake, .stands, at: instant) }
    return question
  }
}
#endif

public import CLibPintle
import PinFormat
import PinValidator

/// Evaluates trust, and decides.
@c(pintle_store_evaluate) @implementation
public func pintle_store_evaluate(
  _ store: OpaquePointer?, _ peer: UnsafePointer<pintle_peer>?,
  _ decision: UnsafeMutablePointer<UnsafeMutablePointer<pintle_decision>?>?
) -> pintle_disposition {
  let answer: Answer
  do throws(CallerError) {
    guard let store = pinStore(store) else { throw .argument("the store is null") }
    let question = try Question(peer, askedOf: store)
    let made = store.evaluate(question.handshake, transport: question.transport, at: question.instant)
    guard decision != nil else { return made.disposition.value }
    answer = Answer(made, at: question.instant)
  } catch {
    answer = Answer(error)
  }
  decision?.pointee = answer.inCallersMemory()
  return answer.disposition
}

/// Frees a decision.
@c(pintle_decision_free) @implementation
public func pintle_decision_free(_ decision: UnsafeMutablePointer<pintle_decision>?) {
  guard let decision else { return }
  UnsafeMutableRawPointer(decision).deallocate()
}

/// What a caller asks.
private struct Question {
  let handshake: PeerHandshake
  let transport: TransportValidation
  let instant: Instant

  init(_ pointer: UnsafePointer<pintle_peer>?, askedOf store: PinStore) throws(CallerError) {
    let known = KnownSize(least: 56, defaults: pintle_peer())
    guard let peer = CallerMemory.sized(pointer, size: known) else {
      throw .argument("the peer is null, or its size isn't set, or it is newer than this library")
    }
    let role: PeerHandshake.Peer
    switch Int(peer.role) {
    case Int(PINTLE_PEER_SERVER): role = .server
    case Int(PINTLE_PEER_CLIENT): role = .client
    default: throw .argument("the peer's role isn't known")
    }
    switch Int(peer.validation) {
    case Int(PINTLE_VALIDATION_REPLACED): transport = .replaced
    case Int(PINTLE_VALIDATION_STANDS): transport = .stands
    default: throw .argument("the peer's validation isn't known")
    }
    guard let host = CallerMemory.text(peer.host) else { throw .argument("the host is null, or not UTF-8") }
    guard
      let certificates = CallerMemory.list(
        peer.certificates, peer.certificate_count, maximumItems: ServedChain.maximumCertificates,
        maximumBytes: ServedChain.maximumBytes)
    else { throw .argument("a certificate is null") }
    handshake = PeerHandshake(
      peer: role, host: host, port: peer.port, certificates: certificates,
      tlsVersion: TLSVersion(wire: peer.tls_version))
    // .min is PINTLE_NOW, a macro that Swift can't import.
    instant = peer.at == .min ? store.now : Instant(secondsSinceEpoch: peer.at)
  }
}

extension TLSVersion {
  /// The version by its number in the protocol (RFC 8446 section 4.1.2).
  ///
  /// One that is newer than those known is at least the newest of them; older ones are nil, as is what isn't said.
  fileprivate init?(wire number: UInt16) {
    switch number {
    case 0x0303: self = .tls12
    case 0x0304...0x03FF: self = .tls13
    default: return nil
    }
  }
}

extension Disposition {
  /// Its value in the header.
  var value: pintle_disposition {
    switch self {
    case .cancel: PINTLE_CANCEL
    case .useCredential: PINTLE_USE_CREDENTIAL
    case .performDefaultHandling: PINTLE_DEFAULT_HANDLING
    }
  }
}

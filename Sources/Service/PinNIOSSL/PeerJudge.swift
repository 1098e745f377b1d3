#if NIOSSL
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import PinFormat
import PinValidator

/// Who the other side of a connection should be.
struct PeerName: Hashable, Sendable {
  var peer: PeerHandshake.Peer
  var host: String
  var port: UInt16
}

/// Asks the store: on the event loop where it answers at once, on threads that may block for everything else.
struct PeerJudge: Sendable {
  let store: PinStore
  let pool: NIOThreadPool
  private let authorities = ParsedAuthorities()

  /// Evaluates what was served; TLS validation is replaced, so the answer is all there is.
  ///
  /// What was evaluated before is answered at once, and so is a new leaf below known authorities: a thread would cost as
  /// much as evaluating it. Everything else may take long and is done off the event loop.
  ///
  /// - Parameters:
  ///   - served: What was served.
  ///   - name: Who is to have served it.
  ///   - version: The version that was negotiated.
  ///   - eventLoop: Where the answer is awaited.
  ///   - isWanted: Asked on the pool before anything is done; work for a connection that has closed is dropped.
  /// - Returns: A future of the event loop; it fails where the pool doesn't run, or the answer isn't wanted any more.
  func evaluate(
    _ served: HandshakeCertificates, from name: PeerName, version: PinFormat.TLSVersion?, on eventLoop: any EventLoop,
    isWanted: @escaping @Sendable () -> Bool = { true }
  ) -> EventLoopFuture<Judgement> {
    let handshake: PeerHandshake
    do {
      handshake = try self.handshake(served, from: name, version: version)
    } catch {
      return eventLoop.makeFailedFuture(error)
    }
    if let prompt = judgeAtOnce(handshake, served) { return eventLoop.makeSucceededFuture(prompt) }
    return pool.runIfActive(eventLoop: eventLoop) {
      guard isWanted() else { throw PinnedTLSError(.closed, "the connection closed before its turn came") }
      return judgement(handshake, served, store.evaluate(handshake, transport: .replaced))
    }
  }

  /// The same without waiting for anything; nil where evaluating may take long.
  func judgeAtOnce(_ served: [[UInt8]], from name: PeerName, version: PinFormat.TLSVersion?) -> Judgement? {
    let served = HandshakeCertificates.bytes(served)
    return (try? handshake(served, from: name, version: version)).flatMap { judgeAtOnce($0, served) }
  }

  private func judgeAtOnce(_ handshake: PeerHandshake, _ served: HandshakeCertificates) -> Judgement? {
    store.decideAtOnce(handshake, transport: .replaced).map { judgement(handshake, served, $0) }
  }

  private func handshake(
    _ served: HandshakeCertificates, from name: PeerName, version: PinFormat.TLSVersion?
  ) throws -> PeerHandshake {
    PeerHandshake(
      peer: name.peer, host: name.host, port: name.port, certificates: try served.der, tlsVersion: version)
  }

  private func judgement(
    _ handshake: PeerHandshake, _ served: HandshakeCertificates, _ decision: Decision
  ) -> Judgement {
    Judgement(handshake: handshake, decision: decision, chain: authorities.chain(of: decision, handshake, served))
  }
}

/// What was asked and the result.
struct Judgement: Sendable {
  let handshake: PeerHandshake
  let decision: Decision
  /// The validated chain, where BoringSSL can read all of it.
  let chain: [NIOSSLCertificate]?

  /// Whether the connection may go on; everything but `useCredential` refuses.
  ///
  /// So does the lack of an entry for clients: they have no name that could be compared, and the store's anchors, which
  /// are there for servers, don't tell a service's clients from others.
  var isAllowed: Bool {
    if handshake.peer == .client, case .notPinned = decision.verdict { return false }
    return decision.disposition == .useCredential
  }

  /// The result for NIOSSL; nobody is verified without a verified chain.
  var verification: NIOSSLVerificationResultWithMetadata {
    guard isAllowed else { return .failed }
    // BoringSSL may fail to parse a certificate that libcrypto reads. The peer is verified then, without a chain in the
    // metadata.
    return .certificateVerified(VerificationMetadata(chain.map { ValidatedCertificateChain($0) }))
  }
}

/// The certificates of a handshake, in whichever form they are at hand.
enum HandshakeCertificates: Sendable {
  case parsed([NIOSSLCertificate])
  case bytes([[UInt8]])

  var der: [[UInt8]] {
    get throws {
      switch self {
      // One more than the limit, so that a chain that is too long is rejected, not cut.
      case .parsed(let certificates):
        try certificates.prefix(PeerHandshake.maximumCertificates + 1).map { try $0.toDERBytes() }
      case .bytes(let bytes): bytes
      }
    }
  }
}

/// The certificates of validated chains that weren't served, parsed by BoringSSL once: anchors, and what `trust` names.
final class ParsedAuthorities: Sendable {
  private let parsed = NIOLockedValueBox<[[UInt8]: NIOSSLCertificate]>([:])
  private let capacity = 64

  /// The chain of a decision; nil where it has none, or BoringSSL can't read it.
  func chain(
    of decision: Decision, _ handshake: PeerHandshake, _ served: HandshakeCertificates
  ) -> [NIOSSLCertificate]? {
    // For a resumed session, the chain isn't passed on.
    guard case .parsed(let certificates) = served, let path = decision.chain?.certificates else { return nil }
    var chain: [NIOSSLCertificate] = []
    for der in path {
      if let place = handshake.certificates.firstIndex(of: der) {
        chain.append(certificates[place])
      } else if let authority = authority(der) {
        chain.append(authority)
      } else {
        return nil
      }
    }
    return chain.isEmpty ? nil : chain
  }

  private func authority(_ der: [UInt8]) -> NIOSSLCertificate? {
    if let known = parsed.withLockedValue({ $0[der] }) { return known }
    guard let new = try? NIOSSLCertificate(bytes: der, format: .der) else { return nil }
    parsed.withLockedValue { parsed in
      if parsed.count >= capacity { parsed.removeAll() }
      parsed[der] = new
    }
    return new
  }
}
#endif

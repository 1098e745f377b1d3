#if NIOSSL
import NIOCore
import NIOPosix
import NIOSSL
import PinFormat
import PinValidator

/// Who the other side of a connection is to be.
struct PeerName: Hashable, Sendable {
  var peer: PeerHandshake.Peer
  var host: String
  var port: UInt16
}

/// Asks the store, on threads that may block.
struct PeerJudge: Sendable {
  let store: PinStore
  let pool: NIOThreadPool

  /// Evaluates what was served, off the event loop; TLS validation is replaced, so the answer is all there is.
  ///
  /// - Parameters:
  ///   - served: What was served.
  ///   - name: Who is to have served it.
  ///   - version: The version that was negotiated.
  ///   - eventLoop: Where the answer is awaited.
  ///   - isWanted: Asked on the pool before anything is done; work for a connection that has closed is dropped.
  /// - Returns: A future of the event loop; it fails where the pool doesn't run, or the answer isn't wanted any more.
  func evaluate(
    _ served: ServedCertificates, from name: PeerName, version: PinFormat.TLSVersion?, on eventLoop: any EventLoop,
    isWanted: @escaping @Sendable () -> Bool = { true }
  ) -> EventLoopFuture<Judgement> {
    pool.runIfActive(eventLoop: eventLoop) { [store] in
      guard isWanted() else { throw PinnedTLSError(.closed, "the connection closed before its turn came") }
      let handshake = PeerHandshake(
        peer: name.peer, host: name.host, port: name.port, certificates: try served.der, tlsVersion: version)
      return Judgement(handshake: handshake, decision: store.evaluate(handshake, transport: .replaced))
    }
  }
}

/// What was asked and what came of it.
struct Judgement: Sendable {
  let handshake: PeerHandshake
  let decision: Decision

  /// Whether the connection may go on; everything but `useCredential` refuses.
  ///
  /// So does the lack of an entry for clients: they have no name that could be compared, and the store's anchors, which
  /// are there for servers, don't tell a service's clients from others.
  var isAllowed: Bool {
    if handshake.peer == .client, case .notPinned = decision.verdict { return false }
    return decision.disposition == .useCredential
  }

  /// What NIOSSL is to be told; nobody is verified without a chain that was.
  var verification: NIOSSLVerificationResultWithMetadata {
    guard isAllowed else { return .failed }
    let chain = decision.chain?.certificates.map { try? NIOSSLCertificate(bytes: $0, format: .der) } ?? []
    let certificates = chain.compactMap { $0 }
    // BoringSSL may not read what libcrypto did; then the peer is verified, and its chain not told.
    guard !certificates.isEmpty, certificates.count == chain.count else {
      return .certificateVerified(VerificationMetadata(nil))
    }
    return .certificateVerified(VerificationMetadata(ValidatedCertificateChain(certificates)))
  }
}

/// The certificates of a handshake, in whichever form they are at hand.
enum ServedCertificates: Sendable {
  case parsed([NIOSSLCertificate])
  case bytes([[UInt8]])

  var der: [[UInt8]] {
    get throws {
      switch self {
      // One more than are looked at, so that too many are refused and not cut.
      case .parsed(let certificates):
        try certificates.prefix(PeerHandshake.maximumCertificates + 1).map { try $0.toDERBytes() }
      case .bytes(let bytes): bytes
      }
    }
  }
}
#endif

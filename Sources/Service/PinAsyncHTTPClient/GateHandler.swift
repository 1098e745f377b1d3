#if AsyncHTTPClient
import NIOCore
import PinNIOSSL
import PinValidator

/// Lets nothing out that the manifest in force refuses, from the moment at which it takes effect.
///
/// Open connections are closed soon after; a request that the pool gives to one of them before that ends here.
final class GateHandler: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// What a connection was asked about last, and the result.
  struct Answer {
    var manifest: LoadedManifest?
    var error: PinnedTLSError?
  }

  private let ask: (LoadedManifest?) -> Answer
  private let refuse: (PinnedTLSError) -> Void
  private var answer: Answer

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - manifest: The manifest that let the connection pass; nil where there was none.
  ///   - ask: Asks about the connection, unless the given manifest, which was asked last, is still in force; a connection
  ///     that is being closed is refused.
  ///   - refuse: Closes the connection, in a later turn of its event loop.
  init(
    passedBy manifest: LoadedManifest?, asking ask: @escaping (LoadedManifest?) -> Answer,
    refusing refuse: @escaping (PinnedTLSError) -> Void
  ) {
    answer = Answer(manifest: manifest)
    self.ask = ask
    self.refuse = refuse
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard let error = refusal() else { return context.write(data, promise: promise) }
    promise?.fail(error)
  }

  func flush(context: ChannelHandlerContext) {
    // Data that was written before a manifest took effect isn't sent if it now blocks.
    if refusal() == nil { context.flush() }
  }

  /// Asks once for each manifest, and here: the chain's certificates are parsed already, so that it takes well under a
  /// millisecond.
  private func refusal() -> PinnedTLSError? {
    if answer.error == nil {
      answer = ask(answer.manifest)
      if let error = answer.error { refuse(error) }
    }
    return answer.error
  }
}

extension PinStore {
  /// Asks the manifest in force about what a server presented earlier; observers aren't told, as that isn't a
  /// handshake.
  ///
  /// - Parameters:
  ///   - handshake: What the server presented.
  ///   - manifest: A manifest that has let it pass.
  /// - Returns: The manifest that was asked, and the refusal, if it is one.
  func refusal(of handshake: PeerHandshake, unless manifest: LoadedManifest?) -> GateHandler.Answer {
    guard let validator, validator.manifest !== manifest else { return GateHandler.Answer(manifest: manifest) }
    let decision = validator.evaluate(handshake, at: now, transport: .leafOnly)
    guard decision.disposition == .cancel else { return GateHandler.Answer(manifest: validator.manifest) }
    let error = PinnedTLSError(revokedBy: decision, of: validator.manifest)
    return GateHandler.Answer(manifest: validator.manifest, error: error)
  }
}
#endif

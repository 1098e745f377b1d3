import PinFormat
import PinValidator

/// What a transport is made of here.
struct Connection {
  let host: String
  let servedChain: [[UInt8]]
  func close() {}
}

func decide(store: PinStore, connection: Connection) {
  let handshake = PeerHandshake(
    host: connection.host, port: 443, certificates: connection.servedChain, tlsVersion: .tls13)
  let decision = store.evaluate(handshake, transport: .stands)
  switch decision.disposition {
  case .useCredential: break  // go on: trust was evaluated, and nothing objects
  case .cancel: connection.close()  // before anything is sent
  case .performDefaultHandling: break  // not pinned: the transport's own validation decides
  }
}

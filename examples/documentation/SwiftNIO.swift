#if NIOSSL
import NIOCore
import NIOPosix
import NIOSSL
import PinNIOSSL
import PinValidator

func client(store: PinStore, group: any EventLoopGroup) throws -> ClientBootstrap {
  let tls = try PinnedTLS(store: store)
  let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
    channel.eventLoop.makeCompletedFuture {
      try tls.addHandlers(to: channel, host: "api.example.com", port: 443)
      // The application's own handlers follow.
    }
  }
  return bootstrap
}

func server(
  store: PinStore, group: any EventLoopGroup, chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource
) throws -> ServerBootstrap {
  var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
  configuration.certificateVerification = .noHostnameVerification
  let tls = try PinnedTLSServer(store: store, configuration: configuration, clientsUnder: "clients.example.com")
  let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
    channel.eventLoop.makeCompletedFuture { try tls.addHandlers(to: channel) }
  }
  return bootstrap
}
#endif

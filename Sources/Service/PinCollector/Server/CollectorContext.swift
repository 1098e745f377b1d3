#if Collector
import HTTPTypes
import Hummingbird
import NIOCore

/// What is known of a request beside its text.
struct CollectorContext: RequestContext, RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  var remoteAddress: SocketAddress? { channel.remoteAddress }
}
#endif

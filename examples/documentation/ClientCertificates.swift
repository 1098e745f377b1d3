#if Hummingbird
import Hummingbird
import NIOSSL
import PinHummingbird
import PinNIOSSL
import PinValidator

func application(store: PinStore, configuration: TLSConfiguration) throws -> some ApplicationProtocol {
  let tls = try PinnedTLSServer(store: store, configuration: configuration, clientsUnder: "clients.example.com")
  let router = Router(context: ClientIdentityRequestContext.self)
  router.add(middleware: RequiresClientIdentity())
  router.get("/") { _, context in "hello, \(context.client?.keyName ?? "stranger")" }
  let application = Application(router: router, server: .pinnedTLS(tls))
  return application
}
#endif

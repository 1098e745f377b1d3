#if Hummingbird
public import Hummingbird

/// A request context that knows the client.
public protocol ClientIdentityContext: RequestContext {
  /// Who the client is; nil where the server isn't ``PinnedTLSChannel``'s, as in a test without TLS.
  var client: ClientIdentity? { get }
}

/// The plainest request context that knows the client; copy its two lines into your own.
public struct ClientIdentityRequestContext: ClientIdentityContext {
  /// What Hummingbird keeps.
  public var coreContext: CoreRequestContextStorage
  /// Who the client is.
  public let client: ClientIdentity?

  /// Makes the context of a request.
  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    client = ClientIdentity(on: source.channel)
  }
}

/// Answers 403 to requests of clients that nobody knows: what is behind it is closed where TLS was set up wrongly.
public struct RequiresClientIdentity<Context: ClientIdentityContext>: RouterMiddleware {
  /// Makes the middleware.
  public init() {}

  /// Lets the request on, if there is an identity.
  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard context.client != nil else {
      throw HTTPError(.forbidden, message: "This needs a client certificate.")
    }
    return try await next(request, context)
  }
}
#endif

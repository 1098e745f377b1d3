#if CryptoKit && !canImport(Security)
@_exported public import class Foundation.NSObject
public import protocol Foundation.NSObjectProtocol
public import struct Foundation.Data
public import class Foundation.OperationQueue
public import struct Foundation.URL

// The declarations of Foundation on Apple's platforms that PinURLSession uses; those of corelibs differ or are missing. The
// address of each page is `https://developer.apple.com/documentation/foundation/` and what the comment names.

/// nsurlauthenticationmethodservertrust.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// urlprotectionspace.
public final class URLProtectionSpace: Sendable {
  /// urlprotectionspace/host.
  public let host: String
  /// urlprotectionspace/port.
  public let port: Int
  /// urlprotectionspace/authenticationmethod.
  public let authenticationMethod: String
  private nonisolated(unsafe) let trust: SecTrust?
  /// urlprotectionspace/servertrust: nil if the authentication method isn't server trust.
  public var serverTrust: SecTrust? { trust }

  /// For tests.
  public init(host: String, port: Int, authenticationMethod: String, serverTrust: SecTrust?) {
    self.host = host
    self.port = port
    self.authenticationMethod = authenticationMethod
    trust = serverTrust
  }
}

/// urlauthenticationchallenge.
public final class URLAuthenticationChallenge: Sendable {
  /// urlauthenticationchallenge/protectionspace.
  public let protectionSpace: URLProtectionSpace

  /// For tests.
  public init(_ protectionSpace: URLProtectionSpace) {
    self.protectionSpace = protectionSpace
  }
}

/// urlcredential.
public final class URLCredential: Sendable {
  private nonisolated(unsafe) let trust: SecTrust
  /// For tests.
  public var acceptedTrust: SecTrust { trust }

  /// urlcredential/init(trust:): "you are responsible for evaluating the received SecTrust instance", it says.
  public init(trust: SecTrust) {
    self.trust = trust
  }
}

/// security/tls_protocol_version_t.
public enum tls_protocol_version_t: UInt16, Sendable {
  case TLSv10 = 0x0301
  case TLSv11 = 0x0302
  case TLSv12 = 0x0303
  case TLSv13 = 0x0304
}

/// urlsessionconfiguration.
public class URLSessionConfiguration: @unchecked Sendable {
  /// urlsessionconfiguration/identifier: that of a background session, otherwise nil.
  public private(set) var identifier: String?
  /// urlsessionconfiguration/tlsminimumsupportedprotocolversion.
  public var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv12
  /// urlsessionconfiguration/tlsmaximumsupportedprotocolversion.
  public var tlsMaximumSupportedProtocolVersion = tls_protocol_version_t.TLSv13

  /// urlsessionconfiguration/ephemeral: a new one at each call.
  public class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }

  /// urlsessionconfiguration/background(withidentifier:).
  public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration()
    configuration.identifier = identifier
    return configuration
  }

  init() {}

  /// nscopying/copy(with:).
  public func copy() -> Any {
    let copy = URLSessionConfiguration()
    copy.tlsMinimumSupportedProtocolVersion = tlsMinimumSupportedProtocolVersion
    copy.identifier = identifier
    copy.tlsMaximumSupportedProtocolVersion = tlsMaximumSupportedProtocolVersion
    return copy
  }
}

/// urlsession.
public class URLSession: @unchecked Sendable {
  /// urlsession/authchallengedisposition.
  public enum AuthChallengeDisposition: Sendable {
    case useCredential
    case performDefaultHandling
    case cancelAuthenticationChallenge
    case rejectProtectionSpace
  }

  /// urlsession/configuration: a copy.
  public let configuration: URLSessionConfiguration
  /// urlsession/delegate: the session keeps it until it is invalidated.
  public private(set) var delegate: (any URLSessionDelegate)?
  /// For tests.
  public private(set) var isInvalidated = false

  /// urlsession/init(configuration:delegate:delegatequeue:): copies the configuration; nil for the queue makes a serial one.
  public init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?
  ) {
    self.configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
    self.delegate = delegate
  }

  /// urlsession/data(from:); nothing is loaded here.
  public func data(from url: URL) async throws -> (Data, URLResponse) { throw CancellationError() }

  /// urlsession/finishtasksandinvalidate(): running tasks go on until they end; no new one can be made.
  public func finishTasksAndInvalidate() { isInvalidated = true }
}

/// urlresponse.
public class URLResponse: @unchecked Sendable {
  init() {}
}

/// urlsessiontask.
public class URLSessionTask: @unchecked Sendable {
  /// For tests.
  public init() {}
}

/// urlsessiondelegate; its methods are optional, which only Objective-C's protocols know.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
  /// urlsessiondelegate/urlsession(_:didreceive:completionhandler:): called on the session's delegate queue; the handler
  /// must be called.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

/// urlsessiontaskdelegate.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// urlsessiontaskdelegate/urlsession(_:task:didreceive:completionhandler:): for challenges that aren't the session's.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

extension URLSessionDelegate {
  /// What URLSession does for a delegate without the method.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) { completionHandler(.performDefaultHandling, nil) }
}

extension URLSessionTaskDelegate {
  /// What URLSession does for a delegate without the method.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) { completionHandler(.performDefaultHandling, nil) }
}
#endif

#if HTTPClient
public import NIOCore
public import NIOHTTP1

/// Where connections go: a host and a port.
struct Origin: Hashable, Sendable {
  var host: String
  var port: UInt16
  var address: SocketAddress?
}

/// A request.
public struct PinHTTPRequest: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The host, as ASCII: a name or an address, an IPv6 address without brackets.
  public var host: String
  /// The port.
  public var port: UInt16
  /// The path and query, beginning with `/`, percent-encoded.
  public var target: String
  /// Further header fields; `Host`, `Content-Length` and `Connection` are the client's own.
  public var headers: HTTPHeaders
  /// The body; it is sent at once, without asking for `100 Continue` (RFC 9110, section 10.1.1).
  public var body: ByteBuffer?
  /// Where to connect to; unless given, the host is looked up.
  ///
  /// The manifest is still asked about the host.
  public var address: SocketAddress?

  /// Puts a request together.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - host: The host, as ASCII.
  ///   - port: The port.
  ///   - target: The path and query, beginning with `/`.
  ///   - headers: Further header fields.
  ///   - body: The body.
  public init(
    _ method: HTTPMethod = .GET, host: String, port: UInt16 = 443, target: String = "/", headers: HTTPHeaders = [:],
    body: ByteBuffer? = nil
  ) {
    self.method = method
    self.host = host
    self.port = port
    self.target = target
    self.headers = headers
    self.body = body
  }

  var origin: Origin { Origin(host: host, port: port, address: address) }

  /// Whether doing it twice is as good as once (RFC 9110, section 9.2.2).
  var isRepeatable: Bool {
    [.GET, .HEAD, .PUT, .DELETE, .OPTIONS, .TRACE].contains(HTTPMethod(rawValue: method.rawValue))
  }

  /// What goes first on the wire; nothing that could end a line, or begin another request, gets into it.
  func head() throws(PinHTTPError) -> HTTPRequestHead {
    // Made from its text, so that NIO frames a known method correctly.
    let method = HTTPMethod(rawValue: method.rawValue)
    guard method != .CONNECT else { throw .invalidRequest("CONNECT makes a tunnel, which this client doesn't") }
    guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(isToken) else {
      throw .invalidRequest("the method is not a token")
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ isHostByte($0) }) else {
      throw .invalidRequest("the host has characters that no host has")
    }
    guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw .invalidRequest("the target doesn't begin with '/', or has characters that aren't percent-encoded")
    }
    // NIO sends no length for TRACE, so a body would be read as the next request.
    guard method != .TRACE || (body?.readableBytes ?? 0) == 0 else {
      throw .invalidRequest("TRACE has no body (RFC 9110, section 9.3.8)")
    }
    var fields = HTTPHeaders()
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    fields.add(name: "Host", value: port == 443 ? name : "\(name):\(port)")
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(isToken) else {
        throw .invalidRequest("a header's name is not a token")
      }
      // Field values have only visible characters, spaces and tabs (RFC 9110, section 5.5).
      guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }) else {
        throw .invalidRequest("the header '\(name)' has a control character, as a line break")
      }
      guard !Self.own.contains(name.lowercased()) else {
        throw .invalidRequest("the header '\(name)' is the client's own")
      }
      fields.add(name: name, value: value)
    }
    if body != nil || [.POST, .PUT, .PATCH].contains(method) {
      fields.add(name: "Content-Length", value: String(body?.readableBytes ?? 0))
    }
    return HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: fields)
  }

  /// What decides where a message ends, and who it is for.
  private static let own: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect",
  ]
}

/// RFC 9110, section 5.6.2.
private func isToken(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}

/// Of names, IPv4 and IPv6 addresses.
private func isHostByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
    UInt8(ascii: ":"):
    true
  default: false
  }
}

/// A response, whole.
public struct PinHTTPResponse: Sendable {
  /// The status.
  public var status: HTTPResponseStatus
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body; empty where there is none.
  public var body: ByteBuffer
}

/// Why a request has no response.
public enum PinHTTPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The TLS configuration agrees on other protocols than HTTP/1.1.
  case applicationProtocols
  /// The request can't be sent as it is.
  case invalidRequest(String)
  /// The deadline passed.
  case deadlineExceeded
  /// The response's body is longer than the limit, in bytes.
  case responseTooLong(limit: Int)
  /// The connection closed before the response was whole; whether anything of it had come.
  case closedEarly(nothingReceived: Bool)
  /// What came isn't a HTTP/1.1 response.
  case invalidResponse(String)

  /// What is wrong, for people.
  public var description: String {
    switch self {
    case .applicationProtocols: "the TLS configuration's application protocols hold others than http/1.1"
    case .invalidRequest(let why): "the request can't be sent: \(why)"
    case .deadlineExceeded: "the deadline passed before the response was whole"
    case .responseTooLong(let limit): "the response has more than \(limit) bytes"
    case .closedEarly(nothingReceived: true): "the connection closed before the response began"
    case .closedEarly(nothingReceived: false): "the connection closed before the response was whole"
    case .invalidResponse(let why): "the server did not send a valid HTTP/1.1 response: \(why)"
    }
  }
}
#endif

#if Collector
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// What every answer says to a browser: run nothing, load nothing, keep nothing, show it in no frame.
struct ProtectiveHeaders: RouterMiddleware {
  func handle(
    _ request: Request, context: CollectorContext,
    next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      response = try await next(request, context)
    } catch let problem as Problem {
      response = try problem.response(from: request, context: context)
    } catch let error as any HTTPResponseError {
      response = try Problem(
        status: error.status, code: "not-answered", message: error.status.reasonPhrase.lowercased()
      ).response(from: request, context: context)
    }
    Self.add(to: &response.headers)
    return response
  }

  static func add(to fields: inout HTTPFields) {
    for (name, value) in headers { fields[name] = value }
  }

  private static let headers: [(HTTPField.Name, String)] =
    [
      (.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff"),
      (
        .contentSecurityPolicy,
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      ),
    ]
    + [("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin")].compactMap { name, value in
      HTTPField.Name(name).map { ($0, value) }
    }
}

/// Keeps the pages of other sites from making a browser ask for them.
struct NameGate: RouterMiddleware {
  let names: AskedNames
  let refusals: Refusals

  func handle(
    _ request: Request, context: CollectorContext,
    next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    // The first `Host` becomes the authority; a second one would still be among the fields.
    guard names.allows(request.head.authority), HTTPField.Name("Host").flatMap({ request.headers[$0] }) == nil else {
      throw refuse(
        .wrongHost, .misdirectedRequest, "this collector isn't asked by the name in Host; --host-name adds a name")
    }
    if let origin = request.headers[.origin], !AskedNames.isSame(origin: origin, as: request.head.authority) {
      throw refuse(.foreignOrigin, .forbidden, "the request comes from a page of another site")
    }
    return try await next(request, context)
  }

  private func refuse(_ reason: Refusals.Reason, _ status: HTTPResponse.Status, _ message: String) -> Problem {
    refusals.add(reason)
    return Problem(status: status, code: reason.rawValue, message: message)
  }
}

/// Asks readers for the token, where there is one: as `Authorization: Bearer`, or as the password that a browser asks
/// for, with any name.
struct ReaderGate: RouterMiddleware {
  let token: String?
  let clients: ClientAddress
  /// For those who may read.
  let readers: RateLimiter
  /// For those without the token: however many they are, they take nothing from those who have it.
  let strangers: RateLimiter
  /// Seconds on a clock that never goes back.
  let uptime: @Sendable () -> Double

  func handle(
    _ request: Request, context: CollectorContext,
    next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    let given = Self.token(in: request.headers[.authorization])
    let mayRead = token.map { token in given.map { Self.isSame($0, token) } ?? false } ?? true
    let limiter = mayRead ? readers : strangers
    if let wait = limiter.take(clients.of(context.remoteAddress, request.headers), at: uptime()) {
      throw Problem(
        status: .tooManyRequests, code: "too-many", message: "too many questions in a short time", retryAfter: wait)
    }
    guard mayRead else {
      throw Problem(status: .unauthorized, code: "unauthorized", message: "reading needs the collector's token")
    }
    return try await next(request, context)
  }

  private static func token(in header: String?) -> String? {
    guard let header, let space = header.firstIndex(of: " ") else { return nil }
    let value = String(header[header.index(after: space)...])
    switch header[..<space].lowercased() {
    case "bearer": return value
    case "basic":
      guard let data = Data(base64Encoded: value), let colon = data.firstIndex(of: UInt8(ascii: ":")) else {
        return nil
      }
      return String(decoding: data[data.index(after: colon)...], as: UTF8.self)
    default: return nil
    }
  }

  /// Takes as long for a wrong text as for the right one.
  private static func isSame(_ given: String, _ wanted: String) -> Bool {
    let (given, wanted) = (Array(given.utf8), Array(wanted.utf8))
    var difference = given.count ^ wanted.count
    for index in wanted.indices { difference |= Int(wanted[index] ^ (index < given.count ? given[index] : 0)) }
    return difference == 0
  }
}
#endif

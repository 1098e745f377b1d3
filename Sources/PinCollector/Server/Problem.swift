#if Collector
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Why a request isn't answered as asked, as JSON: `{"error":{"code":…,"message":…}}`.
struct Problem: Error, HTTPResponseError {
  var status: HTTPResponse.Status
  /// A name for programs.
  var code: String
  /// For people: one clause, lower case, no full stop.
  var message: String
  /// After how many seconds another try is worth it.
  var retryAfter: Int?
  /// Whether the rest of the request isn't read.
  var closes = false

  private struct Body: Encodable {
    struct Error: Encodable {
      var code, message: String
    }
    var error: Error
  }

  func response(from request: Request, context: some RequestContext) throws -> Response {
    var headers: HTTPFields = [:]
    if let retryAfter { headers[.retryAfter] = String(retryAfter) }
    if status == .unauthorized { headers[.wwwAuthenticate] = "Basic realm=\"pintle\", charset=\"UTF-8\"" }
    if closes { headers[.connection] = "close" }
    return JSONAnswer.response(Body(error: .init(code: code, message: message)), status: status, headers: headers)
  }

  static let notFound = Problem(status: .notFound, code: "not-found", message: "there is nothing here")
}

/// Answers in JSON.
enum JSONAnswer {
  static func response(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> Response {
    guard let data = try? JSONText.encoder().encode(value) else {
      return Response(status: .internalServerError)
    }
    var headers = headers
    headers[.contentType] = "application/json"
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: Array(data) + [0x0A])))
  }
}
#endif

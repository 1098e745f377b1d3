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

  private struct Body: Encodable {
    struct Error: Encodable {
      var code, message: String
    }
    var error: Error
  }

  func response(from request: Request, context: some RequestContext) throws -> Response {
    Response(status: status, headers: fields, body: ResponseBody(byteBuffer: body))
  }

  /// The whole answer, for where no middleware adds to it.
  var answer: (head: HTTPResponse, body: ByteBuffer) {
    var fields = fields
    ProtectiveHeaders.add(to: &fields)
    fields[.contentLength] = String(body.readableBytes)
    return (HTTPResponse(status: status, headerFields: fields), body)
  }

  private var fields: HTTPFields {
    var fields: HTTPFields = [.contentType: "application/json"]
    if let retryAfter { fields[.retryAfter] = String(retryAfter) }
    if status == .unauthorized { fields[.wwwAuthenticate] = "Basic realm=\"pintle\", charset=\"UTF-8\"" }
    return fields
  }

  private var body: ByteBuffer {
    JSONAnswer.buffer(Body(error: .init(code: code, message: message))) ?? ByteBuffer()
  }

  static let notFound = Problem(status: .notFound, code: "not-found", message: "there is nothing here")
}

/// Answers in JSON.
enum JSONAnswer {
  static func response(_ value: some Encodable) -> Response {
    guard let buffer = buffer(value) else { return Response(status: .internalServerError) }
    return Response(
      status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: buffer))
  }

  fileprivate static func buffer(_ value: some Encodable) -> ByteBuffer? {
    (try? JSONText.encoder().encode(value)).map { ByteBuffer(bytes: Array($0) + [0x0A]) }
  }
}
#endif

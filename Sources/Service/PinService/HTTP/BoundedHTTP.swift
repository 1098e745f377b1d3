#if Service
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PinValidator

/// Requests that end: one deadline for all of a request, from the name lookup to the last byte, and a cap on bytes.
///
/// AsyncHTTPClient's own deadline ends with the head of the response, which a server that trickles its body survives.
struct BoundedHTTP: Sendable {
  let client: HTTPClient
  let clock: any Clock<Duration>

  /// What a server answered.
  struct Response: Sendable {
    let status: UInt
    let headers: HTTPHeaders
    /// The body of a response of status 200, unless it was written to a file; bodies of others are not read.
    let body: [UInt8]
  }

  /// Does all that belongs together under one deadline.
  ///
  /// - Parameters:
  ///   - deadline: How long it may take.
  ///   - work: The requests.
  /// - Returns: What the work returned.
  /// - Throws: ``FetchFailure``, of code `timeout` at the deadline.
  func within(
    _ deadline: Duration, _ work: @escaping @Sendable () async throws(FetchFailure) -> Response
  ) async throws(FetchFailure) -> Response {
    let answer = await withTaskGroup(of: Result<Response, FetchFailure>.self) { group in
      group.addTask {
        do throws(FetchFailure) { return .success(try await work()) } catch { return .failure(error) }
      }
      group.addTask {
        try? await clock.sleep(for: deadline)
        return .failure(FetchFailure(.timeout, "there was no whole response within \(deadline)"))
      }
      // The first to finish decides; the other result is discarded.
      let first = await group.next() ?? .failure(FetchFailure(.connection, "nothing was asked"))
      group.cancelAll()
      return first
    }
    guard !Task.isCancelled else { throw FetchFailure(.cancelled, "the service is shutting down") }
    return try answer.get()
  }

  /// Makes a request, without a deadline of its own.
  ///
  /// - Parameters:
  ///   - request: What to ask.
  ///   - limit: The most bytes of a body. One more byte ends the exchange, whatever `Content-Length` said.
  ///     Nil where no body is wanted.
  ///   - file: Where the body is written; in memory unless given.
  /// - Returns: The response.
  /// - Throws: ``FetchFailure``.
  func exchange(
    _ request: HTTPClientRequest, limit: Int?, into file: UnnamedFile? = nil
  ) async throws(FetchFailure) -> Response {
    do {
      let response = try await client.execute(request, deadline: .now() + .hours(24))
      let status = response.status.code
      guard let limit, status == 200 else {
        return Response(status: status, headers: response.headers, body: [])
      }
      // Accept-Encoding forbids any encoding. An encoded body is rejected, so nothing can expand here.
      for encoding in response.headers[canonicalForm: "content-encoding"] where encoding.lowercased() != "identity" {
        throw FetchFailure(.encoded, "the body is encoded, which was not asked for")
      }
      if let length = response.headers.first(name: "content-length").flatMap({ Int($0) }), length > limit {
        throw FetchFailure.tooLarge(limit)
      }
      var body: [UInt8] = []
      var count = 0
      for try await part in response.body {
        count += part.readableBytes
        guard count <= limit else { throw FetchFailure.tooLarge(limit) }
        if let file {
          try part.withUnsafeReadableBytes { try file.append($0) }
        } else {
          body.append(contentsOf: part.readableBytesView)
        }
      }
      return Response(status: status, headers: response.headers, body: body)
    } catch let failure as FetchFailure {
      throw failure
    } catch let error as FileError {
      throw FetchFailure(.disk, error.message)
    } catch {
      throw FetchFailure(.connection, Self.describe(error))
    }
  }

  /// What went wrong, for people; without the URL, which may hold a secret.
  private static func describe(_ error: any Error) -> String {
    if let refused = error as? CollectorRefused { return refused.message }
    let text = (error as? HTTPClientError)?.shortDescription ?? String(describing: error)
    return text.count <= 200 ? text : text.prefix(200) + "…"
  }
}
#endif

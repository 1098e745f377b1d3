import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PinFormat

/// Takes reports: whoever sends them, in whatever format, as long as they are small, few and well formed.
struct Receiver: Sendable {
  let settings: CollectorSettings
  let limiter: RateLimiter
  let intake: Intake
  let refusals: Refusals
  /// Seconds on a clock that never goes back.
  let uptime: @Sendable () -> Double
  let now: @Sendable () -> Instant

  func receive(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let address = ClientAddress.of(request, context, trustsForwarded: settings.trustsForwarded)
    if let wait = limiter.take(address, at: uptime()) {
      throw refuse(
        .tooMany, .tooManyRequests, "too many reports in a short time", retryAfter: wait,
        closes: request.headers[.contentLength] != "0")
    }
    if (request.headers[.contentEncoding] ?? "identity") != "identity" {
      throw refuse(.unsupported, .unsupportedMediaType, "a report isn't compressed", closes: true)
    }
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > settings.maximumBody {
      throw refuse(.tooLarge, .contentTooLarge, "a report has at most \(settings.maximumBody) bytes", closes: true)
    }
    let arrival = try decode(try await body(of: request, context), request.headers[.contentType])
    do throws(IntakeError) {
      _ = try await intake.take(arrival)
    } catch {
      let reason: Refusals.Reason = error == .busy ? .busy : .notStored
      throw refuse(reason, .serviceUnavailable, "the report can't be stored now", retryAfter: 30)
    }
    return Response(status: .noContent)
  }

  /// The body, if all of it comes soon enough.
  private func body(of request: Request, _ context: CollectorContext) async throws -> [UInt8] {
    let channel = context.channel
    // Whoever sends a byte now and then would be waited for endlessly otherwise.
    let deadline = channel.eventLoop.scheduleTask(in: .seconds(settings.requestSeconds)) {
      channel.close(promise: nil)
    }
    defer { deadline.cancel() }
    var request = request
    do {
      return Array(buffer: try await request.collectBody(upTo: settings.maximumBody))
    } catch {
      throw refuse(.tooLarge, .contentTooLarge, "a report has at most \(settings.maximumBody) bytes", closes: true)
    }
  }

  private func decode(_ bytes: [UInt8], _ contentType: String?) throws -> Arrival {
    let arrival: Arrival
    do throws(ReadingProblem) {
      arrival = try ReportDecoding.arrival(of: bytes, contentType: contentType, at: now())
    } catch {
      if error.isUnsupported { throw refuse(.unsupported, .unsupportedMediaType, error.message) }
      if error.isTooLarge { throw refuse(.tooLarge, .contentTooLarge, error.message) }
      throw refuse(.notRead, .badRequest, error.message)
    }
    if case .mismatch(let sighting) = arrival, !isAccepted(sighting.host) {
      throw refuse(.foreignHost, .forbidden, "the report is about a host that isn't this collector's")
    }
    return arrival
  }

  private func isAccepted(_ host: String) -> Bool {
    settings.acceptedHosts.isEmpty || settings.acceptedHosts.contains { host == $0 || host.hasSuffix("." + $0) }
  }

  private func refuse(
    _ reason: Refusals.Reason, _ status: HTTPResponse.Status, _ message: String, retryAfter: Int? = nil,
    closes: Bool = false
  ) -> Problem {
    refusals.add(reason)
    return Problem(status: status, code: reason.rawValue, message: message, retryAfter: retryAfter, closes: closes)
  }
}

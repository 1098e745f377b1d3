#if Collector
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PinFormat
import PinReports

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
    } catch is NIOTooManyBytesError {
      throw refuse(.tooLarge, .contentTooLarge, "a report has at most \(settings.maximumBody) bytes", closes: true)
    } catch {
      throw refuse(.notRead, .badRequest, "the request breaks off", closes: true)
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
    guard let own = ownPart(of: arrival) else {
      throw refuse(.foreignHost, .forbidden, "the report is about a host that isn't this collector's")
    }
    return own
  }

  /// What is about this collector's hosts; nil where nothing is.
  ///
  /// Of daily counts the other entries are left out.
  private func ownPart(of arrival: Arrival) -> Arrival? {
    guard !settings.acceptedHosts.isEmpty else { return arrival }
    switch arrival {
    case .mismatch(let sighting): return isAccepted(sighting.host) ? arrival : nil
    case .aggregate(var report, let fingerprint, let bytes):
      let count = report.hosts.count
      report.hosts.removeAll { !isAccepted(Self.host(ofEntry: $0.entry)) }
      if count > 0, report.hosts.isEmpty { return nil }
      return .aggregate(report: report, fingerprint: fingerprint, bytes: bytes)
    }
  }

  /// The host of `host:port` and `[address]:port`, as entries with a port are called.
  private static func host(ofEntry entry: String) -> String {
    guard let colon = entry.lastIndex(of: ":"), UInt16(entry[entry.index(after: colon)...]) != nil else { return entry }
    let host = entry[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { return String(host.dropFirst().dropLast()) }
    return host.contains(":") ? entry : String(host)
  }

  private func isAccepted(_ host: String) -> Bool {
    settings.acceptedHosts.contains { host == $0 || host.hasSuffix("." + $0) }
  }

  private func refuse(
    _ reason: Refusals.Reason, _ status: HTTPResponse.Status, _ message: String, retryAfter: Int? = nil,
    closes: Bool = false
  ) -> Problem {
    refusals.add(reason)
    return Problem(status: status, code: reason.rawValue, message: message, retryAfter: retryAfter, closes: closes)
  }
}
#endif

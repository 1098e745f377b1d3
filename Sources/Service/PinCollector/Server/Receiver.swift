#if Collector
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PinFormat
import PinReports

/// Takes reports: anybody who sends them, in whatever format, as long as they are few and well formed.
///
/// How long and how slow they may be is up to ``RequestLimits``.
struct Receiver: Sendable {
  let settings: CollectorSettings
  let clients: ClientAddress
  let limiter: RateLimiter
  let intake: Intake
  let refusals: Refusals
  /// Seconds on a clock that never goes back.
  let uptime: @Sendable () -> Double
  let now: @Sendable () -> Instant

  func receive(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let address = clients.of(context.remoteAddress, request.headers)
    if let wait = limiter.take(address, at: uptime()) {
      throw refuse(.tooMany, .tooManyRequests, "too many reports in a short time", retryAfter: wait)
    }
    if (request.headers[.contentEncoding] ?? "identity") != "identity" {
      throw refuse(.unsupported, .unsupportedMediaType, "a report isn't compressed")
    }
    let type = request.headers[.contentType] ?? ""
    guard Self.isReport(type) else {
      throw refuse(
        .unsupported, .unsupportedMediaType, "a report has the Content-Type application/json, or that of daily counts")
    }
    let arrival = try decode(try await body(of: request), type)
    do throws(IntakeError) {
      _ = try await intake.take(arrival)
    } catch {
      let reason: Refusals.Reason = error == .busy ? .busy : .notStored
      throw refuse(reason, .serviceUnavailable, "the report can't be stored now", retryAfter: 30)
    }
    return Response(status: .noContent)
  }

  /// The body, if all of it comes.
  private func body(of request: Request) async throws -> [UInt8] {
    var request = request
    do {
      return Array(buffer: try await request.collectBody(upTo: settings.maximumBody))
    } catch is CutOff {
      throw Problem(status: .requestTimeout, code: "cut-off", message: "the request was cut off")
    } catch {
      throw refuse(.notRead, .badRequest, "the request breaks off")
    }
  }

  /// Whether a media type is one of reports.
  ///
  /// It has to be given, and isn't `text/plain`: else a page of any site could have a browser send reports without asking
  /// the collector first (the Fetch standard's safelisted types).
  private static func isReport(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    return ["application/json", "text/json", AggregateReport.mediaType].contains(type)
  }

  private func decode(_ bytes: [UInt8], _ contentType: String) throws -> Arrival {
    let arrival: Arrival
    do throws(ReadingProblem) {
      arrival = try ReportDecoding.arrival(of: bytes, contentType: contentType, at: now())
    } catch {
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
    _ reason: Refusals.Reason, _ status: HTTPResponse.Status, _ message: String, retryAfter: Int? = nil
  ) -> Problem {
    refusals.add(reason)
    return Problem(status: status, code: reason.rawValue, message: message, retryAfter: retryAfter)
  }
}
#endif

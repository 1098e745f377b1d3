#if Service
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import PinFormat
import PinNIOSSL
import PinReports
import PinValidator

/// Makes one delivery at a time, with POST.
///
/// The connection is validated by AsyncHTTPClient and then asked about as any other of the service: where the manifest
/// pins the collector's host, its pins hold (RFC 7469 section 2.1.4), judged by the leaf, which is what AsyncHTTPClient
/// shows. A collector whose entry can't be judged so gets nothing. Only the status of a response is read.
struct ReportSender: Sendable {
  let settings: HTTPSettings
  let store: PinStore
  let clock: any Clock<Duration>
  /// How long a delivery may take, from the name lookup to the status.
  static let deadline = Duration.seconds(30)
  private static let maximumRedirects = 3

  /// What came of a delivery, and why it failed where it did.
  struct Result: Sendable {
    let outcome: DeliveryOutcome
    let failure: FetchFailure?
  }

  private struct Payload {
    let bytes: [UInt8]
    let mediaType: String
  }

  /// Sends what a queue gave out.
  func send(_ delivery: Delivery) async -> Result {
    await send(delivery.body, delivery.mediaType, to: delivery.uri)
  }

  /// Sends a report; ends at the deadline, and at once where the task is cancelled.
  func send(_ body: [UInt8], _ mediaType: String, to uri: String) async -> Result {
    let address: WebAddress
    do throws(AddressError) {
      address = try WebAddress(uri, allowsPlainHTTP: false)
    } catch {
      return Result(outcome: .rejected, failure: FetchFailure(.connection, "the address " + error.message))
    }
    if let limit = store.validator?.manifest.limit(
      ofLeafOnly: .leaf, host: address.name, port: UInt16(truncatingIfNeeded: address.port))
    {
      let failure = FetchFailure(.connection, "the collector is pinned, and " + limit.description)
      return Result(outcome: .retryLater(afterSeconds: nil), failure: failure)
    }
    let client = settings.makeClient(asking: store, about: address)
    let result = await post(
      Payload(bytes: body, mediaType: mediaType), to: address, by: BoundedHTTP(client: client, clock: clock))
    try? await client.shutdown()
    return result
  }

  private func post(_ payload: Payload, to address: WebAddress, by http: BoundedHTTP) async -> Result {
    do throws(FetchFailure) {
      let response = try await http.within(Self.deadline) { () async throws(FetchFailure) in
        try await self.follow(payload, from: address, by: http)
      }
      let now = store.now
      let seconds = response.headers.first(name: "retry-after").flatMap {
        RetryAfter.seconds($0, at: now, most: .max)
      }
      let outcome = DeliveryOutcome(status: Int(response.status), retryAfterSeconds: seconds)
      let failure = FetchFailure(.status, "status \(response.status)")
      return Result(outcome: outcome, failure: outcome == .delivered ? nil : failure)
    } catch {
      return Result(outcome: .retryLater(afterSeconds: nil), failure: error)
    }
  }

  /// Posts, and posts again where a redirect that keeps the method stays on host, port and scheme.
  private func follow(
    _ payload: Payload, from start: WebAddress, by http: BoundedHTTP
  ) async throws(FetchFailure) -> BoundedHTTP.Response {
    var address = start
    for _ in 0...Self.maximumRedirects {
      var request = HTTPClientRequest(url: address.text)
      request.method = .POST
      request.headers.add(name: "user-agent", value: settings.userAgent)
      request.headers.add(name: "content-type", value: payload.mediaType)
      request.headers.add(name: "accept-encoding", value: "identity")
      request.body = .bytes(ByteBuffer(bytes: payload.bytes))
      let response = try await http.exchange(request, limit: nil)
      guard response.status == 307 || response.status == 308,
        let next = response.headers.first(name: "location").flatMap({ address.redirected(to: $0) })
      else { return response }
      address = next
    }
    throw FetchFailure(.redirect, "there are more than \(Self.maximumRedirects) redirects")
  }
}

extension HTTPSettings {
  /// A client for one host, whose connections a store is asked about before anything is sent on them.
  func makeClient(asking store: PinStore, about address: WebAddress) -> HTTPClient {
    makeClient { configuration in
      configuration.httpVersion = .http1Only
      configuration.http1_1ConnectionDebugInitializer = { channel in
        channel.nioSSL_peerCertificate().and(channel.nioSSL_tlsVersion()).flatMapThrowing { certificate, version in
          guard let certificate else { throw CollectorRefused(message: "the collector presented no certificate") }
          let handshake = PeerHandshake(
            host: address.name, port: UInt16(truncatingIfNeeded: address.port),
            certificates: [try certificate.toDERBytes()], tlsVersion: PinFormat.TLSVersion(version))
          let decision = store.evaluate(handshake, transport: .leafOnly)
          guard decision.disposition != .cancel else {
            throw CollectorRefused(message: "the collector is refused: " + decision.explanation)
          }
        }
      }
    }
  }
}

/// A collector's certificate that the manifest objects to.
struct CollectorRefused: Error, CustomStringConvertible {
  let message: String

  var description: String { message }
}
#endif

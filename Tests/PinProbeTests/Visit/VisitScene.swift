import PinFormat
import PinProbe
import TestSupport
import Testing

/// Targets with addresses, and what became of visiting them.
struct VisitScene {
  var targets: [ProbeTarget] = []
  var stops: [Stop] = []
  var settings: VisitQueue.Settings
  var unresolved: [Int: Evidence.Failure] = [:]

  static let instant = Instant(secondsSinceEpoch: 1_795_219_200)

  init(_ hosts: [(String, [String])], offers: [Evidence.Offer] = Evidence.Offer.all) throws {
    settings = VisitQueue.Settings(at: Self.instant)
    settings.offers = offers
    for (number, (host, addresses)) in hosts.enumerated() {
      targets.append(ProbeTarget(host: try HostName(canonicalising: host), port: 443))
      for address in addresses {
        let parsed: IPAddress = try #require(IPAddress(address))
        stops.append(Stop(target: number, address: parsed, port: 443))
      }
      if addresses.isEmpty { unresolved[number] = Evidence.Failure(.nameNotResolved, "there is no such name") }
    }
  }

  func evidence(
    _ engine: FakeEngine, atOnce: Int = 1, order: (Int) -> Int = { _ in 0 }, _ script: FakeEngine.Script
  ) -> Evidence {
    let queue = VisitQueue(targets: targets, stops: stops, settings: settings, surroundings: engine.surroundings)
    engine.run(queue, atOnce: atOnce, order: order, script: script)
    return queue.takeLedger().evidence(
      of: targets, at: stops, unresolved: unresolved, from: Self.instant, until: Self.instant.adding(seconds: 5),
      tool: "test")
  }
}

/// An exchange that shows these certificates.
func exchange(_ chain: [[UInt8]], date: String? = nil) -> Exchange {
  Exchange(servedChain: chain, tlsVersion: .tls13, date: date)
}

func failure(_ code: ConnectionFailure) -> Result<Exchange, TLSClientError> {
  .failure(TLSClientError(code, code.rawValue))
}

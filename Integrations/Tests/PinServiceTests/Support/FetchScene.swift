import PinFormat
import PinValidator
import Testing

@testable import PinService

/// A store with serial 5 in force, servers, and a fetcher between them.
struct FetchScene {
  let releases = Releases()
  let wall = WallClock()
  let store: PinStore
  var settings = FetchSettings(urls: [])
  var http = HTTPSettings()
  var pacing = Pacing()

  init(floor: Int64 = 5, maximumBytes: Int = 1 << 20) throws {
    let wall = wall
    var pins = try releases.settings { wall.now }
    pins.maximumBytes = maximumBytes
    store = PinStore(pins)
    try store.update(releases.file(serial: floor))
    settings.allowsPlainHTTP = true
  }

  /// What a fetch from these URLs comes to, in the fetcher that `body` may use again.
  func fetching<Result>(
    _ urls: [String], _ body: (ManifestFetcher) async throws -> Result
  ) async throws -> Result {
    var settings = settings
    settings.urls = urls
    let fetcher = try ManifestFetcher(settings, http: http, into: store, pacing: pacing)
    do {
      let result = try await body(fetcher)
      await fetcher.shutdown()
      return result
    } catch {
      await fetcher.shutdown()
      throw error
    }
  }

  /// The serial in force; the last good manifest is in force and the floor has not dropped.
  func expect(serial: Int64, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(store.validator?.manifest.serial == serial, sourceLocation: sourceLocation)
    #expect(store.status.highestSerial == serial, sourceLocation: sourceLocation)
    #expect(throws: UpdateError.self, sourceLocation: sourceLocation) {
      try store.update(releases.file(serial: serial - 1))
    }
  }
}

extension FetchRound {
  var names: [String] { attempts.map { $0.result.name } }
}

#if Service
import PinFormat
import PinValidator
import Testing

@testable import PinService

/// A store with serial 5 in force, servers, and a fetcher between them.
struct FetchScene {
  let keysets = Keysets()
  let releases: Releases
  let wall = WallClock()
  let store: PinStore
  var settings = FetchSettings(urls: [])
  var http = HTTPSettings()
  var pacing = Pacing()

  /// Opens the store: with fixed signers, or with keyset 1, whose signer is Alice; where `floor` is nil, empty.
  init(
    floor: Int64? = 5, maximumBytes: Int = 1 << 20, underKeyset: Bool = false,
    _ adjust: (inout PinStoreSettings) -> Void = { _ in }
  ) throws {
    let wall = wall
    releases = underKeyset ? Releases(key: keysets.alice) : Releases()
    var pins = try underKeyset ? keysets.settings { wall.now } : releases.settings { wall.now }
    adjust(&pins)
    pins.maximumBytes = maximumBytes
    store = PinStore(pins)
    if let floor { try store.update(releases.file(serial: floor)) }
    settings.allowsPlainHTTP = true
  }

  /// What a fetch from these URLs comes to, in the fetcher that `body` may use again.
  func fetching<Result>(
    _ urls: [String], keysets templates: [String] = [], _ body: (ManifestFetcher) async throws -> Result
  ) async throws -> Result {
    var settings = settings
    settings.urls = urls
    settings.keysetURLs = templates
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

extension KeysetFetch {
  /// What came of each request, such as `2 activated`.
  var names: [String] { attempts.map { "\($0.version) \($0.result.name)" } }
}
#endif

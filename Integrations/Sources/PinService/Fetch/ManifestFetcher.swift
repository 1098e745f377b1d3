import AsyncHTTPClient
import NIOHTTP1
import PinFormat
public import PinValidator

/// Brings manifests from URLs into a ``PinStore``.
///
/// **The fetch that brings a manifest is not governed by a pin of that manifest.** Its connection is validated as any
/// other of AsyncHTTPClient, by the system's trust anchors and the host's name (WebPKI), even where the manifest pins that
/// very host. Otherwise a wrong pin could never be corrected: the manifest that corrects it would have to come over the
/// connection that the wrong pin blocks. Trust in a manifest comes from its signatures, which the store verifies over the
/// bytes as they came, and from its serial; never from the connection.
///
/// What a server sends is bounded in time and bytes, and nothing about it is believed: an entity tag only saves a
/// transfer. It is remembered only for bytes that the store took, and from the manifest's `refresh-after` on requests are
/// unconditional and each URL is asked until one has something fresh. So neither a wrong tag nor one stale mirror holds an
/// update back.
public actor ManifestFetcher {
  private let settings: FetchSettings
  private let store: PinStore
  private let userAgent: String
  private let client: HTTPClient
  private let http: BoundedHTTP
  private var sources: [FetchSource]
  private static let maximumRedirects = 3

  /// Makes a fetcher; ``shutdown()`` has to be called before it goes.
  ///
  /// - Parameters:
  ///   - settings: Where from, and how patiently.
  ///   - http: How requests are made.
  ///   - store: What takes the manifests.
  ///   - pacing: What the deadline is measured by.
  /// - Throws: ``ServiceSettingsError`` where a URL can't be used, or there is none.
  public init(
    _ settings: FetchSettings, http: HTTPSettings = HTTPSettings(), into store: PinStore, pacing: Pacing = Pacing()
  ) throws(ServiceSettingsError) {
    sources = try Self.sources(settings)
    self.settings = settings
    self.store = store
    userAgent = http.userAgent
    client = http.makeClient()
    self.http = BoundedHTTP(client: client, clock: pacing.clock)
  }

  /// The URLs, checked.
  static func sources(_ settings: FetchSettings) throws(ServiceSettingsError) -> [FetchSource] {
    var sources: [FetchSource] = []
    for (index, url) in settings.urls.enumerated() {
      do throws(AddressError) {
        sources.append(FetchSource(address: try WebAddress(url, allowsPlainHTTP: settings.allowsPlainHTTP)))
      } catch {
        // The URL itself is not repeated: it may hold a secret.
        throw ServiceSettingsError("pintle.fetch.urls", "URL \(index + 1) \(error.message)")
      }
    }
    guard !sources.isEmpty else { throw ServiceSettingsError("pintle.fetch.urls", "names no URL") }
    return sources
  }

  /// Asks the URLs in their order until one has something fresh, and hands what they send to the store.
  ///
  /// Never fails as a whole: whatever servers do, the last good manifest stays in force.
  ///
  /// - Returns: What came of it.
  public func fetch() async -> FetchRound {
    var attempts: [FetchRound.Attempt] = []
    for index in sources.indices {
      let result = await ask(index)
      attempts.append(FetchRound.Attempt(url: sources[index].address.shown, result: result))
      switch result {
      case .activated, .unchanged, .notModified:
        // Past refresh-after, a URL that has nothing newer isn't the last word.
        if isFresh { return round(attempts) }
      case .rejected, .failed: if Task.isCancelled { return round(attempts) }
      }
    }
    return round(attempts)
  }

  /// Closes the connections; nothing can be fetched afterwards.
  public func shutdown() async {
    try? await client.shutdown()
  }

  private var isFresh: Bool { store.status.freshness == .fresh }

  private func round(_ attempts: [FetchRound.Attempt]) -> FetchRound {
    let now = store.now
    let waits = sources.map { max(0, $0.notBefore?.seconds(since: now) ?? 0) }
    return FetchRound(attempts: attempts, patience: waits.min() ?? 0)
  }

  private func ask(_ index: Int) async -> FetchRound.Result {
    let source = sources[index]
    if let notBefore = source.notBefore, store.now < notBefore {
      return .failed(FetchFailure(.waiting, "the server asked to be left alone until \(notBefore)"))
    }
    sources[index].notBefore = nil
    let known = isFresh ? source.validators.flatMap { $0.manifest == inForce ? $0 : nil } : nil
    let response: BoundedHTTP.Response
    do throws(FetchFailure) {
      response = try await http.within(settings.deadline) { () async throws(FetchFailure) in
        try await self.get(source.address, unless: known)
      }
    } catch {
      return .failed(error)
    }
    switch response.status {
    case 200: return await take(response, from: index)
    case 304 where known != nil: return .notModified
    case 304:
      // It names something that it was not asked about, so nothing that it called its own is relied on any more.
      sources[index].validators = nil
      return .failed(FetchFailure(.unexpectedNotModified, "304 Not Modified, where all was asked for"))
    default:
      heedRetryAfter(response, of: index)
      return .failed(FetchFailure(.status, "status \(response.status)"))
    }
  }

  private func take(_ response: BoundedHTTP.Response, from index: Int) async -> FetchRound.Result {
    let store = store
    let taken = await blocking { () -> Result<PinStore.Activation, UpdateError> in
      do throws(UpdateError) { return .success(try store.update(response.body)) } catch { return .failure(error) }
    }
    switch taken {
    case .failure(let error):
      sources[index].validators = nil
      return .rejected(error)
    case .success(.activated(let manifest, _)):
      remember(manifest, response, of: index)
      return .activated(serial: manifest.serial)
    case .success(.unchanged(let manifest)):
      remember(manifest, response, of: index)
      return .unchanged
    }
  }

  private func remember(_ manifest: LoadedManifest, _ response: BoundedHTTP.Response, of index: Int) {
    let digest = try? manifest.signedDigest()
    sources[index].validators = digest.flatMap { FetchSource.Validators(response.headers, of: $0) }
  }

  private var inForce: SHA256Digest? { (try? store.validator?.manifest.signedDigest()) ?? nil }

  private func heedRetryAfter(_ response: BoundedHTTP.Response, of index: Int) {
    guard response.status == 429 || response.status == 503,
      let field = response.headers.first(name: "retry-after"),
      let seconds = RetryAfter.seconds(field, at: store.now, most: settings.longestRetryAfter.components.seconds)
    else { return }
    sources[index].notBefore = store.now.adding(seconds: seconds)
  }

  /// Asks for a manifest; redirects are followed on the same host, port and scheme only.
  private func get(
    _ start: WebAddress, unless known: FetchSource.Validators?
  ) async throws(FetchFailure) -> BoundedHTTP.Response {
    var address = start
    for _ in 0...Self.maximumRedirects {
      var request = HTTPClientRequest(url: address.text)
      request.headers.add(name: "user-agent", value: userAgent)
      request.headers.add(name: "accept", value: "application/json, */*;q=0.1")
      request.headers.add(name: "accept-encoding", value: "identity")
      if let tag = known?.entityTag { request.headers.add(name: "if-none-match", value: tag) }
      if let date = known?.lastModified { request.headers.add(name: "if-modified-since", value: date) }
      let response = try await http.exchange(request, limit: store.settings.maximumBytes)
      guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
      guard let location = response.headers.first(name: "location") else {
        throw FetchFailure(.redirect, "a redirect of status \(response.status) leads nowhere")
      }
      guard let next = address.redirected(to: location) else {
        throw FetchFailure(.redirect, "a redirect leads to another host, port or scheme, which is not followed")
      }
      address = next
    }
    throw FetchFailure(.redirect, "there are more than \(Self.maximumRedirects) redirects")
  }
}

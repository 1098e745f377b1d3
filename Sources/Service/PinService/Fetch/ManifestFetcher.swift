#if Service
import AsyncHTTPClient
import PinFormat
public import PinValidator

/// Brings manifests, and the keysets that say who may sign them, from URLs into a ``PinStore``.
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
/// update back. Of keysets, all mirrors are asked for the next version in each round, before the manifest is: one that
/// hides it is found out by the others, and by ``ServiceStatus/keysetDaysLeft``.
public actor ManifestFetcher {
  private let settings: FetchSettings
  private let store: PinStore
  private let client: HTTPClient
  private let requests: FileRequests
  private let keysets: KeysetWalker
  private var sources: [FetchSource]

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
    let templates = try Self.templates(settings)
    try settings.check(against: store.settings)
    self.settings = settings
    self.store = store
    client = http.makeClient()
    requests = FileRequests(http: BoundedHTTP(client: client, clock: pacing.clock), userAgent: http.userAgent)
    keysets = KeysetWalker(templates, settings, requests, into: store)
  }

  /// The URLs, checked.
  static func sources(_ settings: FetchSettings) throws(ServiceSettingsError) -> [FetchSource] {
    var sources: [FetchSource] = []
    for (index, url) in settings.urls.enumerated() {
      do throws(AddressError) {
        sources.append(FetchSource(address: try WebAddress(url, allowsPlainHTTP: settings.allowsPlainHTTP)))
      } catch {
        // The message doesn't repeat the URL, which may contain a secret.
        throw ServiceSettingsError("pintle.fetch.urls", "URL \(index + 1) \(error.message)")
      }
    }
    guard !sources.isEmpty else { throw ServiceSettingsError("pintle.fetch.urls", "names no URL") }
    return sources
  }

  /// The templates of keysets, checked.
  static func templates(_ settings: FetchSettings) throws(ServiceSettingsError) -> [KeysetTemplate] {
    var templates: [KeysetTemplate] = []
    for (index, url) in settings.keysetURLs.enumerated() {
      do throws(AddressError) {
        templates.append(try KeysetTemplate(url, allowsPlainHTTP: settings.allowsPlainHTTP))
      } catch {
        throw ServiceSettingsError("pintle.keyset.urls", "URL \(index + 1) \(error.message)")
      }
    }
    return templates
  }

  /// Asks the URLs in their order until one has something fresh, and hands what they send to the store; before that, takes
  /// the keysets that the mirrors have.
  ///
  /// What becomes of the keysets never keeps the manifest from being asked for. Never fails as a whole: whatever servers
  /// do, the last good keyset and the last good manifest stay in force.
  ///
  /// - Returns: The result.
  public func fetch() async -> FetchRound {
    let walk = await keysets.walk()
    var attempts: [FetchRound.Attempt] = []
    if Task.isCancelled { return round(attempts, walk) }
    for index in sources.indices {
      let result = await ask(index)
      attempts.append(FetchRound.Attempt(url: sources[index].address.shown, result: result))
      switch result {
      case .activated, .unchanged, .notModified:
        // After refresh-after, try the other URLs if this one has nothing newer.
        if isSettled { return round(attempts, walk) }
      case .rejected, .failed: if Task.isCancelled { return round(attempts, walk) }
      }
    }
    return round(attempts, walk)
  }

  /// Closes the connections; nothing can be fetched afterwards.
  public func shutdown() async {
    try? await client.shutdown()
  }

  private var isSettled: Bool { store.status.isSettled }

  private func round(_ attempts: [FetchRound.Attempt], _ keysets: KeysetFetch) -> FetchRound {
    let now = store.now
    let waits = sources.map { $0.patience.seconds(at: now) }
    return FetchRound(attempts: attempts, keysets: keysets, patience: waits.min() ?? 0)
  }

  private func ask(_ index: Int) async -> FetchRound.Result {
    if let refusal = sources[index].patience.refusal(at: store.now) { return .failed(refusal) }
    let source = sources[index]
    let known = isSettled ? source.validators.flatMap { $0.manifest == inForce ? $0 : nil } : nil
    let response: BoundedHTTP.Response
    let file: UnnamedFile
    do throws(FetchFailure) {
      let limit = settings.downloadLimit(
        inForce: store.validator?.manifest.fileByteCount, most: store.settings.maximumBytes)
      let requests = requests
      file = try temporaryFile()
      let body = file
      response = try await requests.http.within(settings.deadline) { () async throws(FetchFailure) in
        try await requests.get(source.address, unless: known, limit: limit, into: body)
      }
    } catch {
      return .failed(error)
    }
    switch response.status {
    case 200: return await take(file, response, from: index)
    case 304 where known != nil: return .notModified
    case 304:
      // The server answered 304 to a request without validators, so the stored ones are no longer used.
      sources[index].validators = nil
      return .failed(FetchFailure(.unexpectedNotModified, "304 Not Modified, where all was asked for"))
    default:
      let most = settings.longestPatience(inForce: store.validator != nil)
      sources[index].patience.heed(response, at: store.now, most: most)
      return .failed(FetchFailure(.status, "status \(response.status)"))
    }
  }

  /// A place for what a server sends: beside the store's own files, or with other temporary ones where that folder takes
  /// nothing; anything but a manifest is rejected anyway.
  private func temporaryFile() throws(FetchFailure) -> UnnamedFile {
    if let folder = store.settings.directory, let file = try? UnnamedFile(in: folder) { return file }
    do throws(FileError) { return try UnnamedFile(in: nil) } catch { throw FetchFailure(.disk, error.message) }
  }

  private func take(
    _ file: UnnamedFile, _ response: BoundedHTTP.Response, from index: Int
  ) async -> FetchRound.Result {
    let store = store
    switch await updating({ () throws(UpdateError) in try store.update(file) }) {
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

}

extension PinStore.Status {
  /// Whether nothing is missing: the manifest is fresh, the keyset in force endorses it, and that hasn't expired; and
  /// where the manifest came with the program, it is of the keyset's epoch, or older ones could come back there.
  ///
  /// As long as anything is, all is asked for and often, so that neither a wrong tag nor an outdated mirror holds
  /// back what is needed.
  var isSettled: Bool {
    freshness == .fresh && isEndorsed && !isKeysetExpired && manifest.map { $0.serial <= highestSerial } ?? true
  }
}
#endif

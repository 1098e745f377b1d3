package import PinFormat

/// Asks servers, and records what they show.
package struct Prober: Sendable {
  /// How servers are asked.
  package struct Settings: Sendable {
    package var visits: VisitQueue.Settings
    /// Most handshakes that are under way at any time.
    package var jobs = 64
    /// Where to connect in place of what DNS says.
    package var detours: [Detour] = []
    /// The DNS servers to ask; none for the system's.
    package var resolvers: [Endpoint] = []
    package var credentials: ClientCredentials?
    package var proxy: Proxy?
    /// The network to keep to; nil for any.
    package var limit: NetworkLimit?
    /// The program, for the record.
    package var tool: String

    package init(at instant: Instant, tool: String) {
      visits = VisitQueue.Settings(at: instant)
      self.tool = tool
    }
  }

  private let settings: Settings
  /// What it was to offer and can't.
  private let unasked: [KeyFamily]
  private let pool: HandshakePool
  private let resolver: NameResolver

  /// Makes ready for probing.
  ///
  /// - Throws: ``TLSClientError`` where no offer can be made, or the client certificate, the proxy or a DNS server can't be
  ///   used.
  package init(_ settings: Settings) throws(TLSClientError) {
    var settings = settings
    let wanted = settings.visits.offers
    settings.visits.offers = wanted.filter(TLSContexts.canMake)
    unasked = Set(wanted).subtracting(settings.visits.offers).map(\.keyFamily)
    guard !settings.visits.offers.isEmpty else {
      throw TLSClientError(.local, "the OpenSSL of this program can't offer ML-DSA; OpenSSL 3.5 can")
    }
    self.settings = settings
    pool = try HandshakePool(jobs: settings.jobs, credentials: settings.credentials, proxy: settings.proxy)
    resolver = try NameResolver(servers: settings.resolvers)
  }

  /// Visits all targets, and answers what they showed.
  ///
  /// It ends soon once `isCancelled` says so; what is known by then is in the record, which is partial.
  ///
  /// - Parameters:
  ///   - targets: Which servers, each once.
  ///   - surroundings: The clocks, and whom to tell how far it has come.
  /// - Returns: The record, in the order that evidence has, without trust stores.
  /// - Throws: ``TLSClientError`` where this machine can't ask at all.
  package func probe(
    _ targets: [ProbeTarget], _ surroundings: VisitQueue.Surroundings
  ) throws(TLSClientError) -> Evidence {
    let begun = surroundings.clock()
    let itinerary = try Itinerary(targets, settings, resolver, isCancelled: surroundings.isCancelled)
    let queue = VisitQueue(
      targets: targets, stops: itinerary.stops, settings: settings.visits, surroundings: surroundings)
    pool.run(queue)
    var evidence = queue.takeLedger().evidence(
      of: targets, at: itinerary.stops, unresolved: itinerary.unresolved, from: begun, until: surroundings.clock(),
      tool: settings.tool)
    evidence.unasked = unasked
    return evidence.canonical
  }
}

import PinFormat

/// Makes many handshakes at once, on a few threads with an event loop each.
///
/// Everything that is the same for all is made once: libssl's contexts, the client's credentials, the proxy's address.
/// Memory is bounded by `jobs`: a handshake holds at most the record that it reads and the certificates that are taken.
package final class HandshakePool: Sendable {
  private let jobs: Int
  private let loops: Int
  private let contexts: TLSContexts
  private let routes: Routes

  /// Makes a pool for all offers.
  ///
  /// - Parameters:
  ///   - jobs: Most handshakes that are under way at any time, over all threads.
  ///   - loops: The number of threads; by default one for each processor, never more than jobs.
  ///   - credentials: What to show a server that asks who is calling.
  ///   - proxy: Whom to ask for the connections of requests that want that. Its name is resolved here and now.
  /// - Throws: ``TLSClientError``, where the credentials can't be used or the proxy has no address.
  package convenience init(
    jobs: Int, loops: Int? = nil, credentials: ClientCredentials? = nil, proxy: Proxy? = nil
  ) throws(TLSClientError) {
    let offers = Evidence.Offer.every.filter(TLSContexts.canMake)
    try self.init(jobs: jobs, loops: loops, offers: offers + [nil], credentials: credentials, proxy: proxy)
  }

  init(
    jobs: Int, loops: Int?, offers: [Evidence.Offer?], credentials: ClientCredentials?, proxy: Proxy?
  ) throws(TLSClientError) {
    self.jobs = max(1, jobs)
    self.loops = max(1, min(loops ?? Processors.count, self.jobs))
    contexts = try TLSContexts(offers: offers, credentials: credentials)
    routes = try Routes(proxy: proxy)
  }

  /// Makes the handshakes of a source; returns when it has no more and all are finished, or when it is cancelled.
  ///
  /// The calling thread is one of the loops'. Where a thread or an event queue can't be made, the other loops do its
  /// work; without any queue each handshake fails as `local`.
  package func run(_ source: some HandshakeSource) {
    let threads = (1..<loops).compactMap { index in LoopThread { self.loop(index, source) } }
    loop(0, source)
    for thread in threads { thread.join() }
  }

  /// One loop from its beginning to its end; the first has to do with what it gets.
  private func loop(_ index: Int, _ source: some HandshakeSource) {
    // Distribute the jobs evenly.
    let share = jobs / loops + (index < jobs % loops ? 1 : 0)
    do throws(TLSClientError) {
      var loop = HandshakeLoop(
        jobs: share, source: source, routes: routes, contexts: contexts, queue: try EventQueue())
      loop.run()
    } catch {
      guard index == 0 else { return }
      while !source.isCancelled {
        switch source.next() {
        case .handshake(let number, _): source.finish(number, .failure(error))
        case .wait(let instant): Processors.sleep(until: instant)
        case .end: return
        }
      }
    }
  }
}

#if Collector
/// Whether something works, tried at most once a second, however often somebody wants to know.
actor Health {
  private let attempt: @Sendable () async throws(StorageError) -> Void
  private let uptime: @Sendable () -> Double
  private var asked: Double?
  private var failure: StorageError?

  init(uptime: @escaping @Sendable () -> Double, _ attempt: @escaping @Sendable () async throws(StorageError) -> Void) {
    self.uptime = uptime
    self.attempt = attempt
  }

  /// Comes back where it worked just now, or a moment ago.
  func check() async throws(StorageError) {
    let now = uptime()
    if asked.map({ now - $0 >= 1 }) ?? true {
      asked = now
      do throws(StorageError) {
        try await attempt()
        failure = nil
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
#endif

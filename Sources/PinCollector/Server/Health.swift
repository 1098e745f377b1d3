#if Collector
/// Whether the database answers, asked at most once a second, however often somebody wants to know.
actor Health {
  private let store: CollectorStore
  private let uptime: @Sendable () -> Double
  private var asked: Double?
  private var failure: StorageError?

  init(store: CollectorStore, uptime: @escaping @Sendable () -> Double) {
    self.store = store
    self.uptime = uptime
  }

  /// Comes back where the database answered just now, or a moment ago.
  func check() async throws(StorageError) {
    let now = uptime()
    if asked.map({ now - $0 >= 1 }) ?? true {
      asked = now
      do throws(StorageError) {
        _ = try await store.database.read { (session) throws(StorageError) in try session("SELECT 1") }
        failure = nil
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
#endif

#if Collector
@testable import PinCollector

/// The two databases, both of which have to do the same.
enum StorageKind: String, CaseIterable {
  case sqlite
  case postgres

  /// A new, empty database.
  func make(_ scratch: Scratch) throws -> CollectorSettings.Storage {
    switch self {
    case .sqlite: .sqlite(path: scratch.file("reports.sqlite"))
    case .postgres: .postgres(try PostgresServer.shared.get().database())
    }
  }
}

extension CollectorSettings.Storage {
  func open(_ limits: StorageLimits = StorageLimits()) async throws -> CollectorStore {
    let database: any SQLDatabase =
      switch self {
      case .sqlite(let path): try SQLiteDatabase(path: path, maximumBytes: limits.fileBytes)
      case .postgres(let settings): try PostgresDatabase(settings, connections: 2)
      }
    return try await CollectorStore.open(database, limits)
  }
}
#endif

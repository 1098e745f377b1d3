/// Which futures are played.
package enum FutureScope: String, CaseIterable, Sendable {
  case none
  /// Those that a published statement announces.
  case known
  /// Also those that may happen at any renewal.
  case all
}

#if Service
/// Settings with which a service can't start.
public struct ServiceSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The configuration key, such as `pintle.fetch.urls`.
  public let key: String
  /// What is wrong with its value: a clause to be after the key.
  public let message: String

  init(_ key: String, _ message: String) {
    self.key = key
    self.message = message
  }

  /// Key and message: `pintle.fetch.urls: 'ftp://a' is not an https URL`.
  public var description: String { key + ": " + message }
}
#endif

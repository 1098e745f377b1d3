#if Service
import Configuration

/// Values of a configuration, read so that a mistake stops the start and names its key.
///
/// `ConfigReader` answers a value that can't be read as if it were missing; a security setting must not fall back to its
/// default that way.
struct ConfigurationValues {
  let reader: ConfigReader
  /// What is before each key in messages.
  let prefix: String

  func string(_ key: String) throws(ServiceSettingsError) -> String? {
    try read(key, "a text") { try reader.requiredString(forKey: $0) }
  }

  func secret(_ key: String) throws(ServiceSettingsError) -> String? {
    try read(key, "a text") { try reader.requiredString(forKey: $0, isSecret: true) }
  }

  func strings(_ key: String) throws(ServiceSettingsError) -> [String]? {
    try read(key, "a list of texts") { try reader.requiredStringArray(forKey: $0) }
  }

  func flag(_ key: String) throws(ServiceSettingsError) -> Bool? {
    try read(key, "true or false") { try reader.requiredBool(forKey: $0) }
  }

  func number(_ key: String, in range: ClosedRange<Int>) throws(ServiceSettingsError) -> Int? {
    guard let number = try read(key, "a whole number", { try reader.requiredInt(forKey: $0) }) else { return nil }
    guard range.contains(number) else {
      throw error(key, "\(number) is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return number
  }

  func seconds(_ key: String, in range: ClosedRange<Int>) throws(ServiceSettingsError) -> Duration? {
    try number(key, in: range).map { .seconds($0) }
  }

  /// One of a few words.
  func choice<Value>(_ key: String, _ values: [String: Value]) throws(ServiceSettingsError) -> Value? {
    guard let text = try string(key) else { return nil }
    guard let value = values[text] else {
      throw error(key, "'\(text)' is none of " + values.keys.sorted().joined(separator: ", "))
    }
    return value
  }

  /// A value that there is no default for.
  func required<Value>(_ key: String, _ value: Value?) throws(ServiceSettingsError) -> Value {
    guard let value else { throw error(key, "is not set, and has no default") }
    return value
  }

  /// Refuses keys that have no effect because the one that they belong to isn't set: anybody who wrote them thinks they
  /// have.
  func refuse(_ keys: [String], without owner: String) throws(ServiceSettingsError) {
    for key in keys where isPresent(ConfigKey(key.split(separator: ".").map(String.init))) {
      throw error(key, "has no effect without \(prefix)\(owner), which is not set")
    }
  }

  /// Refuses keys that another one is in place of: two answers to one question are a mistake.
  func refuse(_ keys: [String], besides other: String) throws(ServiceSettingsError) {
    for key in keys where isPresent(ConfigKey(key.split(separator: ".").map(String.init))) {
      throw error(key, "can't be set together with \(prefix)\(other), which says who may sign: remove one of them")
    }
  }

  func error(_ key: String, _ message: String) -> ServiceSettingsError { ServiceSettingsError(prefix + key, message) }

  private func read<Value>(
    _ key: String, _ kind: String, _ get: (ConfigKey) throws -> Value
  ) throws(ServiceSettingsError) -> Value? {
    let configKey = ConfigKey(key.split(separator: ".").map(String.init))
    do {
      return try get(configKey)
    } catch {
      guard isPresent(configKey) else { return nil }
      throw self.error(key, "is not \(kind)")
    }
  }

  /// Whether any provider has a value of whatever type.
  private func isPresent(_ key: ConfigKey) -> Bool {
    reader.string(forKey: key, isSecret: true) != nil || reader.int(forKey: key, isSecret: true) != nil
      || reader.double(forKey: key, isSecret: true) != nil || reader.bool(forKey: key, isSecret: true) != nil
      || reader.stringArray(forKey: key, isSecret: true) != nil || reader.intArray(forKey: key, isSecret: true) != nil
      || reader.bytes(forKey: key, isSecret: true) != nil
  }
}
#endif

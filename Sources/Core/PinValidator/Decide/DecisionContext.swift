/// How a verdict came about.
public struct DecisionContext: Hashable, Sendable {
  /// The step of the order of decision that gave the verdict.
  public let step: DecisionStep
  /// The number of the governing entry in the manifest; nil where none governs the host.
  public let entry: Int?
  /// Every state that isn't plain enforcement, for counters and alarms.
  public let events: DecisionEvents

  init(_ step: DecisionStep, entry: Int?, _ events: DecisionEvents) {
    self.step = step
    self.entry = entry
    self.events = events
  }
}

/// The steps of the order of decision.
public enum DecisionStep: Int, Hashable, Sendable, CaseIterable {
  /// Which entry governs the host, and whether it pins at this time.
  case entry = 1
  /// Trust evaluation.
  case trust = 2
  /// Denied keys.
  case denial = 3
  /// The entry's requirement.
  case requirement = 4
  /// What a mismatch means.
  case mismatch = 5
}

/// What happened beside plain enforcement, for a service to count and alarm on.
public struct DecisionEvents: OptionSet, Hashable, Sendable {
  /// One bit for each event.
  public let rawValue: UInt32

  /// Takes the bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No entry governs the host.
  public static let noEntry = DecisionEvents(rawValue: 1 << 0)
  /// The governing entry has `mode: off`.
  public static let excluded = DecisionEvents(rawValue: 1 << 1)
  /// What was asked about isn't a host.
  public static let invalidHost = DecisionEvents(rawValue: 1 << 2)
  /// The entry has expired.
  public static let entryExpired = DecisionEvents(rawValue: 1 << 3)
  /// A newer manifest should be looked for.
  public static let refreshDue = DecisionEvents(rawValue: 1 << 4)
  /// The manifest has expired.
  public static let manifestStale = DecisionEvents(rawValue: 1 << 5)
  /// The entry only reports, by its mode or since an expiry.
  public static let reportOnly = DecisionEvents(rawValue: 1 << 6)
  /// Trust evaluation failed.
  public static let untrusted = DecisionEvents(rawValue: 1 << 7)
  /// A denied key is in the validated chain.
  public static let deniedKey = DecisionEvents(rawValue: 1 << 8)
  /// The chain doesn't satisfy the entry: this is what reports are for, whether it blocks or not.
  public static let mismatch = DecisionEvents(rawValue: 1 << 9)
  /// Trust evaluation excused a failure by a dated exception of the policy.
  public static let exceptionUsed = DecisionEvents(rawValue: 1 << 10)
  /// The key that matched is a backup in the entry's key set: a rotation has happened.
  public static let backupKeyMatched = DecisionEvents(rawValue: 1 << 11)

  /// No manifest is in force.
  public static let noManifest = DecisionEvents(rawValue: 1 << 13)
  /// A certificate of the validated chain has a public key that can't be read.
  public static let unreadableChain = DecisionEvents(rawValue: 1 << 12)
  /// The transport showed the leaf only, and the manifest denies keys that can be above it: the leaf was compared with
  /// these, nothing else was.
  public static let denialsLeafOnly = DecisionEvents(rawValue: 1 << 14)

  /// The names of the events, in the order of their bits.
  public var names: [String] {
    let names = [
      "no-entry", "excluded", "invalid-host", "entry-expired", "refresh-due", "manifest-stale", "report-only",
      "untrusted", "denied-key", "mismatch", "exception-used", "backup-key-matched", "unreadable-chain",
      "no-manifest", "denials-leaf-only",
    ]
    return names.indices.filter { rawValue >> UInt32($0) & 1 != 0 }.map { names[$0] }
  }
}

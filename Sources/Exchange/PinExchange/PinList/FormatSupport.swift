/// What a format does with a feature of the policy.
package enum FormatSupport: Hashable, Sendable {
  /// It says the same.
  case exact
  /// It can't express it. Users who accept the loss by name get the remedy, which one sentence describes.
  case lost(Remedy, String)
  /// It can't say it, and nothing that could be written instead would be safe; why, in one sentence.
  case refused(String)
}

/// What is written in place of what a format can't say.
package enum Remedy: Hashable, Sendable {
  /// The host is left out, and what the target does without an entry holds for it.
  case leaveHostOut
  /// The keys that have the feature are left out; a host that has no other key can't be exported.
  case leaveKeysOut
  /// The feature is left away and the rest stays: any position, no report, no expiry, all ports, any key.
  case leaveAway
  /// Only the names with one label more are covered.
  case coverDirectSubdomains
  /// Only the host itself is covered.
  case coverHostOnly
  /// The host is removed, as by `mode: off`: nothing blocks there, as under the policy.
  case takeOut
  /// The expiry is moved to 00:00:00Z of the day after, which is later.
  case nextDay
  /// A host that one of its keys would satisfy asks for one of the leaf's and one of those above it.
  case requireBoth
  /// A host that has keys of the leaf only asks for an anchor's key above it as well.
  case requireAnchor
  /// It is written as it is, and the target takes it otherwise.
  case asItStands
}

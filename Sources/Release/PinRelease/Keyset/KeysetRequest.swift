package import PinFormat

/// What a keyset's next version is to have that the last one hasn't.
package struct KeysetRequest: Sendable {
  /// A change of who may sign.
  package enum Edit: Sendable {
    case addRoot(Keyset.Key)
    case addSigner(Keyset.Key)
    case removeRoot(String)
    case removeSigner(String)
    /// Another key in all roles that the key of a name has.
    case replace(String, with: Keyset.Key)
    /// Removes a key from all its roles, and may put others into the same ones.
    case revoke(String, adding: [Keyset.Key])
  }

  package var edits: [Edit]
  /// How many signatures a manifest needs; as before where nil.
  package var threshold: Int?
  /// How many signatures a keyset needs; as before where nil.
  package var rootThreshold: Int?
  package var issued: Instant
  /// As before where nil.
  package var expires: Instant?
  /// As before where nil.
  package var minimumSerial: Int64?
  /// Where serials begin again, in an epoch of their own.
  package var restartSerialsAt: Int64?

  package init(
    _ edits: [Edit] = [], threshold: Int? = nil, rootThreshold: Int? = nil, issued: Instant, expires: Instant? = nil,
    minimumSerial: Int64? = nil, restartSerialsAt: Int64? = nil
  ) {
    self.edits = edits
    self.threshold = threshold
    self.rootThreshold = rootThreshold
    self.issued = issued
    self.expires = expires
    self.minimumSerial = minimumSerial
    self.restartSerialsAt = restartSerialsAt
  }

  /// The next version.
  ///
  /// - Parameter last: The version that clients have.
  /// - Returns: The keyset that follows it.
  /// - Throws: ``KeysetPlanError`` where it would be unusable, where clients wouldn't take it, or where nothing changes.
  package func next(after last: Keyset) throws(KeysetPlanError) -> Keyset {
    guard last.version < KeysetPlan.largestCount else {
      throw KeysetPlanError("there is no version after \(last.version)", help: "Give clients a new first keyset.")
    }
    var plan = KeysetPlan(last)
    for edit in edits { try plan.apply(edit) }
    plan.signers.threshold = threshold ?? plan.signers.threshold
    plan.roots.threshold = rootThreshold ?? plan.roots.threshold
    var next = last
    (next.keys, next.roots, next.signers) = try plan.checkedParts()
    next.version = last.version + 1
    next.issued = issued
    next.expires = expires ?? last.expires
    if let restartSerialsAt {
      next.serialEpoch = try Self.epoch(after: last)
      next.minimumSerial = restartSerialsAt
    } else if let minimumSerial {
      guard minimumSerial >= last.minimumSerial else {
        throw KeysetPlanError(
          "the minimum serial can't fall from \(last.minimumSerial) to \(minimumSerial): no client would take it",
          help: "Keep it, or restart the serials: --restart \(minimumSerial).")
      }
      next.minimumSerial = minimumSerial
    }
    try KeysetPlan.check(numbersOf: next)
    var same = next
    (same.version, same.issued) = (last.version, last.issued)
    guard same != last else {
      throw KeysetPlanError(
        "version \(next.version) would say what version \(last.version) says",
        help: "Pass at least one change, such as --expires DATE.")
    }
    return next
  }

  private static func epoch(after last: Keyset) throws(KeysetPlanError) -> Int64 {
    guard last.serialEpoch < KeysetPlan.largestCount else {
      throw KeysetPlanError(
        "serials can't begin again: there is no epoch after \(last.serialEpoch)",
        help: "Give clients a new first keyset.")
    }
    return last.serialEpoch + 1
  }
}

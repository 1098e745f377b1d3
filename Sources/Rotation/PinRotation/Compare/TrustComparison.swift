package import PinFormat

/// What of an entry's customised trust differs, field by field, as a policy names the fields.
package struct TrustComparison {
  package private(set) var changes: [EntryChange] = []

  /// Compares two settings.
  ///
  /// - Parameters:
  ///   - before: Those that clients have.
  ///   - after: Those that they get.
  ///   - instant: When they get them; exceptions that have ended by then don't count.
  package init(from before: Manifest.Trust, to after: Manifest.Trust, at instant: Instant? = nil) {
    set("anchors", Self.anchors(before), Self.anchors(after))
    set("intermediates", before.intermediates.map(Self.name), after.intermediates.map(Self.name))
    // A named certificate replaces path and name checks, so another one is newly trusted.
    value("certificate", before.certificate.map(Self.name), after.certificate.map(Self.name))
    value("server-name", before.serverName?.text, after.serverName?.text)
    exceptions(before.exceptions, after.exceptions, at: instant)
    minimum("minimum-rsa-bits", before.minimumRSABits, after.minimumRSABits, least: MinimumStrength.rsaBits)
    minimum("minimum-ec-bits", before.minimumECBits, after.minimumECBits, least: MinimumStrength.ecBits)
    signatures(before.signatures, after.signatures)
    let ranks = (Self.rank(before.minimumTLS), Self.rank(after.minimumTLS))
    add(
      "minimum-tls", Self.list(before.minimumTLS?.rawValue), Self.list(after.minimumTLS?.rawValue),
      gains: ranks.1 < ranks.0, loses: ranks.0 < ranks.1)
  }

  private mutating func add(_ field: String, _ before: [String], _ after: [String], gains: Bool, loses: Bool) {
    guard FieldValue.list(before) != .list(after) else { return }
    let change = TrustChange(field: field, before: before, after: after, acceptsMore: gains, rejectsMore: loses)
    changes.append(EntryChange(.trust(change), risk: ChangeRisk(gains: gains, loses: loses)))
  }

  private mutating func set(_ field: String, _ before: [String], _ after: [String]) {
    let (old, new) = (Set(before), Set(after))
    add(field, before, after, gains: !new.isSubset(of: old), loses: !old.isSubset(of: new))
  }

  /// Whatever was accepted without the value, or with another one, may be rejected.
  private mutating func value(_ field: String, _ before: String?, _ after: String?) {
    add(field, Self.list(before), Self.list(after), gains: after != nil, loses: true)
  }

  /// The validator has a minimum of its own, below which no policy gets.
  private mutating func minimum(_ field: String, _ before: Int?, _ after: Int?, least: Int) {
    let (old, new) = (max(least, before ?? 0), max(least, after ?? 0))
    add(
      field, Self.list(before.map { String($0) }), Self.list(after.map { String($0) }), gains: new < old,
      loses: old < new)
  }

  /// An empty list stands for all families.
  private mutating func signatures(_ before: [SignatureFamily], _ after: [SignatureFamily]) {
    let all = SignatureFamily.allCases
    let (old, new) = (Set(before.isEmpty ? all : before), Set(after.isEmpty ? all : after))
    add(
      "signatures", before.map(\.rawValue), after.map(\.rawValue), gains: !new.isSubset(of: old),
      loses: !old.isSubset(of: new))
  }

  private mutating func exceptions(
    _ before: [Manifest.Exception], _ after: [Manifest.Exception], at instant: Instant?
  ) {
    let old = Self.ends(before)
    let new = Self.ends(after)
    let gains = new.contains { excused, end in old[excused].map { $0 < end } ?? true }
    let loses = old.contains { excused, end in
      instant.map { $0 < end } ?? true && new[excused].map { $0 < end } ?? true
    }
    add("exceptions", before.map(Self.words), after.map(Self.words), gains: gains, loses: loses)
  }

  private struct Excused: Hashable {
    var failure: ExcusableFailure
    var certificate: SHA256Digest
  }

  /// Until when each failure is excused.
  private static func ends(_ exceptions: [Manifest.Exception]) -> [Excused: Instant] {
    Dictionary(
      exceptions.map { (Excused(failure: $0.failure, certificate: $0.certificate), $0.until) }, uniquingKeysWith: max)
  }

  private static func words(_ exception: Manifest.Exception) -> String {
    "\(exception.failure.rawValue) of \(name(exception.certificate)) until \(exception.until): \(exception.reason)"
  }

  private static func anchors(_ trust: Manifest.Trust) -> [String] {
    (trust.systemAnchors ? ["system"] : []) + trust.anchors.map(name)
  }

  private static func name(_ fingerprint: SHA256Digest) -> String { "sha256:" + fingerprint.hex }

  private static func list(_ value: String?) -> [String] { value.map { [$0] } ?? [] }

  private static func rank(_ version: TLSVersion?) -> Int {
    switch version {
    case nil: 0
    case .tls12: 1
    case .tls13: 2
    }
  }
}

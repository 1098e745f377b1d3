package import PinFormat
package import PinPolicy
import PinRules

/// What public CAs may issue on the day of this knowledge, as far as is known.
extension Authorities {
  /// The files of an organization may say anything.
  static let mostWays = 1_000

  /// The keys below which an authority issues.
  func issuing(_ authority: Authority) -> [AuthorityKey] {
    authority.keys.filter { key in
      key.created <= instant && instant < key.expires && key.issuesUntil.map { instant < $0.instant } ?? true
    }
  }

  /// The keys from one that issues up to each root at which a client may stop; nil if there are too many ways.
  func ways(up key: AuthorityKey) -> [[AuthorityKey]]? {
    var ways: [[AuthorityKey]] = []
    var waiting = [[key]]
    while let way = waiting.popLast() {
      guard ways.count + waiting.count < Self.mostWays, let top = way.last else { return nil }
      let above = top.signedBy.filter { instant < $0.date.instant }.compactMap { self[$0.key] }
        .filter { next in instant < next.expires && !way.contains { $0.pin == next.pin } }
      if top.position == .root || above.isEmpty { ways.append(way) }
      waiting += above.reversed().map { way + [$0] }
    }
    return ways
  }

  /// The day since which a store trusts none of the roots of a way; nil if it trusts one, as far as is known.
  func end(of way: [AuthorityKey], in store: TrustStoreName) -> Instant? {
    let roots = way.filter { $0.position == .root }
    let ends = roots.compactMap { $0.distrust(by: store)?.instant }.filter { $0 <= instant }
    return ends.count == roots.count ? ends.max() : nil
  }

  /// The authorities that have none of some keys.
  func others(than pins: Set<Pin>) -> [Authority] {
    authorities.filter { !$0.keys.contains { pins.contains($0.pin) } }
  }

  /// What the field `authority` of a test may name for CAs that none of some keys lets in: all others if that is so,
  /// otherwise one of them.
  package func strangers(to pins: Set<Pin>) -> String {
    let others = others(than: pins).filter { !issuing($0).isEmpty }
    let strangers = others.filter { authority in
      issuing(authority).allSatisfy { key in
        ways(up: key).map { !$0.joined().contains { pins.contains($0.pin) } } ?? false
      }
    }
    return strangers.count == others.count
      ? PolicyTest.Presented.anyOther : strangers.first?.name ?? PolicyTest.Presented.anyOther
  }
}

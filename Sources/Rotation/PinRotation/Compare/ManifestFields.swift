package import PinFormat
import PinValidator

// The fields of a manifest with one value each, listed once for whatever shows or compares manifests: what differs, tables,
// JSON, what signers are shown. Keys and trust are compared part by part.

/// A field by its name in a policy or a manifest, in the order in which people read them.
package protocol ManifestField: RawRepresentable<String>, Hashable, Sendable, CaseIterable {}

extension ManifestField {
  /// The name as members of JSON have it: `on-expiry` is `onExpiry`, `report-uris` is `reportURIs`.
  package var memberName: String {
    let words = rawValue.split(separator: "-")
    let rest = words.dropFirst().map { $0 == "uris" ? "URIs" : $0.prefix(1).uppercased() + $0.dropFirst() }
    return words.prefix(1).joined() + rest.joined()
  }
}

/// A field of a host entry.
package enum EntryField: String, ManifestField {
  case mode
  case includeSubdomains = "include-subdomains"
  case keySet = "key-set"
  case requirement = "require"
  case expires
  case onExpiry = "on-expiry"
  case reportURIs = "report-uris"
}

/// A field of a manifest as a whole.
package enum HeaderField: String, ManifestField {
  case audience
  case serial
  case issued
  case onStale = "on-stale"
  case expires
  case refreshAfter = "refresh-after"
  case unpinnedHosts = "unpinned-hosts"
  case previous
  case sources
  case commit
  case compiler
  case critical
  case drasticChange = "drastic-change"
}

/// A field's value; texts are compared byte by byte, because bytes are what is signed.
package enum FieldValue: Hashable, Sendable {
  case none
  case flag(Bool)
  case number(Int64)
  case text(String)
  case list([String])

  /// What it holds, for people; empty if there is nothing.
  package var items: [String] {
    switch self {
    case .none: []
    case .flag(let flag): [flag ? "true" : "false"]
    case .number(let number): ["\(number)"]
    case .text(let text): [text]
    case .list(let items): items
    }
  }

  /// Its items in one line, or `none`.
  package var words: String { items.isEmpty ? "none" : items.joined(separator: ", ") }

  package static func == (left: FieldValue, right: FieldValue) -> Bool {
    left.items.elementsEqual(right.items) { $0.utf8.elementsEqual($1.utf8) }
  }

  package func hash(into hasher: inout Hasher) { for item in items { hasher.combine(Array(item.utf8)) } }

  fileprivate static func optional(_ text: String?) -> FieldValue { text.map { .text($0) } ?? .none }
  fileprivate static func optional(_ digest: SHA256Digest?) -> FieldValue {
    optional(digest.map { "sha256:" + $0.hex })
  }
}

extension Manifest.HostEntry {
  package subscript(field: EntryField) -> FieldValue {
    switch field {
    case .mode: .text(mode.rawValue)
    case .includeSubdomains: .flag(includeSubdomains)
    case .keySet: .optional(keySet)
    case .requirement: .text(requirement.rawValue)
    case .expires: .optional(expires?.description)
    case .onExpiry: .optional(onExpiry?.rawValue)
    case .reportURIs: .list(reportURIs)
    }
  }
}

extension Manifest.HostEntry {
  /// Whether it has texts of people, which are equal by Unicode although their bytes differ.
  var hasFreeText: Bool { trust.map { !$0.exceptions.isEmpty } ?? false }
}

extension EntryField {
  /// What it means for clients that two entries differ in it, by what their manifests say of hosts without pins; nil if
  /// the entries around decide that.
  func risk(
    from old: Manifest.HostEntry, to new: Manifest.HostEntry,
    _ unpinnedHosts: (before: UnpinnedHosts, after: UnpinnedHosts)
  ) -> ChangeRisk? {
    switch self {
    case .mode: return ChangeRisk(strictness: old.mode.strictness, new.mode.strictness)
    case .requirement: return new.requirement == .any ? .weakens : new.mode == .enforce ? .mayBlock : ChangeRisk.none
    case .expires:
      let isSooner = (new.expires ?? .latest) < (old.expires ?? .latest)
      return isSooner ? (new.onExpiry ?? .enforce).riskOfComingSooner(where: unpinnedHosts.after) : ChangeRisk.none
    case .onExpiry:
      // Without an expiry date, the risk is that of adding or removing the date.
      guard let before = old.onExpiry, let after = new.onExpiry else { return ChangeRisk.none }
      return ChangeRisk(
        strictness: before.strictness(where: unpinnedHosts.before), after.strictness(where: unpinnedHosts.after))
    case .reportURIs: return ChangeRisk.none
    case .includeSubdomains, .keySet: return nil
    }
  }
}

extension Manifest {
  package subscript(field: HeaderField) -> FieldValue {
    switch field {
    case .audience: .text(audience)
    case .serial: .number(serial)
    case .issued: .text(issued.description)
    case .refreshAfter: .text(refreshAfter.description)
    case .expires: .text(expires.description)
    case .onStale: .text(onStale.rawValue)
    case .unpinnedHosts: .text(unpinnedHosts.rawValue)
    case .previous: .optional(previous)
    case .sources: .optional(provenance.sources)
    case .commit: .optional(provenance.commit)
    case .compiler: .text(provenance.compiler)
    case .critical: .list(critical)
    case .drasticChange: .optional(drasticChange)
    }
  }
}

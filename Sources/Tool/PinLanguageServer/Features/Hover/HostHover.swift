import Diagnostics
import PinFormat
import PinPolicy
import PinRules

/// What holds for a host: the entry that applies, its keys, until when, and what happens then.
struct HostHover {
  let meaning: Meaning
  let sightings: Sightings?
  let now: Instant

  /// An entry by the host that it is written for.
  ///
  /// - Parameters:
  ///   - written: The host as the file has it.
  ///   - port: The port that the entry names.
  /// - Returns: The text, or nil where there is no such entry.
  func text(entry written: String, port: UInt16?) -> String? {
    guard let host = try? InternationalName.host(written),
      let entry = meaning.policy.hosts.first(where: { $0.host == host && $0.port?.value == port })
    else { return nil }
    return text(of: entry)
  }

  /// The entry that governs a name, such as one that live checks try.
  func text(governing written: String) -> String? {
    guard let host = try? InternationalName.host(written) else { return nil }
    guard let index = HostIndex(meaning.policy.hosts).governing(host, port: nil) else {
      return "**Host " + MarkdownWords.code(host.text) + "**: no entry applies, so it isn't pinned"
    }
    return MarkdownWords.code(host.text) + " is governed by:\n\n" + text(of: meaning.policy.hosts[index])
  }

  private func text(of entry: Policy.HostEntry) -> String {
    let ports = entry.port == nil ? "all ports" : "this port alone"
    let below = entry.coversSubdomains ? "and all names below it" : "without the names below it"
    var lines = [
      "**Host " + MarkdownWords.code(entry.label) + "**: " + ports + (entry.host.isAddress ? "" : ", " + below)
    ]
    switch entry.mode.value {
    case .enforce: lines.append("Mode `enforce`: a mismatch blocks the connection and is reported")
    case .reportOnly: lines.append("Mode `report-only`: a mismatch is reported and blocks nothing")
    case .off: lines.append("Mode `off`: not pinned, whatever an entry above says")
    }
    if entry.mode.value != .off {
      lines.append(keys(of: entry))
      if let expires = entry.expires { lines.append(expiry(of: entry, expires.value)) }
    }
    if let reason = entry.reason { lines.append(MarkdownWords.plain(reason.value)) }
    if let owner = entry.owner { lines.append("Owner: " + MarkdownWords.plain(owner.value)) }
    if let sightings, let seen = sightings.text(ofHost: entry.host, now: now) { lines.append(seen) }
    return lines.joined(separator: "\n\n")
  }

  private func keys(of entry: Policy.HostEntry) -> String {
    guard let index = entry.keySet?.value else { return "No keys" }
    let set = meaning.policy.keySets[index]
    return (set.isInline ? "Keys of its own: " : "Key set " + MarkdownWords.code(set.name) + ": ")
      + SetHover.members(of: set, meaning)
      + (entry.requirement?.value == .leafAndCA ? "; one at the leaf and one above it" : "")
  }

  private func expiry(of entry: Policy.HostEntry, _ expires: Instant) -> String {
    let then =
      switch entry.onExpiry?.value {
      case .enforce?: "the pins go on"
      case .reportOnly?: "mismatches are reported only"
      case .unpinned?: "it fails open: nothing is pinned"
      case .block?: "every connection is blocked"
      case nil: "the policy doesn't say what happens"
      }
    let isPast = expires <= now
    return (isPast ? "Expired " : "Expires ") + MarkdownWords.instant(expires, now: now) + "; "
      + (isPast ? "since then " : "then ") + then
  }
}

/// What a key set holds, and who uses it.
struct SetHover {
  let meaning: Meaning

  func text(_ name: String) -> String? {
    guard let (index, set) = meaning.set(name), !set.isInline else { return nil }
    let hosts = meaning.hosts(usingSet: index).map(\.label)
    return [
      "**Key set " + MarkdownWords.code(name) + "**", Self.members(of: set, meaning).capitalizedFirst,
      hosts.isEmpty ? "No host uses it" : "Used by " + MarkdownWords.list(hosts),
    ].joined(separator: "\n\n")
  }

  static func members(of set: Policy.KeySet, _ meaning: Meaning) -> String {
    let parts = [("active", set.active), ("backup", set.backup)].filter { !$0.1.isEmpty }.map { title, members in
      title + " " + MarkdownWords.list(members.map { meaning.policy.keys[$0.key].name.value })
    }
    return parts.isEmpty ? "no keys" : parts.joined(separator: ", ")
  }
}

import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

/// An inventory of keys for people and for spreadsheets.
extension KeyInventory {
  /// The policies' hosts and keys in columns.
  package static func text(_ inventories: [KeyInventory]) -> String {
    inventories.map(\.text).joined(separator: "\n")
  }

  private var text: String {
    let audience = policy.settings?.audience?.value ?? "without a name"
    let keys = Set(rows.compactMap(\.key)).count
    var lines = [
      "audience \(VisibleText.of(audience)): \(counted(hosts.count, "host entry", plural: "host entries")), "
        + counted(keys, "key")
    ]
    if rows.isEmpty, !isWhole {
      lines = [
        "audience \(VisibleText.of(audience)): nothing to show, of "
          + "\(counted(policy.hosts.count, "host entry", plural: "host entries")) and \(counted(policy.keys.count, "key"))"
      ]
    }
    let rowsOfHosts = Dictionary(grouping: rows.filter { $0.host != nil }) { $0.host ?? 0 }
    for host in hosts { lines += [""] + self.lines(host, rowsOfHosts[host] ?? []) }
    let others = rows.filter { $0.host == nil }
    if !others.isEmpty { lines += ["", "for no host"] + [Role.denied, .unused].flatMap { list($0, of: others) } }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A host: its expiry, whose it is, and its keys.
  private func lines(_ host: Int, _ rows: [Row]) -> [String] {
    let entry = policy.hosts[host]
    var facts = [entry.mode.value.rawValue] + (entry.includeSubdomains?.value ?? false ? ["with subdomains"] : [])
    if let expires = entry.expires {
      facts.append("expires \(Self.day(expires.value))" + ", then \(Self.consequence(entry.onExpiry?.value))")
    }
    if let owner = entry.owner { facts.append(VisibleText.of(owner.value)) }
    return ["\(entry.label): \(facts.joined(separator: ", "))"] + [Role.active, .backup].flatMap { list($0, of: rows) }
  }

  /// The keys of a role, and which releases have them if they differ.
  private func list(_ role: Role, of rows: [Row]) -> [String] {
    let names = rows.filter { $0.role == role }.compactMap { row in
      row.key.map { key in
        let releases = releases(of: row).map { serials in
          let word = serials.count == 1 ? "release" : "releases"
          return serials.isEmpty ? " (no release)" : " (\(word) \(serials.joined(separator: ", ")))"
        }
        let key = policy.keys[key]
        // A CA's certificate outlasts entries; rules say if it ends too soon.
        let end = key.material?.certificate.flatMap { certificate in
          certificate.isCA ? nil : " (certificate ends \(Self.day(certificate.notAfter)))"
        }
        return key.name.value + (end ?? "") + (releases ?? "")
      }
    }
    guard !names.isEmpty else { return [] }
    let head = "  \(role.rawValue)" + String(repeating: " ", count: 8 - role.rawValue.count)
    return LineWrap.lines(names.joined(separator: ", "), width: 110).enumerated().map { number, line in
      (number == 0 ? head : String(repeating: " ", count: head.count)) + line
    }
  }

  /// What an entry is from its expiry on; clients enforce it if the policy doesn't say.
  private static func consequence(_ action: ExpiryAction?) -> String {
    switch action ?? .enforce {
    case .enforce: "still enforced"
    case .reportOnly: "only reported"
    case .unpinned: "not pinned"
    case .block: "blocked"
    }
  }

  private static func day(_ instant: Instant) -> String { String("\(instant)".prefix { $0 != "T" }) }

  /// A row for each host and key.
  package static func csv(_ inventories: [KeyInventory]) -> String {
    let head = [
      "audience", "host", "port", "includeSubdomains", "mode", "require", "expires", "onExpiry", "keySet", "key",
      "role", "pin",
      "position", "algorithm", "authority", "certificateNotAfter", "custody", "created", "status", "owner", "file",
      "line",
      "releases",
    ]
    return ([head] + inventories.flatMap(\.cells)).map(CommaSeparated.line).joined()
  }

  private var cells: [[String]] {
    rows.map { row in
      let host = row.host.map { policy.hosts[$0] }
      let key = row.key.map { policy.keys[$0] }
      let place = host?.written.place ?? key?.name.place
      let ofHost: [String?] = [
        policy.settings?.audience?.value, host?.host.text, host?.port.map { "\($0.value)" },
        host.map { "\($0.coversSubdomains)" }, host?.mode.value.rawValue, host?.requirement?.value.rawValue,
        host?.expires?.value.description, host?.onExpiry?.value.rawValue,
        host?.keySet.map { policy.keySets[$0.value].name },
      ]
      let ofKey: [String?] = [
        key?.name.value, row.role.rawValue, key?.pin?.description, key?.position?.value.rawValue,
        key.flatMap { algorithm(of: $0) }, key.flatMap { authority(of: $0) },
        key?.material?.certificate?.notAfter.description, key?.custody?.value, key?.created?.value.description,
        key?.status?.value.rawValue,
      ]
      let ofRow: [String?] = [
        owner(of: row), place.map { policy.sources[$0.file].path }, place.map { "\($0.start.line)" },
        releases(of: row)?.joined(separator: "; "),
      ]
      return (ofHost + ofKey + ofRow).map { $0 ?? "" }
    }
  }
}

import Diagnostics
import PinFormat

/// Writes Chromium's two files.
struct ChromiumWriter {
  private struct PinSet: Hashable {
    var pins: [Pin]
  }

  private let fitted: FittedPinList
  private let instant: Instant
  /// The names of the keys that are used, by pin: one hash has one name.
  private var names: [Pin: String] = [:]
  private var setNames: [PinSet: String] = [:]
  /// In the order in which they are written.
  private var sets: [PinSet] = []
  private let denied: [Pin]

  init(_ fitted: FittedPinList, at instant: Instant) {
    self.fitted = fitted
    self.instant = instant
    denied = fitted.list.deniedKeys.map(\.pin).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    nameKeys()
    nameSets()
  }

  private mutating func nameKeys() {
    let used = Set(hosts.flatMap { fitted.list.keys(of: $0) }.map(\.pin)).union(denied)
    var taken: Set<String> = ["PinsListTimestamp"]
    for key in fitted.list.keys where used.contains(key.pin) && names[key.pin] == nil {
      names[key.pin] = Self.unique(ChromiumFormat.name(key.name), among: &taken)
    }
  }

  private mutating func nameSets() {
    var taken: Set<String> = []
    for host in hosts {
      let set = set(of: host)
      guard setNames[set] == nil else { continue }
      sets.append(set)
      let name = host.keySet.flatMap { fitted.list.keySets[$0].name } ?? host.host.text
      setNames[set] = Self.unique(name.replacing(".", with: "_").replacing("-", with: "_"), among: &taken)
    }
    let names = setNames
    sets.sort { (names[$0] ?? "") < (names[$1] ?? "") }
  }

  private static func unique(_ name: String, among taken: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(name)_\(number)"
      number += 1
    }
    return candidate
  }

  private var hosts: [PinList.Host] { fitted.list.hosts.filter { $0.mode != .off } }

  private func set(of host: PinList.Host) -> PinSet {
    var seen: Set<Pin> = []
    return PinSet(pins: fitted.list.keys(of: host).map(\.pin).filter { seen.insert($0).inserted })
  }

  /// The pin sets and the entries.
  func json() throws(ExchangeError) -> [UInt8] {
    var lines = fitted.head(
      "A static pin list",
      notes: ["The keys are in transport_security_state_static.pins."]
    ).map { $0.isEmpty ? "//" : "// \($0)" }
    lines += ["{", "  \"pinsets\": ["]
    for (number, set) in sets.enumerated() {
      lines += ["    {", "      \"name\": \"\(setNames[set] ?? "")\","]
      lines += list("static_spki_hashes", set.pins, isLast: denied.isEmpty)
      if !denied.isEmpty { lines += list("bad_static_spki_hashes", denied, isLast: true) }
      lines.append(number + 1 < sets.count ? "    }," : "    }")
    }
    lines += ["  ],", "  \"entries\": ["]
    let hosts = hosts
    for (number, host) in hosts.enumerated() {
      guard host.host.kind == .name else {
        throw ExchangeError(.invalidValue, "'\(host.host)' is an address, and the list is of names")
      }
      lines += ["    {", "      \"name\": \"\(host.host)\","]
      if host.subdomains == .all { lines.append("      \"include_subdomains\": true,") }
      lines.append("      \"pins\": \"\(setNames[set(of: host)] ?? "")\"")
      lines.append(number + 1 < hosts.count ? "    }," : "    }")
    }
    lines += ["  ]", "}", ""]
    return Array(lines.joined(separator: "\n").utf8)
  }

  private func list(_ field: String, _ pins: [Pin], isLast: Bool) -> [String] {
    let items = pins.map { "        \"\(names[$0] ?? "")\"" }.joined(separator: ",\n")
    return ["      \"\(field)\": [", items, isLast ? "      ]" : "      ],"]
  }

  /// The keys, and when the list was written: from then on it is enforced for ten weeks.
  func pins() -> [UInt8] {
    var lines = fitted.head(
      "The keys of a static pin list", notes: ["The sets are in transport_security_state_static_pins.json."]
    ).map { $0.isEmpty ? "#" : "# \($0)" }
    lines += ["", "# \(instant)", "PinsListTimestamp", "\(instant.secondsSinceEpoch)"]
    var written: Set<Pin> = []
    for key in fitted.list.keys {
      guard let name = names[key.pin], written.insert(key.pin).inserted else { continue }
      lines += ["", name, "\(key.pin)"]
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }
}

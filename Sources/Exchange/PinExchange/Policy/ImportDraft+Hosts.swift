import Diagnostics
import PinFormat
import PinPolicy

extension ImportDraft {
  /// A host that the directory has an entry for keeps that one: two entries for one host are an error.
  mutating func leaveOutExistingHosts() {
    var said: Set<String> = []
    for host in list.hosts {
      guard let entry = settings.existing.hosts[host.label] else { continue }
      if isSaid(host, by: entry) {
        if said.insert(host.label).inserted { alreadyThere.append(host.label) }
        continue
      }
      find(
        .contradiction, at: place(of: host),
        "'\(host.label)' has another entry already, at '\(entry.place)', and was left out",
        help: "Compare the two, and change that entry where the imported file is right.")
    }
    list.hosts.removeAll { settings.existing.hosts[$0.label] != nil }
  }

  /// Whether an entry of the directory says all that an imported one does: an app has the same pins on each platform.
  private func isSaid(_ host: PinList.Host, by entry: ExistingPolicy.Host) -> Bool {
    let isWide = host.subdomains != .none && !host.host.isAddress
    guard entry.coversSubdomains || !isWide, entry.mode == .enforce || entry.mode == host.mode else { return false }
    let pins = Set(list.keys(of: host).map(\.pin))
    let real = pins.filter { BadPins.description(of: $0) == nil }
    return entry.pins == (real.isEmpty ? pins : real) && (host.mode == .off) == (entry.mode == .off)
  }

  /// Of two entries for one host, a policy has one: it takes the keys that both have.
  mutating func mergeDuplicateHosts() {
    var numbers: [String: Int] = [:]
    var merged: [PinList.Host] = []
    for host in list.hosts {
      guard let number = numbers[host.label] else {
        numbers[host.label] = merged.count
        merged.append(host)
        continue
      }
      merged[number] = merge(merged[number], host)
    }
    list.hosts = merged
  }

  private mutating func merge(_ first: PinList.Host, _ second: PinList.Host) -> PinList.Host {
    var result = first
    let pins = [first, second].map { host in Set(list.keys(of: host).map(\.pin)) }
    if first.keySet == nil || second.keySet == nil {
      // An entry with pins is stricter than one without.
      result = first.keySet == nil ? second : first
    } else if pins[0] != pins[1] {
      let common = pins[0].intersection(pins[1])
      find(
        .contradiction, at: place(of: second),
        "'\(first.label)' is listed twice with different pins; "
          + (common.isEmpty ? "the first ones were used" : "only those that are in both were used"),
        help: "Say in the policy which keys the host may present.")
      if !common.isEmpty, let number = first.keySet {
        let set = list.keySets[number]
        list.keySets.append(
          PinList.KeySet(
            name: nil, active: set.active.filter { common.contains(list.keys[$0].pin) },
            backup: set.backup.filter { common.contains(list.keys[$0].pin) }))
        result.keySet = list.keySets.count - 1
      }
    }
    let widths: [PinList.Subdomains] = [.none, .direct, .all]
    result.subdomains = widths.last { $0 == first.subdomains || $0 == second.subdomains } ?? .none
    if first.mode == .enforce || second.mode == .enforce { result.mode = .enforce }
    guard first.keySet != nil, second.keySet != nil else { return result }
    if second.requirement == .leafAndCA { result.requirement = .leafAndCA }
    // Pins without an expiry date last longest.
    if let one = first.expires, let other = second.expires {
      if one < other { (result.expires, result.onExpiry) = (other, second.onExpiry) }
    } else {
      (result.expires, result.onExpiry) = (nil, nil)
    }
    return result
  }

  /// A policy covers a host, or the host and all below it.
  mutating func widenSubdomains() {
    for number in list.hosts.indices {
      let host = list.hosts[number]
      if host.host.isAddress {
        list.hosts[number].subdomains = .none
        continue
      }
      guard host.subdomains == .direct else { continue }
      list.hosts[number].subdomains = .all
      find(
        .otherMeaning, at: place(of: host),
        "the file pins '\(host.label)' and the names right below it; the policy pins the host and all names below it",
        help: "Check that the other names present these keys too, or list the hosts one by one.")
    }
  }

  /// A policy reports by https only, to addresses without a password, with the characters and the length of its reader.
  mutating func leaveOutReportURIs() {
    var told: Set<String> = []
    for number in list.hosts.indices {
      let host = list.hosts[number]
      list.hosts[number].reportURIs = host.reportURIs.filter { uri in
        let isURI = uri.utf8.count <= FormatLimits.uriBytes && TextScan.isURI(uri.utf8Span.span)
        if isURI, let parts = ReportURI(uri), parts.scheme == "https", parts.host != nil, !parts.hasUserInformation {
          return true
        }
        if told.insert(uri).inserted {
          let shown = ReportURI(uri)?.hasUserInformation == true ? "an address with a password" : "'\(uri)'"
          find(
            .otherMeaning, at: place(of: host),
            "mismatches can't be reported to \(shown): "
              + (isURI ? "a policy reports by https" : "it is too long, or has a character that URIs don't have"),
            help: "Give an address that begins with 'https://' as 'report-uris:' in the policy.")
        }
        return false
      }
    }
  }

  /// Every pinned entry has an expiry to come: its own, or the day of the next review, on which the pins go on.
  mutating func settleExpiry() {
    var hasPassed: [Instant: [Int]] = [:]
    var withoutExpiry: [String] = []
    for number in list.hosts.indices where list.hosts[number].mode != .off {
      if let expires = list.hosts[number].expires {
        guard expires <= settings.instant else { continue }
        hasPassed[expires, default: []].append(number)
      } else {
        list.hosts[number].expires = settings.reviewBy
        list.hosts[number].onExpiry = .enforce
        withoutExpiry.append(list.hosts[number].label)
      }
    }
    for (expires, numbers) in hasPassed.sorted(by: { $0.key < $1.key }) {
      let hosts = numbers.map { list.hosts[$0] }
      let isOff = hosts.allSatisfy { $0.onExpiry != .enforce && $0.onExpiry != .block }
      for number in numbers {
        // Without enforcement after the expiry, the entry becomes report-only: it blocks as little as now, and also
        // reports.
        if isOff { list.hosts[number].mode = .reportOnly }
        list.hosts[number].expires = settings.reviewBy
      }
      find(
        .expired, at: hosts.first.map(place(of:)) ?? .beginning(of: FileID(0)),
        "the pins of \(Self.names(hosts.map(\.label))) expired at \(expires)"
          + (isOff ? ", so clients don't enforce them any more; the policy reports only" : ""),
        help: "Compare them with what the servers present, and switch to 'mode: enforce' when no report comes.")
      if isOff {
        remarks.append(
          "The pins of \(Self.names(hosts.map(\.label))) expired at \(expires.written): they are tried out "
            + "by 'mode: report-only' until somebody has looked at them.")
      }
    }
    if !withoutExpiry.isEmpty {
      remarks.append(
        "The pins of \(Self.names(withoutExpiry)) have no expiry. On \(settings.reviewBy.written) they must be reviewed; "
          + "they hold on until somebody does ('on-expiry: enforce').")
    }
  }
}

import Diagnostics
import PinFormat

/// Makes hosts of patterns.
///
/// OkHttp holds a name to the pins of all patterns that match it together, and a policy to those of the nearest entry: so
/// an entry takes the pins of what covers all of it, and says so.
struct OkHttpAssembly {
  private var builder: ImportBuilder

  private struct Entry {
    var host: HostName
    var subdomains: PinList.Subdomains
    var coversItself: Bool
    /// Indices of keys.
    var active: [Int]
    var backup: [Int]
    var pattern: String
    var place: Place

    var keys: [Int] { active + backup }
  }

  init(_ builder: ImportBuilder) {
    self.builder = builder
  }

  mutating func assemble(_ patterns: [OkHttpReader.Pattern]) -> ImportedPins {
    let entries = joined(patterns.compactMap { entry($0) })
    let byHost = Dictionary(grouping: entries, by: \.host)
    for entry in entries.sorted(by: { ($0.host, $0.coversItself ? 1 : 0) < ($1.host, $1.coversItself ? 1 : 0) }) {
      guard let entry = withinWhatIsAbove(entry, byHost) else { continue }
      let complete = withThoseAbove(entry, byHost)
      let set = builder.keySet(complete.active, backup: complete.backup)
      var host = PinList.Host(
        host: complete.host, subdomains: complete.subdomains, mode: .enforce, keySet: set)
      host.coversItself = complete.coversItself
      builder.add(host, at: complete.place)
    }
    return builder.imported()
  }

  private mutating func entry(_ pattern: OkHttpReader.Pattern) -> Entry? {
    var name = pattern.text[...]
    var subdomains = PinList.Subdomains.none
    if name.hasPrefix("**.") {
      (name, subdomains) = (name.dropFirst(3), .all)
    } else if name.hasPrefix("*.") {
      (name, subdomains) = (name.dropFirst(2), .direct)
    }
    guard let host = builder.host(Located(String(name), at: pattern.place)) else { return nil }
    var keys: (active: [Int], backup: [Int]) = ([], [])
    for written in pattern.pins {
      guard let pin = pin(written, of: pattern) else { continue }
      let number = builder.key(pin, named: written.name.flatMap(PolicyName.of) ?? host.asPartOfName)
      if (keys.active + keys.backup).contains(number) { continue }
      if written.isBackup { keys.backup.append(number) } else { keys.active.append(number) }
    }
    guard !keys.active.isEmpty || !keys.backup.isEmpty else {
      builder.find(
        .unusableHost, at: pattern.place, "no pin of '\(pattern.text)' can be used; it was left out",
        help: "Add the host to the policy, with pins that 'pintle pin HOST:443' shows.")
      return nil
    }
    if keys.active.isEmpty { keys = (keys.backup, []) }
    return Entry(
      host: host, subdomains: subdomains, coversItself: subdomains != .direct, active: keys.active,
      backup: keys.backup, pattern: pattern.text, place: pattern.place)
  }

  private mutating func pin(_ written: OkHttpReader.WrittenPin, of pattern: OkHttpReader.Pattern) -> Located<Pin>? {
    guard !written.text.hasPrefix("sha1/") else {
      builder.find(
        .unusablePin, at: written.place,
        "\(ImportWords.quoted(written.text)) of '\(pattern.text)' is a SHA-1, which two keys can share, and was left out",
        help: "Compute the pin anew with 'pintle pin FILE' or 'pintle pin HOST:443', and add it to the policy.")
      return nil
    }
    return builder.pin(Located(written.text, at: written.place), of: pattern.text)
  }

  /// `name` and `*.name` with the same pins are one entry, and `**.name` is one with the others of its name.
  private mutating func joined(_ entries: [Entry]) -> [Entry] {
    var joined: [Entry] = []
    var numbers: [HostName: [Int]] = [:]
    // Those with two asterisks first, so that the others of their name find them.
    for entry in entries.filter({ $0.subdomains == .all }) + entries.filter({ $0.subdomains != .all }) {
      let others = numbers[entry.host] ?? []
      if let other = others.first(where: { joined[$0].subdomains == .all }) {
        if !Set(entry.keys).isSubset(of: joined[other].keys) {
          builder.find(
            .otherMeaning, at: entry.place,
            "'\(joined[other].pattern)' is for the names of '\(entry.pattern)' too, and OkHttp accepts the pins of both; "
              + "the policy has those of '\(joined[other].pattern)'",
            help: "Add to the entry in the policy the keys that its hosts have to be reached by.")
        }
      } else if let other = others.first(where: { Set(joined[$0].keys) == Set(entry.keys) }) {
        joined[other].subdomains = .direct
        joined[other].coversItself = true
      } else if let other = others.first, Set(joined[other].keys).isDisjoint(with: entry.keys) {
        // The host's own pins stay: which of the names below it there are, nobody here knows.
        let (own, below) = entry.coversItself ? (entry, joined[other]) : (joined[other], entry)
        joined[other] = own
        builder.find(
          .unreadablePart, at: below.place,
          "'\(below.pattern)' has other pins than '\(own.pattern)', and a policy has one entry for both; it was left out",
          help: "Name in the policy the hosts right below '\(own.host.text)', with the keys of '\(below.pattern)'.")
      } else {
        numbers[entry.host, default: []].append(joined.count)
        joined.append(entry)
      }
    }
    return joined
  }

  /// The part of an entry for names right below a host that a policy can have below an entry for all names.
  ///
  /// A policy's entry goes on to all names further down, to which OkHttp gives the pins of the entry above alone: with the
  /// pins of this one they would be held to less.
  ///
  /// - Returns: The entry; the host alone, where it is for that too; nil where nothing is left of it.
  private mutating func withinWhatIsAbove(_ entry: Entry, _ byHost: [HostName: [Entry]]) -> Entry? {
    guard entry.subdomains == .direct else { return entry }
    let above = Self.namesAbove(entry.host).lazy.flatMap { byHost[$0] ?? [] }
      .first { $0.subdomains == .all && !Set(entry.keys).isSubset(of: $0.keys) }
    guard let above else { return entry }
    builder.find(
      .otherMeaning, at: entry.place,
      "OkHttp accepts the pins of '\(entry.pattern)' for names right below '\(entry.host.text)' alone; the policy has those "
        + "of '\(above.pattern)' for them",
      help: "Name the hosts in the policy that have to be reached by the other keys.")
    guard entry.coversItself else { return nil }
    var host = entry
    host.subdomains = .none
    return host
  }

  /// The names above a host, the nearest first.
  private static func namesAbove(_ host: HostName) -> [HostName] {
    guard !host.isAddress else { return [] }
    let dots = host.text.indices.filter { host.text[$0] == "." }
    return dots.compactMap { try? HostName(canonicalising: String(host.text[host.text.index(after: $0)...])) }
  }

  /// Adds the pins of patterns for names above that cover all that the entry covers.
  private mutating func withThoseAbove(_ entry: Entry, _ byHost: [HostName: [Entry]]) -> Entry {
    var result = entry
    for (number, above) in Self.namesAbove(entry.host).enumerated() {
      for other in byHost[above] ?? [] {
        guard other.subdomains == .all || other.subdomains == .direct && number == 0 && entry.coversItself else {
          continue
        }
        let added = other.keys.filter { !result.keys.contains($0) }
        guard !added.isEmpty else { continue }
        let isCovered = other.subdomains == .all || entry.subdomains == .none
        if isCovered { result.active += added }
        builder.find(
          .otherMeaning, at: entry.place,
          "OkHttp accepts for '\(entry.pattern)' the pins of '\(other.pattern)' too; the policy "
            + (isCovered ? "has both for it" : "has its own alone"),
          help: isCovered
            ? "Take out of the entry in the policy the keys that its servers don't have."
            : "Add to the entry in the policy the keys that its hosts have to be reached by.")
      }
    }
    return result
  }
}

import Diagnostics
import PinFormat
import PinPolicy

/// Collects what an importer reads: keys once each, hosts, and what was wrong.
///
/// Which key is in use, which hosts are listed twice and what has expired is settled later, for all formats alike.
struct ImportBuilder {
  /// What tells two keys of a list apart.
  private struct Identity: Hashable {
    var pin: Pin
    var position: KeyPosition?
    var owner: PinList.Owner?
  }

  private(set) var list = PinList()
  private(set) var findings: [ImportFinding] = []
  private var numbers: [Identity: Int] = [:]
  private var names = TakenNames()
  private var setNames = TakenNames()
  private var places = ImportedPins.Places()
  /// Where pins were that can't be used.
  private var placesOfPins: Set<Place> = []
  /// Settings that a policy doesn't have: what each says, where it is first, and how often.
  private var settings: [String: (meaning: String, first: Place, count: Int)] = [:]
  /// Hosts without a usable pin.
  private var leftOut: [Located<HostName>] = []

  /// Tells what is wrong; of a pin that several hosts share, once.
  mutating func find(_ kind: ImportFinding.Kind, at place: Place, _ message: String, help: String) {
    if kind == .unusablePin, !placesOfPins.insert(place).inserted { return }
    findings.append(ImportFinding(kind, at: place, message, help: help))
  }

  /// The pin of a text; nil, and a finding, where it isn't valid.
  mutating func pin(_ written: Located<String>, of host: String) -> Located<Pin>? {
    switch WrittenPin(written.value) {
    case .pin(let pin): return Located(pin, at: written.place)
    case .unusable(let reason, let help):
      let shown = VisibleText.of(String(written.value.prefix(80)))
      find(.unusablePin, at: written.place, "pin '\(shown)' of '\(host)' was left out: it \(reason)", help: help)
      return nil
    }
  }

  /// The host of a text; nil, and a finding, where it isn't valid.
  ///
  /// - Parameters:
  ///   - written: The text.
  ///   - reader: Who compares it: `Android`.
  ///   - compared: The text as the reader compares it with the host of a connection, which is in A-labels.
  /// - Returns: The host, and whether the text begins with a wildcard.
  mutating func host(
    _ written: Located<String>, readBy reader: String, compared: (String) -> String
  ) -> (host: HostName, isWildcard: Bool)? {
    let text = written.value
    let isWildcard = text.hasPrefix("*.") || text.hasPrefix(".")
    let name = String(isWildcard ? text.drop { $0 == "*" || $0 == "." } : text[...])
    let shown = VisibleText.of(String(text.prefix(80)))
    do {
      let host = try InternationalName.host(name)
      if isWildcard || compared(name) != host.text {
        find(
          .otherMeaning, at: written.place,
          "\(reader) takes '\(shown)' literally, so it matches nothing; the policy pins '\(host.text)'"
            + (isWildcard ? " and all names below it" : ""),
          help: "Write '\(host.text)' there until the file is exported from the policy.")
      }
      return (host, isWildcard)
    } catch {
      find(
        .unusableHost, at: written.place, "'\(shown)' can't be a host in a policy, and was left out: \(error.reason)",
        help: "Give only the host, such as 'api.example.com'.")
      return nil
    }
  }

  /// The host of a text without a wildcard; nil, and a finding, where it isn't valid.
  mutating func host(_ text: String, at place: Place) -> HostName? {
    do {
      return try InternationalName.host(text)
    } catch {
      find(
        .unusableHost, at: place, "\(ImportWords.quoted(text)) is not a host that a policy can name",
        help: "Write only the DNS name: letters, digits and hyphens between dots.")
      return nil
    }
  }

  /// The number of a key that the file names, by that name as a policy may write it.
  mutating func key(_ key: PinList.Key, at place: Place) -> Int {
    var key = key
    key.name = names.take(PolicyName.of(key.name) ?? "key")
    places.keys[key.name] = place
    list.keys.append(key)
    return list.keys.count - 1
  }

  /// The number of a key, which is made where the list has none with this pin, position and owner.
  mutating func key(
    _ pin: Located<Pin>, named name: @autoclosure () -> String, at position: KeyPosition? = nil,
    owner: PinList.Owner? = nil
  ) -> Int {
    let identity = Identity(pin: pin.value, position: position, owner: owner)
    if let number = numbers[identity] { return number }
    let unique = names.take(name(), atMost: .max)
    numbers[identity] = list.keys.count
    places.keys[unique] = pin.place
    list.keys.append(PinList.Key(name: unique, pin: pin.value, position: position, owner: owner))
    return list.keys.count - 1
  }

  /// A set of keys that the file names, by that name as a policy may write it.
  mutating func keySet(_ keys: [Int], named name: String, at place: Place?) -> Int {
    let name = setNames.take(PolicyName.of(name) ?? "pins")
    places.keySets[name] = place
    list.keySets.append(PinList.KeySet(name: name, active: keys))
    return list.keySets.count - 1
  }

  /// A set of one host's keys, each once; most files don't say which of them are backups.
  mutating func keySet(_ members: [Int]) -> Int {
    var seen: Set<Int> = []
    list.keySets.append(PinList.KeySet(name: nil, active: members.filter { seen.insert($0).inserted }))
    return list.keySets.count - 1
  }

  /// Leaves out a host that the file pins, but with no pin that can be used.
  mutating func leaveOut(_ host: HostName, at place: Place) { leftOut.append(Located(host, at: place)) }

  /// Leaves out a setting of the other tool that a policy doesn't have.
  ///
  /// - Parameters:
  ///   - name: As the file writes it.
  ///   - place: Where it is.
  ///   - meaning: What it says, as the rest of a sentence: `whether the app may connect without TLS`.
  mutating func leaveOut(setting name: String, at place: Place, _ meaning: String) {
    settings[name, default: (meaning, place, 0)].count += 1
  }

  mutating func add(_ host: PinList.Host, at place: Place) {
    list.hosts.append(host)
    if places.hosts[host.label] == nil { places.hosts[host.label] = place }
  }

  /// What was read, hosts in order; entries that remove what nothing covers say nothing of pins, and are left out.
  consuming func imported() -> ImportedPins {
    list.hosts.sort { ($0.host.text, $0.port ?? 0) < ($1.host.text, $1.port ?? 0) }
    let coverage = Coverage(list.hosts)
    for host in leftOut {
      let name = host.value.text
      let above = coverage.name(above: host.value)
      find(
        .unusablePin, at: host.place,
        "no pin of '\(name)' can be used, so the host was left out"
          + (above.map { ", and the pins of '\($0)' apply to it" } ?? ""),
        help: "Compute the pins of its keys with 'pintle pin FILE'"
          + (above == nil ? "." : "; if it shouldn't be pinned, add an entry with 'mode: off' to the policy."))
    }
    for (name, setting) in settings {
      find(
        .otherSetting, at: setting.first,
        "'\(name)'\(setting.count > 1 ? " (\(setting.count) times)" : "") was left out: it says \(setting.meaning), and a "
          + "policy has no such setting",
        help: "Keep it where it is, if the app needs it: an export doesn't write it.")
    }
    let isSilent = { (host: PinList.Host) in host.mode == .off && !coverage.covers(host) }
    let silent = list.hosts.filter(isSilent)
    list.hosts.removeAll(where: isSilent)
    if let first = silent.first, let place = silent.compactMap({ places.hosts[$0.label] }).min() {
      let others = silent.count > 1 ? " and \(silent.count - 1) more" : ""
      find(
        .nothingPinned, at: place, "'\(first.label)'\(others) \(silent.count > 1 ? "have" : "has") no pins",
        help: "There is nothing to do: a policy names only the hosts that it pins.")
    }
    findings.sort { ($0.place, $0.kind.rawValue, $0.message) < ($1.place, $1.kind.rawValue, $1.message) }
    var imported = ImportedPins(list, findings: findings)
    imported.places = places
    return imported
  }
}

extension HostName {
  /// A part of a key's name: `api-example-com`.
  var asPartOfName: String { String(text.map { $0 == "." || $0 == ":" ? "-" : $0 }) }
}

/// Turns of phrase of importers.
enum ImportWords {
  /// A text of an imported file as a message may quote it.
  static func quoted(_ text: String, most: Int = 60) -> String {
    let shown = VisibleText.of(String(text.prefix(most)))
    return text.count > most ? "'\(shown)…'" : "'\(shown)'"
  }
}

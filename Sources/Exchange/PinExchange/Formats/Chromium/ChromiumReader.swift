import Diagnostics
import PinFormat

/// Makes a list of Chromium's files.
struct ChromiumReader {
  /// A pin set that was read.
  private struct PinSet {
    /// Nil where none of its keys is there.
    var number: Int?
    var reportURI: String?
  }

  /// A key that pin sets don't allow.
  private struct Denial {
    var place: Place
    var keyName: String
    var sets: Set<String> = []
  }

  private(set) var builder: ImportBuilder
  private let list: ChromiumList
  private var pinSets: [String: PinSet] = [:]
  private var keyNumbers: [String: Int] = [:]
  private var denied: [Pin: Int] = [:]
  private var denials: [Pin: Denial] = [:]
  /// Whether each pinned name covers those below it, to find the entries that remove a name.
  private var pinned: [String: Bool] = [:]

  init(_ list: ChromiumList, _ builder: ImportBuilder) {
    self.list = list
    self.builder = builder
  }

  mutating func read() {
    for document in list.documents {
      for member in document.root.members ?? [] where !["pinsets", "entries"].contains(member.name.text) {
        unknown(member)
      }
      readPinSets(document.root)
    }
    tellOfDenials()
    var unpinned: [LocatedJSON.Value] = []
    for document in list.documents {
      guard let entries = items("entries", of: document.root) else { continue }
      for entry in entries {
        guard entry["pins"] != nil else {
          unpinned.append(entry)
          continue
        }
        pinnedEntry(entry)
      }
    }
    exclude(unpinned)
  }

  private mutating func items(_ name: StaticString, of root: LocatedJSON.Value) -> [LocatedJSON.Value]? {
    guard let list = root[name] else { return nil }
    guard let items = list.items else {
      builder.find(
        .unreadablePart, at: list.place, "'\(name)' is \(list.noun) and not a list", help: "Write it in '[' and ']'.")
      return nil
    }
    return items
  }

  private static let setFields: Set<String> = ["name", "static_spki_hashes", "bad_static_spki_hashes", "report_uri"]

  private mutating func readPinSets(_ root: LocatedJSON.Value) {
    for item in items("pinsets", of: root) ?? [] {
      guard let name = item["name"]?.text else {
        builder.find(.unreadablePart, at: item.place.firstLine, "a pin set has no name", help: "Give it a 'name'.")
        continue
      }
      if pinSets[name] != nil {
        builder.find(
          .contradiction, at: item["name"]?.place ?? item.place,
          "the pin set '\(name)' is listed twice; the first one was used", help: "Give the second one another name."
        )
        continue
      }
      for member in item.members ?? [] where !Self.setFields.contains(member.name.text ?? "") { unknown(member) }
      pinSet(item, name)
    }
  }

  private mutating func unknown(_ member: LocatedJSON.Member) {
    builder.find(
      .unknownField, at: member.name.place,
      "\(ImportWords.quoted(member.name.text ?? "")) is not a known field, and Chromium rejects the file",
      help: "Check whether a field is misspelt.")
  }

  private mutating func pinSet(_ item: LocatedJSON.Value, _ name: String) {
    for value in items("bad_static_spki_hashes", of: item) ?? [] {
      guard let entry = namedKey(value, of: name) else { continue }
      denials[entry.key.pin, default: Denial(place: value.place, keyName: entry.key.name)].sets.insert(name)
      guard denied[entry.key.pin] == nil else { continue }
      var key = entry.key
      key.denied = "not allowed by the pin set '\(name)' of Chromium's list"
      key.name += "-denied"
      denied[key.pin] = builder.key(key, at: entry.place)
    }
    let keys = (items("static_spki_hashes", of: item) ?? []).compactMap { keyNumber($0, of: name) }
    var set = PinSet(reportURI: item["report_uri"]?.text)
    if let address = item["report_uri"], address.text == nil {
      builder.find(
        .unreadablePart, at: address.place,
        "'report_uri' of the pin set '\(name)' is \(address.noun), and was left out",
        help: "Write it as a string.")
    }
    if keys.isEmpty {
      builder.find(
        .unreadablePart, at: item.place.firstLine,
        "the pin set '\(name)' has no key that is defined, so its hosts were left out",
        help: "Name keys of the .pins file in 'static_spki_hashes'.")
    } else {
      set.number = builder.keySet(keys, named: name, at: item["name"]?.place)
    }
    pinSets[name] = set
  }

  /// A policy's denial holds for every host, Chromium's for the hosts of a pin set.
  private mutating func tellOfDenials() {
    let all = Set(pinSets.keys)
    for denial in denials.values.sorted(by: { $0.place < $1.place }) where denial.sets != all {
      builder.find(
        .otherMeaning, at: denial.place,
        "'\(denial.keyName)' is denied only for the hosts of \(ImportDraft.names(denial.sets.sorted())); the policy denies "
          + "it for every host",
        help: "Check whether a host of another pin set presents it.")
    }
  }

  private mutating func namedKey(_ value: LocatedJSON.Value, of set: String) -> ChromiumPinsFile.Entry? {
    if let name = value.text, let entry = list.keys.entries[name] { return entry }
    let what = value.text.map { ImportWords.quoted($0) } ?? value.noun
    builder.find(
      .unusablePin, at: value.place, "\(what) of the pin set '\(set)' isn't in the .pins file",
      help: "Give the .pins file that belongs to the JSON, or add the key to it.")
    return nil
  }

  private mutating func keyNumber(_ value: LocatedJSON.Value, of set: String) -> Int? {
    guard let entry = namedKey(value, of: set) else { return nil }
    if let number = keyNumbers[entry.key.name] { return number }
    let number = builder.key(entry.key, at: entry.place)
    keyNumbers[entry.key.name] = number
    return number
  }

  private static let entryFields: Set<String> = [
    "name", "include_subdomains", "include_subdomains_for_pinning", "pins",
  ]

  private static let otherSettings = [
    "policy": "how the entry came into the list", "mode": "whether browsers connect with TLS only",
    "expect_ct": "that certificates must be in the logs of Certificate Transparency",
    "expect_ct_report_uri": "where reports of missing logs go", "expect_staple": "that servers send an OCSP response",
    "expect_staple_report_uri": "where reports of missing OCSP responses go",
    "include_subdomains_for_expect_staple": "whether names below send OCSP responses",
  ]

  private mutating func tellNameless(_ entry: LocatedJSON.Value) {
    builder.find(
      .unreadablePart, at: entry.place.firstLine, "an entry has no name", help: "Give it the host as 'name'.")
  }

  /// A field that is true or false, and false if it isn't given; another value is listed, and more is pinned by true.
  private mutating func truth(_ field: StaticString, of entry: LocatedJSON.Value) -> Bool {
    guard let value = entry[field] else { return false }
    if let truth = value.bool { return truth }
    builder.find(
      .unreadablePart, at: value.place, "'\(field)' is \(value.noun); true was assumed", help: "Write true or false.")
    return true
  }

  private mutating func pinnedEntry(_ entry: LocatedJSON.Value) {
    guard let name = entry["name"], let text = name.text else { return tellNameless(entry) }
    for member in entry.members ?? [] where !Self.entryFields.contains(member.name.text ?? "") {
      if let field = member.name.text, let meaning = Self.otherSettings[field] {
        builder.leaveOut(setting: field, at: member.name.place, meaning)
      } else {
        unknown(member)
      }
    }
    guard let host = builder.host(text, at: name.place) else { return }
    guard let pins = entry["pins"]?.text, let set = pinSets[pins] else {
      builder.find(
        .unreadablePart, at: entry["pins"]?.place ?? entry.place.firstLine, "the pin set of '\(host)' isn't defined",
        help: "Name one of 'pinsets'.")
      return
    }
    guard let number = set.number else { return }
    let covers = truth("include_subdomains", of: entry) || truth("include_subdomains_for_pinning", of: entry)
    pinned[host.text] = (pinned[host.text] ?? false) || covers
    var result = PinList.Host(
      host: host, subdomains: covers && !host.isAddress ? .all : .none, mode: .enforce, keySet: number)
    if let timestamp = list.keys.timestamp {
      result.expires = timestamp.adding(seconds: ChromiumFormat.enforcedFor)
      result.onExpiry = .unpinned
    }
    result.reportURIs = set.reportURI.map { [$0] } ?? []
    builder.add(result, at: name.place)
  }

  /// An entry without pins removes its name from what the entry above it pins; all others are counted.
  private mutating func exclude(_ entries: [LocatedJSON.Value]) {
    var others = 0
    var first: Place?
    for entry in entries {
      guard let name = entry["name"], let text = name.text else {
        tellNameless(entry)
        continue
      }
      guard isBelowPinned(text), pinned[text] == nil, let host = builder.host(text, at: name.place) else {
        others += 1
        if first == nil { first = name.place }
        continue
      }
      let covers = truth("include_subdomains", of: entry)
      builder.add(
        PinList.Host(host: host, subdomains: covers ? .all : .none, mode: .off, keySet: nil), at: name.place)
    }
    guard let first else { return }
    builder.find(
      .nothingPinned, at: first,
      "\(counted(others, "entry", plural: "entries")) of the file \(others == 1 ? "has no pins and was" : "have no pins and were") not imported",
      help: "There is nothing to do: servers set HSTS themselves.")
  }

  private func isBelowPinned(_ name: String) -> Bool {
    NamesAbove.all(of: name).contains { pinned[$0] == true }
  }
}

extension Place {
  /// The place up to the end of its first line, so that an excerpt of it is one line.
  fileprivate var firstLine: Place {
    guard end.line > start.line else { return self }
    return Place(file: file, start: start, end: Position(line: Int(start.line), column: Int(start.column) + 1))
  }
}

import Diagnostics
import PinFormat

extension ImportFormat {
  /// Firefox's preloaded pins: `PreloadedHPKPins.json`, and beside it what knows the certificates that it names.
  ///
  /// The JSON has comments, `pinsets` (`sha256_hashes` are names of Mozilla's root store) and `entries` with `test_mode`.
  /// What belongs to the names is in the generated `StaticHPKPins.h`, or in certificates as PEM such as curl's
  /// `cacert.pem`. Firefox goes up from a name to the nearest one with an entry, and passes entries over that don't
  /// include their subdomains.
  package static let firefox = ImportFormat(
    name: "firefox", title: "Firefox's PreloadedHPKPins.json, with StaticHPKPins.h or certificates",
    citation: "Firefox, security/manager/tools/PreloadedHPKPins.json and genHPKPStaticPins.js", files: 1...8,
    read: { files, _ throws(ExchangeError) in
      var names = CertificateNames()
      var documents: [LocatedJSON] = []
      for (number, file) in files.enumerated() {
        if ChromiumList.isJSON(file.bytes), !file.name.hasSuffix(".h") {
          documents.append(try LocatedJSON(file.bytes, file: FileID(number), allowsComments: true))
          continue
        }
        guard (try? UTF8Span(validating: file.bytes.span)) != nil else {
          throw ExchangeError(.notJSON, "\(ImportWords.quoted(file.name)) isn't UTF-8")
        }
        let text = String(decoding: file.bytes, as: UTF8.self)
        if text.contains("-----BEGIN ") {
          try names.readPEM(text, file: FileID(number))
        } else {
          names.readHeader(text, file: FileID(number))
        }
      }
      guard let document = documents.first, documents.count == 1 else {
        throw ExchangeError(.missingField, "there has to be one JSON file among them")
      }
      var reader = FirefoxReader(names)
      try reader.read(document.root)
      return reader.builder.imported
    })
}

private struct FirefoxReader {
  var builder = PinListBuilder()
  private let names: CertificateNames
  /// The pin sets that have a key.
  private var sets: [String: Int] = [:]
  private var known: Set<String> = []
  private var keyNumbers: [String: Int] = [:]

  init(_ names: CertificateNames) {
    self.names = names
  }

  mutating func read(_ root: LocatedJSON.Value) throws(ExchangeError) {
    guard let pinSets = root["pinsets"]?.items, let entries = root["entries"]?.items else {
      throw ExchangeError(.missingField, "'pinsets' and 'entries' aren't both there as lists")
    }
    if let chromium = root["chromium_data"] {
      builder.find(
        .nothingPinned, at: chromium.place.firstLine,
        "'chromium_data' points to Chromium's list, whose pins aren't in this file",
        help: "Import that list as well: pintle import chromium.")
    }
    for item in pinSets { pinSet(item) }
    for entry in entries { self.entry(entry) }
  }

  private mutating func pinSet(_ item: LocatedJSON.Value) {
    guard let name = item["name"]?.text else {
      builder.find(.unreadablePart, at: item.place.firstLine, "a pin set has no name", help: "Give it a 'name'.")
      return
    }
    known.insert(name)
    let keys = (item["sha256_hashes"]?.items ?? []).compactMap { key($0, of: name) }
    guard !keys.isEmpty else { return }
    let setName = builder.setName(name)
    sets[name] = builder.keySet(PinList.KeySet(name: setName, active: keys), at: item["name"]?.place)
  }

  /// A name of a certificate; or a pin itself, as forks of the file have it.
  private mutating func key(_ value: LocatedJSON.Value, of set: String) -> Int? {
    guard let name = value.text else {
      builder.find(
        .unusablePin, at: value.place.firstLine, "a key of the pin set '\(set)' is \(value.noun) and not a text",
        help: "Name a certificate of Mozilla's root store.")
      return nil
    }
    if let number = keyNumbers[name] { return number }
    let number: Int
    if let named = names.keys[name] {
      number = builder.key(named.key, at: named.place)
    } else if let bytes = Base64.decode(name.utf8), let digest = SHA256Digest(bytes) {
      number = builder.key(Pin(digest), nameHint: "\(set)-\(keyNumbers.count + 1)", at: value.place)
    } else {
      builder.find(
        .unusablePin, at: value.place,
        "\(ImportWords.quoted(name)) of the pin set '\(set)' is a name, and none of the files has its certificate",
        help: "Give Firefox's StaticHPKPins.h, or the certificates as PEM, after the JSON.")
      return nil
    }
    keyNumbers[name] = number
    return number
  }

  private static let fields: Set<String> = ["name", "include_subdomains", "pins", "test_mode", "id"]

  private mutating func entry(_ entry: LocatedJSON.Value) {
    guard let name = entry["name"], let text = name.text else {
      builder.find(
        .unreadablePart, at: entry.place.firstLine, "an entry has no name", help: "Give it the host as 'name'.")
      return
    }
    for member in entry.members ?? [] where !Self.fields.contains(member.name.text ?? "") {
      builder.find(
        .unknownField, at: member.name.place,
        "\(ImportWords.quoted(member.name.text ?? "")) is not a known field",
        help: "Check whether a field is misspelt.")
    }
    guard let host = builder.host(text, at: name.place) else { return }
    let pins = entry["pins"]?.text ?? ""
    guard let set = sets[pins] else {
      builder.find(
        .unreadablePart, at: entry["pins"]?.place ?? entry.place.firstLine,
        known.contains(pins)
          ? "no key of the pin set of '\(host)' can be used, and the host was left out"
          : "the pin set of '\(host)' isn't defined",
        help: "Name one of 'pinsets', and give the certificates of its keys.")
      return
    }
    let isTried = entry["test_mode"]?.bool == true
    if isTried {
      builder.find(
        .notEnforced, at: name.place, "'\(host)' is in test mode: Firefox counts mismatches and blocks none",
        help: "Keep 'mode: report-only', or change to 'enforce' once no mismatches are reported.")
    }
    var result = PinList.Host(
      host: host, subdomains: entry["include_subdomains"]?.bool == true && !host.isAddress ? .all : .none,
      mode: isTried ? .reportOnly : .enforce, keySet: set)
    if let expires = names.expires { (result.expires, result.onExpiry) = (expires, .unpinned) }
    builder.host(result, at: name.place)
  }
}

extension Place {
  /// The place up to the end of its first line, so that an excerpt of it is one line.
  var firstLine: Place {
    guard end.line > start.line else { return self }
    return Place(
      file: file, start: start, end: Position(line: Int(start.line), column: Int(start.column) + 1))
  }
}

import Diagnostics
import PinFormat

extension ImportFormat {
  /// Response heads, or the header alone.
  package static let hpkp = ImportFormat(
    name: "hpkp", title: "HTTP's Public-Key-Pins headers", citation: HPKPFeatures.citation, files: 1...100,
    maximumBytes: 8 << 20
  ) { files, settings throws(ExchangeError) in
    var reader = HPKPReader(settings)
    for (number, file) in files.enumerated() { try reader.read(file, FileID(number)) }
    return try reader.imported()
  }
}

/// Reads headers as a user agent does (RFC 7469 sections 2.1 and 2.3), and says what it would ignore.
struct HPKPReader {
  private let settings: ImportSettings
  private var builder = ImportBuilder()
  private var hasHeader = false

  init(_ settings: ImportSettings) {
    self.settings = settings
  }

  func imported() throws(ExchangeError) -> ImportedPins {
    guard hasHeader else {
      throw ExchangeError(
        .missingField, "it has no 'Public-Key-Pins' header", help: "Give the header of a response, or this header only."
      )
    }
    return builder.imported()
  }

  mutating func read(_ file: ExchangedFile, _ number: FileID) throws(ExchangeError) {
    let lines = LineOffsets(file.bytes)
    let places = { (range: Range<Int>) in lines.visiblePlace(of: range, in: number) }
    var named: HostName?
    var seen: Set<String> = []
    for line in HPKPLine.all(in: file.bytes) {
      switch line.kind {
      case .response: seen = []
      case .host(let text):
        named = builder.host(Located(text, at: places(line.range)))
        seen = []
      case .header(let isObserved):
        hasHeader = true
        let place = places(line.range)
        // Of several, a user agent takes the first (section 2.3.1).
        guard seen.insert(isObserved ? "observed" : "enforced").inserted else {
          builder.find(
            .contradiction, at: place, "the header is there twice, and browsers use only the first",
            help: "Put all pins into one header.")
          continue
        }
        read(HPKPDirectives(file.bytes, line.range), isObserved, of: settings.host ?? named, place, places)
      }
    }
  }

  private mutating func read(
    _ directives: HPKPDirectives, _ isObserved: Bool, of host: HostName?, _ place: Place,
    _ places: (Range<Int>) -> Place
  ) {
    guard let host else {
      return builder.find(
        .unusableHost, at: place, "no host is given for this header; it was left out", help: "Pass --host.")
    }
    guard !host.isAddress else {
      return builder.find(
        .unusableHost, at: place, "'\(host.text)' is an IP address, for which browsers ignore pins",
        help: "Give the name of the host with --host.")
    }
    if let problem = directives.problem {
      return builder.find(
        .unreadablePart, at: places(problem.range),
        "\(problem.message): browsers ignore the header, and it was left out",
        help: "Fix the header (RFC 7469 section 2.1), or add the host to the policy by hand.")
    }
    guard isObserved || directives.maximumAge != nil else {
      return builder.find(
        .unreadablePart, at: place, "the header has no 'max-age': browsers ignore it, and it was left out",
        help: "Add 'max-age', or add the host to the policy by hand.")
    }
    var keys: [Int] = []
    var listed: Set<Int> = []
    for directive in directives.pins {
      let found = places(directive.range)
      guard directive.name == "pin-sha256" else {
        builder.find(
          .unusablePin, at: found, "\(ImportWords.quoted(directive.name)) is not a SHA-256 pin: browsers ignore it",
          help: "Compute the pin again with 'pintle pin FILE' or 'pintle pin HOST:443', and add it to the policy.")
        continue
      }
      guard let pin = builder.pin(Located(directive.value ?? "", at: found), of: host.text) else { continue }
      let key = builder.key(pin, named: host.asPartOfName)
      if listed.insert(key).inserted { keys.append(key) }
    }
    for directive in directives.unknown {
      builder.find(
        .unknownField, at: places(directive.range),
        "\(ImportWords.quoted(directive.name)) is not a known directive, and browsers ignore it",
        help: "Remove it, or correct its name.")
    }
    guard !keys.isEmpty else {
      return builder.find(
        .unusableHost, at: place, "no pin of '\(host.text)' can be used; it was left out",
        help: "Add the host to the policy, with pins that 'pintle pin HOST:443' shows.")
    }
    let set = builder.keySet(keys)
    var entry = PinList.Host(
      host: host, subdomains: directives.includesSubdomains ? .all : .none, mode: isObserved ? .reportOnly : .enforce,
      keySet: set)
    if let address = directives.reportURI { entry.reportURIs = [address] }
    if !isObserved, let age = directives.maximumAge {
      entry.expires = settings.instant.adding(seconds: age)
      entry.onExpiry = .unpinned
    }
    builder.add(entry, at: place)
  }
}

import Diagnostics
import PinFormat
import PinPolicy

extension ImportFormat {
  /// Config files, command lines and scripts that call curl with `--pinnedpubkey`.
  package static let curl = ImportFormat(
    name: "curl", title: "the pins of curl's --pinnedpubkey, in config files, scripts and command lines",
    citation: CurlFeatures.citation, files: 1...100, maximumBytes: 4 << 20
  ) { files, settings throws(ExchangeError) in
    var reader = CurlReader(settings)
    for (number, file) in files.enumerated() { try reader.read(file, FileID(number)) }
    return try reader.imported()
  }
}

/// Reads what each transfer is pinned to: the addresses and the option of one `curl`, or of one part of a config file.
struct CurlReader {
  private let settings: ImportSettings
  private var builder = ImportBuilder()
  private var hasPins = false

  init(_ settings: ImportSettings) {
    self.settings = settings
  }

  mutating func read(_ file: ExchangedFile, _ number: FileID) throws(ExchangeError) {
    let places = TextPlaces(file.bytes, file: number)
    for transfer in CurlText(file.bytes).transfers() { read(transfer, places) }
  }

  func imported() throws(ExchangeError) -> ImportedPins {
    guard hasPins else {
      throw ExchangeError(
        .missingField, "no '--pinnedpubkey' is in it",
        help: "Give a config file, a script or a command line of curl; a bare 'sha256//…' needs --host besides.")
    }
    return builder.imported()
  }

  private mutating func read(_ transfer: CurlTransfer, _ places: TextPlaces) {
    guard let option = transfer.pins.last else { return }
    hasPins = true
    let place = places.place(option.range)
    if let first = transfer.pins.first, first.text != option.text {
      builder.find(
        .contradiction, at: place, "one transfer has several '--pinnedpubkey', of which curl takes the last",
        help: "Leave the others out, or put their pins into one with ';' between them.")
    }
    let hosts = hosts(of: transfer, place, places)
    guard !hosts.isEmpty else { return }
    guard option.isKnown else {
      return builder.find(
        .unreadablePart, at: place,
        "what '--pinnedpubkey' is given is known when the script runs only; it was left out",
        help: "Give a file in which the pins themselves stand, or add them to the policy by hand.")
    }
    guard option.text.hasPrefix("sha256//") else {
      return builder.find(
        .unreadablePart, at: place, "\(ImportWords.quoted(option.text)) is the name of a key's file; it was left out",
        help: "Put that file beside the policy, and give it as 'file:' of a key.")
    }
    let label = "'\(hosts[0].host.text)'"
    var keys: [Int] = []
    for text in option.text.split(separator: ";") {
      let body = text.hasPrefix("sha256//") ? String(text.dropFirst("sha256//".count)) : String(text)
      guard let pin = builder.pin(Located(body, at: place), of: hosts[0].host.text) else { continue }
      // curl compares the leaf alone.
      keys.append(builder.key(pin, named: hosts[0].host.asPartOfName, at: .leaf))
    }
    guard !keys.isEmpty else { return }
    if transfer.isInsecure {
      builder.find(
        .otherMeaning, at: place, "curl is told not to validate the chain of \(label); the policy has it validated",
        help: "Give the anchors of its own CA as 'trust:' in the policy, where it isn't signed by a public one.")
    }
    let set = builder.keySet(keys)
    for (host, port) in hosts {
      builder.add(PinList.Host(host: host, port: port, subdomains: .none, mode: .enforce, keySet: set), at: place)
    }
  }

  private mutating func hosts(
    of transfer: CurlTransfer, _ place: Place, _ places: TextPlaces
  ) -> [(host: HostName, port: UInt16?)] {
    var hosts: [(host: HostName, port: UInt16?)] = []
    for address in transfer.addresses {
      let found = places.place(address.range)
      guard address.isKnown else {
        builder.find(
          .unusableHost, at: found, "the host of the address is known when the script runs only; it was left out",
          help: "Add the host to the policy by hand.")
        continue
      }
      let (name, port) = Self.authority(of: address.text)
      guard let host = builder.host(Located(name, at: found)) else { continue }
      hosts.append((host, port))
    }
    if transfer.addresses.isEmpty {
      guard let host = settings.host else {
        builder.find(
          .unusableHost, at: place, "no address says which host the pins are for; they were left out",
          help: "Say it with --host.")
        return []
      }
      hosts.append((host, nil))
    }
    return hosts
  }

  /// The host and the port of an address: `https://user@host:8443/path`.
  static func authority(of address: String) -> (host: String, port: UInt16?) {
    var rest = address[...]
    if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      let after = rest[rest.index(after: end)...]
      return (String(rest[...end]), after.hasPrefix(":") ? UInt16(after.dropFirst()) : nil)
    }
    guard let colon = rest.lastIndex(of: ":") else { return (String(rest), nil) }
    return (String(rest[..<colon]), UInt16(rest[rest.index(after: colon)...]))
  }
}

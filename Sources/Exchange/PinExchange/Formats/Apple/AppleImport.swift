import Diagnostics
import PinFormat
import PinPolicy

extension ImportFormat {
  /// `NSPinnedDomains`: an Info.plist, or a part of one.
  package static let apple = ImportFormat(
    name: "apple", title: "Apple's NSPinnedDomains, in an Info.plist or a part of one",
    citation: AppleFeatures.citation, maximumBytes: XMLInput.maximumBytes
  ) { files, _ throws(ExchangeError) in
    try AppleReader.read(files[0])
  }
}

/// Reads the pins from an Info.plist's `NSPinnedDomains`.
enum AppleReader {
  private static let known: Set<String> = ["NSIncludesSubdomains", "NSPinnedCAIdentities", "NSPinnedLeafIdentities"]

  private static let otherSettings = [
    "NSAllowsArbitraryLoads": "that the app may connect without TLS, or with weak TLS",
    "NSAllowsArbitraryLoadsForMedia": "that media may be loaded without TLS",
    "NSAllowsArbitraryLoadsInWebContent": "that web views may load pages without TLS",
    "NSAllowsLocalNetworking": "that local servers may be reached without TLS",
    "NSExceptionDomains": "which hosts may have no TLS, or weak TLS",
  ]

  static func read(_ file: ExchangedFile) throws(ExchangeError) -> ImportedPins {
    let root = try PropertyList(file)
    var builder = ImportBuilder()
    let security = root["NSAppTransportSecurity"] ?? root
    var tables = security["NSPinnedDomains"].map { [$0] } ?? []
    for (key, value) in root["NSAppTransportSecurity"]?.pairs ?? [] where key.value != "NSPinnedDomains" {
      if key.value == "NSExceptionDomains", let fields = exceptionFields(value), !fields.isEmpty {
        builder.find(
          .otherSetting, at: key.place,
          "'NSExceptionDomains' was left out, with \(fields.map { "'\(VisibleText.of($0))'" }.listed())",
          help: fields.contains("NSExceptionMinimumTLSVersion")
            ? "For the oldest TLS of a host, write 'trust: minimum-tls:'; a policy has none of the others."
            : "A policy has no such settings: they stay in the app.")
        continue
      }
      let meaning = otherSettings[key.value] ?? "something that isn't about pins"
      builder.leaveOut(setting: VisibleText.of(key.value), at: key.place, meaning)
    }
    if let other = root["TSKConfiguration"] ?? root["TSKPinnedDomains"] {
      builder.find(
        .otherSetting, at: other.place, "'TSKConfiguration' was left out: these are pins of TrustKit, not of Apple's",
        help: "Read them too, with 'pintle import trustkit-ios'.")
    }
    // A common mistake: the table is inside an exception, where iOS ignores it.
    for exception in (security["NSExceptionDomains"]?.pairs ?? []).map(\.value) {
      guard let pair = exception.pairs?.first(where: { $0.key.value == "NSPinnedDomains" }) else { continue }
      builder.find(
        .otherMeaning, at: pair.key.place,
        "Apple reads 'NSPinnedDomains' only in 'NSAppTransportSecurity' and ignores this one; the policy pins it",
        help: "Move it out of 'NSExceptionDomains'.")
      tables.append(pair.value)
    }
    guard !tables.isEmpty else {
      throw ExchangeError(
        .missingField, "it has no 'NSPinnedDomains'", at: root.place,
        help: "Give the Info.plist that has 'NSAppTransportSecurity', or that part of it.")
    }
    var seen: Set<HostName> = []
    for table in tables {
      guard let pairs = table.pairs else {
        throw ExchangeError(
          .invalidValue, "'NSPinnedDomains' is \(table.kind), and not a dictionary", at: table.place)
      }
      for (name, value) in pairs { add(name, value, &seen, to: &builder) }
    }
    return builder.imported()
  }

  /// The settings of all exceptions, each once.
  private static func exceptionFields(_ exceptions: PropertyList) -> [String]? {
    exceptions.pairs.map { hosts in
      Set(hosts.flatMap { ($0.value.pairs ?? []).map(\.key.value) }).subtracting(["NSPinnedDomains"]).sorted()
    }
  }

  private static func add(
    _ name: Located<String>, _ entry: PropertyList, _ seen: inout Set<HostName>, to builder: inout ImportBuilder
  ) {
    guard let (host, isWildcard) = builder.host(name, readBy: "Apple", compared: { $0 }) else { return }
    if !seen.insert(host).inserted {
      builder.find(
        .contradiction, at: name.place, "'\(host.text)' is listed twice, and one of them counts",
        help: "Keep the one that is meant.")
    }
    for (key, _) in entry.pairs ?? [] where !known.contains(key.value) {
      builder.find(
        .unknownField, at: key.place, "Apple ignores '\(VisibleText.of(key.value))', and so does the import",
        help: "Compare the name with Apple's documentation of 'NSPinnedDomains'.")
    }
    let leaf = pins(of: entry["NSPinnedLeafIdentities"], for: host, &builder)
    let authorities = pins(of: entry["NSPinnedCAIdentities"], for: host, &builder)
    let asked = [entry["NSPinnedLeafIdentities"], entry["NSPinnedCAIdentities"]].compactMap { $0 }
    guard !leaf.isEmpty || !authorities.isEmpty else {
      return builder.leaveOut(host, at: asked.first?.place ?? name.place)
    }
    let base = host.asPartOfName
    let keys =
      leaf.enumerated().map { builder.key($1, named: "\(base)-leaf-\($0 + 1)", at: .leaf, owner: .server) }
      + authorities.enumerated().map {
        builder.key($1, named: "\(base)-ca-\($0 + 1)", at: .ca, owner: .certificateAuthority)
      }
    var result = PinList.Host(
      host: host, subdomains: .none, mode: .enforce, keySet: builder.keySet(keys))
    if !leaf.isEmpty, !authorities.isEmpty { result.requirement = .leafAndCA }
    if let includes = entry["NSIncludesSubdomains"] {
      if let truth = includes.truth {
        result.subdomains = truth ? .direct : .none
      } else {
        builder.find(
          .unreadablePart, at: includes.place,
          "'NSIncludesSubdomains' of '\(host.text)' is \(includes.kind); true was assumed",
          help: "Write <true/> or <false/>.")
        result.subdomains = .direct
      }
    }
    if isWildcard { result.subdomains = .all }
    builder.add(result, at: name.place)
  }

  private static func pins(
    of list: PropertyList?, for host: HostName, _ builder: inout ImportBuilder
  ) -> [Located<Pin>] {
    guard let list else { return [] }
    guard let items = list.items else {
      builder.find(
        .unreadablePart, at: list.place, "the identities of '\(host.text)' are \(list.kind), and were left out",
        help: "Write an array of dictionaries with 'SPKI-SHA256-BASE64'.")
      return []
    }
    return items.compactMap { item in
      for (key, _) in item.pairs ?? [] where key.value != "SPKI-SHA256-BASE64" {
        builder.find(
          .unknownField, at: key.place, "Apple ignores '\(VisibleText.of(key.value))', and so does the import",
          help: "Write the pin as 'SPKI-SHA256-BASE64'.")
      }
      // Some files have a plain string here.
      guard let text = item["SPKI-SHA256-BASE64"]?.string ?? item.string else {
        builder.find(
          .unreadablePart, at: item.place,
          "an identity of '\(host.text)' has no string 'SPKI-SHA256-BASE64', and was left out",
          help: "Write <key>SPKI-SHA256-BASE64</key> and the pin as a string.")
        return nil
      }
      return builder.pin(text, of: host.text)
    }
  }
}

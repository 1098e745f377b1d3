import Diagnostics
import PinFormat

extension ImportFormat {
  /// The `TSKConfiguration` of TrustKit for iOS and macOS: an Info.plist, or a part of one.
  package static let trustKitIOS = ImportFormat(
    name: "trustkit-ios", title: "TrustKit for iOS and macOS, in an Info.plist or a part of one",
    citation: TrustKitFeatures.citation, maximumBytes: XMLInput.maximumBytes
  ) { files, _ throws(ExchangeError) in
    try TrustKitReader.read(files[0])
  }
}

/// Reads the pins from TrustKit's configuration.
enum TrustKitReader {
  /// Keys of a domain that are read.
  private static let known: Set<String> = [
    "TSKPublicKeyHashes", "TSKEnforcePinning", "TSKIncludeSubdomains", "TSKExcludeSubdomainFromParentPolicy",
    "TSKReportUris", "TSKExpirationDate", "TSKAdditionalTrustAnchors",
  ]

  /// Keys that are about other things, and what they say.
  private static let otherSettings = [
    "TSKSwizzleNetworkDelegates": "whether TrustKit takes part in all connections of the app",
    "TSKDisableDefaultReportUri": "whether reports also go to the server of TrustKit's authors",
    "TSKPublicKeyAlgorithms": "which algorithms the keys have",
  ]

  static func read(_ file: ExchangedFile) throws(ExchangeError) -> ImportedPins {
    let root = try PropertyList(file)
    var builder = ImportBuilder()
    let configuration = field("TSKConfiguration", of: root, &builder) ?? root
    guard let domains = field("TSKPinnedDomains", of: configuration, &builder), let pairs = domains.pairs else {
      throw ExchangeError(
        .missingField, "it has no dictionary 'TSKPinnedDomains'", at: root.place,
        help: "Give the Info.plist that has TrustKit's 'TSKConfiguration', or that part of it.")
    }
    if field("TSKIgnorePinningForUserDefinedTrustAnchors", of: configuration, &builder)?.truth == true,
      let place = configuration["TSKIgnorePinningForUserDefinedTrustAnchors"]?.place
    {
      builder.find(
        .otherMeaning, at: place,
        "on macOS, TrustKit ignores the pins for anchors that the user added; the policy doesn't",
        help: "Add the keys of such anchors to the key sets whose hosts should accept their chains.")
    }
    let ofAll = ["TSKPinnedDomains", "TSKIgnorePinningForUserDefinedTrustAnchors"]
    // Where the root is a whole Info.plist, its other keys are the app's.
    for (key, _) in (configuration["TSKPinnedDomains"] == nil ? nil : configuration.pairs) ?? [] {
      let name = key.value.hasPrefix("kTSK") ? String(key.value.dropFirst()) : key.value
      guard name.hasPrefix("TSK"), !ofAll.contains(name) else { continue }
      tell(key, name, &builder)
    }
    if let other = root["NSAppTransportSecurity"]?["NSPinnedDomains"] {
      builder.find(
        .otherSetting, at: other.place, "'NSPinnedDomains' was left out: these are pins of Apple's, not of TrustKit",
        help: "Read them too, with 'pintle import apple'.")
    }
    if root["TSKConfiguration"] != nil, let second = root["TSKPinnedDomains"] {
      builder.find(
        .unreadablePart, at: second.place,
        "'TSKPinnedDomains' is outside of 'TSKConfiguration' too, and was left out there",
        help: "Keep one table, inside of 'TSKConfiguration'.")
    }
    var seen: Set<HostName> = []
    for (name, value) in pairs { add(name, value, &seen, to: &builder) }
    return builder.imported()
  }

  /// The value of a key; people write the names of the constants of TrustKit's code too, which TrustKit doesn't read.
  private static func field(
    _ name: String, of dictionary: PropertyList, _ builder: inout ImportBuilder
  ) -> PropertyList? {
    if let value = dictionary[name] { return value }
    guard let pair = dictionary.pairs?.last(where: { $0.key.value == "k" + name }) else { return nil }
    builder.find(
      .unknownField, at: pair.key.place,
      "'k\(name)' is the name of a constant, which TrustKit ignores; the import reads it as '\(name)'",
      help: "Write '\(name)' in property lists.")
    return pair.value
  }

  /// Reports a key that isn't read.
  private static func tell(_ key: Located<String>, _ name: String, _ builder: inout ImportBuilder) {
    if let meaning = otherSettings[name] { return builder.leaveOut(setting: name, at: key.place, meaning) }
    builder.find(
      .unknownField, at: key.place, "TrustKit ignores '\(VisibleText.of(key.value))', and so does the import",
      help: "Compare the name with TrustKit's documentation.")
  }

  private static func add(
    _ name: Located<String>, _ entry: PropertyList, _ seen: inout Set<HostName>, to builder: inout ImportBuilder
  ) {
    guard let (host, isWildcard) = builder.host(name, readBy: "TrustKit", compared: { $0 }) else { return }
    if !seen.insert(host).inserted {
      builder.find(
        .contradiction, at: name.place, "'\(host.text)' is listed twice, and TrustKit uses the last one",
        help: "Keep the one that is meant.")
    }
    guard let pairs = entry.pairs else {
      return builder.find(
        .unreadablePart, at: entry.place, "the value of '\(host.text)' is \(entry.kind), and was left out",
        help: "Write a dictionary with 'TSKPublicKeyHashes'.")
    }
    for (key, _) in pairs {
      let name = key.value.hasPrefix("kTSK") ? String(key.value.dropFirst()) : key.value
      if !known.contains(name) { tell(key, name, &builder) }
    }
    if let anchors = field("TSKAdditionalTrustAnchors", of: entry, &builder) {
      builder.find(
        .otherMeaning, at: anchors.place,
        "'\(host.text)' also trusts the anchors in 'TSKAdditionalTrustAnchors'; the policy trusts only the system's anchors",
        help: "Write them to files, and name these and 'system' under 'trust: anchors:' if the host needs them.")
    }
    func truth(_ key: String, otherwise: Bool, _ builder: inout ImportBuilder) -> Bool {
      guard let value = field(key, of: entry, &builder) else { return otherwise }
      if let truth = value.truth { return truth }
      builder.find(
        .unreadablePart, at: value.place, "'\(key)' of '\(host.text)' is \(value.kind), and was left out",
        help: "Write <true/> or <false/>.")
      return otherwise
    }
    if truth("TSKExcludeSubdomainFromParentPolicy", otherwise: false, &builder) {
      // TrustKit refuses any other setting beside this one.
      for (key, value) in pairs
      where key.value != "TSKExcludeSubdomainFromParentPolicy" && known.contains(key.value)
        && !(key.value == "TSKPublicKeyHashes" && value.items?.isEmpty == true)
      {
        builder.find(
          .unreadablePart, at: key.place,
          "'\(host.text)' has '\(key.value)' beside 'TSKExcludeSubdomainFromParentPolicy': TrustKit rejects that, and the "
            + "policy doesn't pin the host",
          help: "Keep one of them: the pins, or the exclusion.")
      }
      var off = PinList.Host(host: host, subdomains: .none, mode: .off, keySet: nil)
      off.note = "the file excludes it from the entry above"
      return builder.add(off, at: name.place)
    }
    let includes = truth("TSKIncludeSubdomains", otherwise: false, &builder) || isWildcard
    let enforces = truth("TSKEnforcePinning", otherwise: true, &builder)
    let hashes = field("TSKPublicKeyHashes", of: entry, &builder)
    if let hashes, hashes.items == nil {
      builder.find(
        .unreadablePart, at: hashes.place, "the pins of '\(host.text)' are \(hashes.kind), and were left out",
        help: "Write an array of strings.")
      return builder.leaveOut(host, at: name.place)
    }
    let written = hashes?.items ?? []
    if written.isEmpty, !enforces {
      var off = PinList.Host(host: host, subdomains: includes ? .all : .none, mode: .off, keySet: nil)
      off.note = "the file names it without pins, and doesn't enforce"
      return builder.add(off, at: name.place)
    }
    let pins = written.compactMap { item -> Located<Pin>? in
      guard let text = item.string else {
        builder.find(
          .unreadablePart, at: item.place, "a pin of '\(host.text)' is \(item.kind), and was left out",
          help: "Write each pin as a string.")
        return nil
      }
      return builder.pin(text, of: host.text)
    }
    guard !pins.isEmpty else {
      return builder.leaveOut(host, at: name.place)
    }
    let keys = pins.enumerated().map { builder.key($1, named: "\(host.asPartOfName)-\($0 + 1)") }
    var result = PinList.Host(
      host: host, subdomains: includes ? .all : .none, mode: enforces ? .enforce : .reportOnly,
      keySet: builder.keySet(keys))
    if let expires = expiry(of: entry, host, &builder) { (result.expires, result.onExpiry) = (expires, .unpinned) }
    if let list = field("TSKReportUris", of: entry, &builder) {
      for item in list.items ?? [list] {
        if let text = item.string {
          result.reportURIs.append(text.value)
        } else {
          builder.find(
            .unreadablePart, at: item.place, "a report URI of '\(host.text)' is \(item.kind), and was left out",
            help: "Write an array of strings.")
        }
      }
    }
    if !enforces {
      builder.find(
        .notEnforced, at: field("TSKEnforcePinning", of: entry, &builder)?.place ?? name.place,
        "TrustKit only reports mismatches of '\(host.text)' and blocks none",
        help: "Change the entry to 'mode: enforce' once no mismatches are reported.")
    }
    if let reason = TrustKitHosts.reason(toStopAt: result) {
      builder.find(
        .otherMeaning, at: name.place, "\(reason); a policy has such an entry",
        help: "Name the hosts that are yours.")
    }
    builder.add(result, at: name.place)
  }

  /// A string with a day of UTC; a date is what people write too.
  private static func expiry(
    of entry: PropertyList, _ host: HostName, _ builder: inout ImportBuilder
  ) -> Instant? {
    guard let value = field("TSKExpirationDate", of: entry, &builder) else { return nil }
    switch value.value {
    case .string(let text): if let instant = AndroidDay.instant(text) { return instant }
    case .date(let text): if let instant = Instant(written: text) { return instant }
    default: break
    }
    builder.find(
      .unreadablePart, at: value.place,
      "the expiry of '\(host.text)' is not a date like 2027-06-01; ignored, so the pins never expire",
      help: "Write the day as a string: 2027-06-01.")
    return nil
  }
}

import Diagnostics
import PinFormat

extension ImportFormat {
  /// An Android Network Security Config.
  package static let android = ImportFormat(
    name: "android", title: "Android's Network Security Config",
    citation: AndroidFeatures.citation, maximumBytes: XMLInput.maximumBytes
  ) { files, _ throws(ExchangeError) in
    try AndroidReader.read(files[0], as: .platform)
  }

  /// The same file with TrustKit's parts.
  package static let trustKitAndroid = ImportFormat(
    name: "trustkit-android", title: "TrustKit for Android, in a Network Security Config",
    citation: TrustKitAndroidFeatures.citation, maximumBytes: XMLInput.maximumBytes
  ) { files, _ throws(ExchangeError) in
    try AndroidReader.read(files[0], as: .trustKit)
  }
}

/// Reads the pins from a Network Security Config.
enum AndroidReader {
  /// Who reads the file in the app.
  enum App {
    case platform
    case trustKit
  }

  static func read(_ file: ExchangedFile, as app: App) throws(ExchangeError) -> ImportedPins {
    var builder = ImportBuilder()
    let config = try NetworkSecurityConfig(file, readsTrustKit: app == .trustKit, into: &builder)
    var seen: Set<HostName> = []
    for entry in config.entries { add(entry, as: app, &seen, to: &builder) }
    return builder.imported()
  }

  private static func add(
    _ entry: NetworkSecurityConfig.Entry, as app: App, _ seen: inout Set<HostName>, to builder: inout ImportBuilder
  ) {
    let expires = expiry(of: entry, &builder)
    var pinned: [(host: PinList.Host, place: Place)] = []
    for domain in entry.domains {
      guard let (host, isWildcard) = builder.host(domain.name, readBy: "Android", compared: { $0.lowercased() })
      else { continue }
      if !seen.insert(host).inserted {
        builder.find(
          .contradiction, at: domain.name.place,
          "'\(host.text)' is in two 'domain' elements, and Android rejects the file",
          help: "Keep the one that is meant.")
      }
      let subdomains: PinList.Subdomains = domain.includesSubdomains == true || isWildcard ? .all : .none
      let pins = entry.pinSet.map { set in Self.pins(of: set, for: host, &builder) } ?? []
      guard let set = entry.pinSet, !set.pins.isEmpty else {
        // Android pins nothing for these names, even if a parent domain has pins.
        var off = PinList.Host(host: host, subdomains: subdomains, mode: .off, keySet: nil)
        off.note = "the file names it without pins"
        builder.add(off, at: domain.name.place)
        continue
      }
      guard !pins.isEmpty else {
        builder.leaveOut(host, at: set.place)
        continue
      }
      let keys = pins.enumerated().map { builder.key($1, named: "\(host.asPartOfName)-\($0 + 1)") }
      var result = PinList.Host(
        host: host, subdomains: subdomains, mode: .enforce, keySet: builder.keySet(keys))
      if let expires { (result.expires, result.onExpiry) = (expires, .unpinned) }
      result.reportURIs = entry.trustKit?.reportURIs.map(\.value) ?? []
      pinned.append((result, domain.name.place))
    }
    guard let first = pinned.first else { return }
    let mode = mode(of: pinned.map(\.host.label), entry, app, &builder)
    for number in pinned.indices {
      pinned[number].host.mode = mode
      builder.add(pinned[number].host, at: pinned[number].place)
    }
    guard app == .trustKit, entry.domains.count > 1, let last = entry.domains.last else { return }
    builder.find(
      .otherMeaning, at: first.place,
      "TrustKit pins only the last of \(entry.domains.count) domains here, \(ImportWords.quoted(last.name.value)); Android 7 "
        + "and later, and the policy, pin all",
      help: "Write a 'domain-config' for each domain if the app runs on older versions of Android.")
  }

  private static func pins(
    of set: NetworkSecurityConfig.PinSet, for host: HostName, _ builder: inout ImportBuilder
  ) -> [Located<Pin>] {
    set.pins.compactMap { text, digest in
      guard digest?.value.uppercased() == "SHA-256" else {
        let what = digest.map { "uses \(VisibleText.of($0.value))" } ?? "doesn't name its digest"
        builder.find(
          .unusablePin, at: digest?.place ?? text.place,
          "a pin of '\(host.text)' was left out: it \(what), and Android accepts only SHA-256",
          help: "Compute the pin of the key with 'pintle pin FILE'.")
        return nil
      }
      return builder.pin(text, of: host.text)
    }
  }

  /// The instant from which on the pins are ignored: the day begins in the device's time zone, here in UTC.
  private static func expiry(of entry: NetworkSecurityConfig.Entry, _ builder: inout ImportBuilder) -> Instant? {
    guard let written = entry.pinSet?.expiration else { return nil }
    if let instant = AndroidDay.instant(written.value) { return instant }
    builder.find(
      .unreadablePart, at: written.place,
      "'\(VisibleText.of(written.value))' is not a date, and Android rejects the file; the policy sets no expiry from it",
      help: "Write the day as 2027-06-01.")
    return nil
  }

  /// TrustKit enforces only if configured (`DomainPinningPolicy.java`); the platform always does.
  private static func mode(
    of hosts: [String], _ entry: NetworkSecurityConfig.Entry, _ app: App, _ builder: inout ImportBuilder
  ) -> Mode {
    guard app == .trustKit, let trustKit = entry.trustKit, trustKit.enforcePinning?.value.lowercased() != "true"
    else { return .enforce }
    builder.find(
      .notEnforced, at: trustKit.enforcePinning?.place ?? trustKit.place,
      "mismatches of \(ImportDraft.names(hosts)) are only reported, because enforcePinning isn't 'true'",
      help: "Change the entry to 'mode: enforce' once no mismatches are reported.")
    return .reportOnly
  }
}

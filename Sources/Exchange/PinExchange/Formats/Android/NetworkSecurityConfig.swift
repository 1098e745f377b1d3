import Diagnostics
import PinFormat

/// What an Android Network Security Config says of pins, with the places of it.
///
/// Which element may be where, and what is inherited, is taken from AOSP's reader
/// (`frameworks/base/core/java/android/security/net/config/XmlConfigSource.java`).
struct NetworkSecurityConfig {
  /// A `domain-config`; those nested in it follow it.
  struct Entry {
    var domains: [Domain] = []
    /// Its own, or that of the nearest one around it that has one.
    var pinSet: PinSet?
    /// TrustKit's part, inherited likewise.
    var trustKit: TrustKitConfig?
    var place: Place
  }

  struct Domain {
    var name: Located<String>
    /// Nil where the attribute is absent.
    var includesSubdomains: Bool?
  }

  struct PinSet {
    /// Text of each pin, and its `digest`.
    var pins: [(text: Located<String>, digest: Located<String>?)] = []
    var expiration: Located<String>?
    var place: Place
  }

  /// The `trustkit-config` of TrustKit for Android.
  struct TrustKitConfig {
    var enforcePinning: Located<String>?
    var disableDefaultReportUri: Located<String>?
    var reportURIs: [Located<String>] = []
    var place: Place
  }

  private(set) var entries: [Entry] = []
  private let readsTrustKit: Bool
  private static let annotations = ["xmlns", "xmlns:", "tools:", "android:"]

  /// Reads a whole file, or the elements of one without their root.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - readsTrustKit: Whether TrustKit reads it too.
  ///   - builder: What gets the findings.
  /// - Throws: ``ExchangeError`` where it isn't such a file.
  init(_ file: ExchangedFile, readsTrustKit: Bool, into builder: inout ImportBuilder) throws(ExchangeError) {
    self.readsTrustKit = readsTrustKit
    let root: XMLElement
    let isPart = ["domain-config", "base-config", "debug-overrides"].contains(XMLReader.firstName(file.bytes))
    do {
      root = try XMLReader.read(
        file.bytes, file: FileID(0), partOf: isPart ? "network-security-config" : nil)
    } catch {
      throw ExchangeError(error)
    }
    guard root.name == "network-security-config" else {
      throw ExchangeError(
        .otherContent, "its root is '\(VisibleText.of(root.name))', and not 'network-security-config'", at: root.place,
        help: "Give the file that the app's manifest names as android:networkSecurityConfig.")
    }
    for element in root.elements {
      switch element.name {
      case "domain-config": readDomainConfig(element, within: nil, &builder)
      case "base-config": readBaseConfig(element, &builder)
      case "debug-overrides":
        builder.find(
          .otherMeaning, at: element.place,
          "debug builds have other settings (\(element.elements.map { "'\(VisibleText.of($0.name))'" }.listed())), which "
            + "were left out: a policy is the same for all builds",
          help: "Keep the debug build's overrides in the app; put pins of a test proxy into a separate policy.")
      default: tellUnknown(element, in: root.name, &builder)
      }
    }
  }

  private func readBaseConfig(_ config: XMLElement, _ builder: inout ImportBuilder) {
    tellUnknownAttributes(of: config, known: [], &builder)
    for element in config.elements {
      switch element.name {
      case "trust-anchors": readAnchors(element, of: "all hosts", &builder)
      case "domain", "pin-set", "domain-config":
        builder.find(
          .unreadablePart, at: element.place,
          "'\(element.name)' isn't allowed in a 'base-config': Android rejects the file, and this part was left out",
          help: "Put it into a 'domain-config' that names the hosts.")
      default: tellUnknown(element, in: config.name, &builder)
      }
    }
  }

  private mutating func readDomainConfig(_ config: XMLElement, within outer: Entry?, _ builder: inout ImportBuilder) {
    var entry = Entry(pinSet: outer?.pinSet, trustKit: outer?.trustKit, place: config.place)
    tellUnknownAttributes(of: config, known: [], &builder)
    for name in ["pin-set", "trust-anchors", "trustkit-config"] {
      for second in config.elements.filter({ $0.name == name }).dropFirst() {
        builder.find(
          .unreadablePart, at: second.place,
          "a 'domain-config' has '\(name)' twice: Android rejects the file, and only the last one was read",
          help: "Keep the one that is meant.")
      }
    }
    // Settings of an element also apply to the elements nested in it, in any order.
    for element in config.elements {
      switch element.name {
      case "domain": readDomain(element, into: &entry, &builder)
      case "pin-set": entry.pinSet = readPinSet(element, &builder)
      case "trust-anchors": readAnchors(element, of: Self.hosts(of: config), &builder)
      case "trustkit-config" where readsTrustKit: entry.trustKit = readTrustKit(element, &builder)
      case "domain-config": break
      default: tellUnknown(element, in: config.name, &builder)
      }
    }
    if entry.domains.isEmpty {
      let outer = outer.map { " in that of \(Self.hosts($0.domains.map(\.name.value)))" } ?? ""
      builder.find(
        .unreadablePart, at: config.place, "a 'domain-config'\(outer) names no domain: Android rejects the file",
        help: "Name the hosts in it, each in a 'domain'.")
    }
    let number = entries.count
    entries.append(entry)
    for nested in config.elements where nested.name == "domain-config" {
      readDomainConfig(nested, within: entries[number], &builder)
    }
  }

  /// The hosts that a `domain-config` names, in the words of a finding.
  private static func hosts(of config: XMLElement) -> String {
    hosts(config.elements.filter { $0.name == "domain" }.compactMap { $0.text?.value })
  }

  private static func hosts(_ names: [String]) -> String {
    names.isEmpty ? "its hosts" : ImportDraft.names(names.map { VisibleText.of($0) })
  }

  private func readDomain(_ element: XMLElement, into entry: inout Entry, _ builder: inout ImportBuilder) {
    tellUnknownAttributes(of: element, known: ["includeSubdomains"], &builder)
    guard let name = element.text else {
      builder.find(
        .unreadablePart, at: element.place, "a 'domain' is empty: Android rejects the file",
        help: "Write the host between its tags.")
      return
    }
    let subdomains = element.attribute("includeSubdomains").map { Self.truth($0, &builder) }
    entry.domains.append(Domain(name: name, includesSubdomains: subdomains))
  }

  private func readPinSet(_ element: XMLElement, _ builder: inout ImportBuilder) -> PinSet {
    var set = PinSet(expiration: element.attribute("expiration"), place: element.place)
    tellUnknownAttributes(of: element, known: ["expiration"], &builder)
    for pin in element.elements {
      guard pin.name == "pin" else {
        tellUnknown(pin, in: element.name, &builder)
        continue
      }
      tellUnknownAttributes(of: pin, known: ["digest"], &builder)
      set.pins.append((pin.text ?? Located("", at: pin.place), pin.attribute("digest")))
    }
    return set
  }

  /// `trust-anchors` replaces what would hold otherwise: its sources are all that is trusted.
  private func readAnchors(_ anchors: XMLElement, of whom: String, _ builder: inout ImportBuilder) {
    var sources: [String] = []
    for certificates in anchors.elements {
      guard certificates.name == "certificates" else {
        tellUnknown(certificates, in: anchors.name, &builder)
        continue
      }
      tellUnknownAttributes(of: certificates, known: ["src", "overridePins"], &builder)
      let source = VisibleText.of(certificates.attribute("src")?.value ?? "")
      if !sources.contains(source) { sources.append(source) }
      guard let override = certificates.attribute("overridePins"), Self.truth(override, &builder) else { continue }
      builder.find(
        .otherMeaning, at: override.place,
        "for chains to '\(source)' anchors, Android doesn't check the pins of \(whom) (overridePins); the policy does",
        help: "Add the keys of these anchors to the hosts' key set if their chains should be accepted.")
    }
    let others = sources.filter { $0 != "system" }
    guard !others.isEmpty else { return }
    let named = ImportDraft.names(others)
    if others.count == sources.count {
      builder.find(
        .anchorsElsewhere, at: anchors.place,
        "in Android, only \(named) anchors are trusted for \(whom); the policy trusts the system's until you set "
          + "'trust: anchors'",
        help:
          "Put the certificates beside the policy, and name them under 'trust: anchors:' of the hosts, without 'system'."
      )
    } else {
      builder.find(
        .otherMeaning, at: anchors.place,
        "in Android, \(named) anchors are trusted for \(whom) too; the policy trusts only the system's",
        help: "Name these anchors and 'system' under 'trust: anchors:' if the hosts need them.")
    }
  }

  private func readTrustKit(_ element: XMLElement, _ builder: inout ImportBuilder) -> TrustKitConfig {
    tellUnknownAttributes(of: element, known: ["enforcePinning", "disableDefaultReportUri"], &builder)
    var config = TrustKitConfig(
      enforcePinning: element.attribute("enforcePinning"),
      disableDefaultReportUri: element.attribute("disableDefaultReportUri"), place: element.place)
    for child in element.elements {
      if child.name == "report-uri" {
        if let text = child.text { config.reportURIs.append(text) }
      } else {
        tellUnknown(child, in: element.name, &builder)
      }
    }
    return config
  }

  /// A truth value of Android's resources; an invalid one counts as the stricter answer.
  private static func truth(_ written: Located<String>, _ builder: inout ImportBuilder) -> Bool {
    switch written.value {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default:
      builder.find(
        .otherMeaning, at: written.place,
        "'\(VisibleText.of(written.value))' is neither 'true' nor 'false'; 'true' was assumed",
        help: "Write 'true' or 'false'.")
      return true
    }
  }

  /// Elements and attributes of the format that aren't about pins.
  private static let otherSettings = [
    "cleartextTrafficPermitted": "whether the app may connect without TLS",
    "hstsEnforced": "whether the app follows HSTS",
    "certificateTransparency": "whether certificates must be in the logs of Certificate Transparency",
    "domainEncryption": "whether the name of the server is encrypted in the handshake",
  ]

  private func tellUnknown(_ element: XMLElement, in outer: String, _ builder: inout ImportBuilder) {
    if let meaning = Self.otherSettings[element.name] {
      return builder.leaveOut(setting: element.name, at: element.place, meaning)
    }
    let isTrustKit = element.name == "trustkit-config"
    builder.find(
      .unknownField, at: element.place,
      "'\(VisibleText.of(element.name))' in '\(VisibleText.of(outer))' is not a known element: Android ignores it, and so "
        + "does the import",
      help: isTrustKit
        ? "Import the file as 'trustkit-android' where the app has TrustKit."
        : "Compare the name with the documentation.")
  }

  private func tellUnknownAttributes(of element: XMLElement, known: [String], _ builder: inout ImportBuilder) {
    for attribute in element.attributes where !known.contains(attribute.name) {
      guard !Self.annotations.contains(where: { attribute.name.hasPrefix($0) }) else { continue }
      if let meaning = Self.otherSettings[attribute.name] {
        builder.leaveOut(setting: attribute.name, at: attribute.value.place, meaning)
        continue
      }
      builder.find(
        .unknownField, at: attribute.value.place,
        "'\(VisibleText.of(attribute.name))' is not a known attribute of '\(element.name)': Android ignores it, and so "
          + "does the import",
        help: "Compare the name with the documentation.")
    }
  }
}

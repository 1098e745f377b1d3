import Diagnostics
import PinFormat

extension ImportFormat {
  /// `ssl_config.json` of react-native-ssl-manager.
  ///
  /// One object, `sha256Keys`, from domains to lists of pins, `sha256/` and Base64 of the SubjectPublicKeyInfo's digest.
  /// On iOS it becomes TrustKit's configuration with `kTSKIncludeSubdomains` and `kTSKEnforcePinning`, on Android a
  /// network security configuration with `includeSubdomains="true"` and OkHttp's `CertificatePinner`; so a domain
  /// stands for itself and all names below it, and for ever.
  package static let reactNativeSSLManager = ImportFormat(
    name: "react-native-ssl-manager",
    title: "react-native-ssl-manager's ssl_config.json",
    citation: "react-native-ssl-manager, README.md, Configuration Details",
    read: { files, _ throws(ExchangeError) in
      guard let file = files.first else { throw ExchangeError(.missingField, "no file was given") }
      var reader = SSLManagerReader()
      try reader.read(LocatedJSON(file.bytes, file: FileID(0)))
      return reader.builder.imported
    })
}

private struct SSLManagerReader {
  var builder = PinListBuilder()

  mutating func read(_ document: LocatedJSON) throws(ExchangeError) {
    let root = document.root
    guard let members = root.members else {
      throw ExchangeError(.invalidValue, "it holds \(root.noun) and not an object with 'sha256Keys'")
    }
    guard let domains = root["sha256Keys"] else {
      throw ExchangeError(.missingField, "the field 'sha256Keys' is missing")
    }
    for member in members where !member.name.isText("sha256Keys") {
      builder.find(
        .unknownField, at: member.name.place,
        "\(ImportWords.quoted(member.name.text ?? "")) is not a known field, and nothing reads it",
        help: "Check whether the policy has to say it in another way.")
    }
    guard let entries = domains.members else {
      throw ExchangeError(.invalidValue, "'sha256Keys' is \(domains.noun) and not an object from domains to pins")
    }
    for entry in entries { domain(entry) }
  }

  private mutating func domain(_ entry: LocatedJSON.Member) {
    let text = entry.name.text ?? ""
    // OkHttp takes such a pattern; TrustKit and Android's configuration take it for a name that nobody has.
    let isPattern = text.hasPrefix("*.")
    guard let host = builder.host(isPattern ? String(text.dropFirst(2)) : text, at: entry.name.place) else { return }
    guard let items = entry.value.items else {
      builder.find(
        .unreadablePart, at: entry.value.place,
        "the pins of '\(host)' are \(entry.value.noun) and not a list of texts", help: "Write them in '[' and ']'.")
      return
    }
    var keys: [Int] = []
    for item in items {
      guard let text = item.text else {
        builder.find(
          .unusablePin, at: item.place, "a pin of '\(host)' is \(item.noun) and not a text",
          help: "Write it as 'sha256/' and the Base64 of the digest, in quotation marks.")
        continue
      }
      guard let pin = builder.pin(text, of: "'\(host)'", at: item.place) else { continue }
      keys.append(builder.key(pin, nameHint: "\(host)-\(keys.count + 1)", at: item.place))
    }
    guard !keys.isEmpty else {
      builder.find(
        .unusablePin, at: entry.name.place, "'\(host)' has no pin that can be used, and was left out",
        help: "Add the host to the policy with the pins of its keys.")
      return
    }
    let set = builder.keySet(PinList.KeySet(name: nil, active: keys), at: nil)
    var result = PinList.Host(host: host, subdomains: isPattern ? .direct : .all, mode: .enforce, keySet: set)
    result.coversItself = !isPattern
    if host.isAddress { result.subdomains = .none }
    builder.host(result, at: entry.name.place)
  }
}

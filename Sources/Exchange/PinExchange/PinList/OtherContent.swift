import PinFormat

/// What a file is that isn't of the format that was named: told by the words that only its own format has.
package enum OtherContent {
  private struct Sign {
    var words: [String]
    var noun: String
    /// What the import calls it; nil for what isn't imported as pins.
    var format: String?
    var help: String?

    init(_ words: [String], _ noun: String, format: String) {
      (self.words, self.noun, self.format) = (words, noun, format)
    }

    init(_ words: [String], _ noun: String, help: String) {
      (self.words, self.noun, self.help) = (words, noun, help)
    }
  }

  /// The more special first.
  private static let signs = [
    Sign(["<trustkit-config"], "TrustKit's Network Security Config", format: "trustkit-android"),
    Sign(["<pin-set"], "an Android Network Security Config", format: "android"),
    Sign(["<domain-config"], "an Android Network Security Config", format: "android"),
    Sign(["TSKPinnedDomains"], "TrustKit's configuration", format: "trustkit-ios"),
    Sign(["NSPinnedDomains"], "an Info.plist with Apple's pins", format: "apple"),
    Sign(
      ["\"sha256Keys\""], "the configuration of react-native-ssl-manager",
      help: "'pintle find FILE' lists the pins in it."),
    Sign(["\"pinsets\"", "\"static_spki_hashes\""], "Chromium's pin list", format: "chromium"),
    Sign(["PinsListTimestamp"], "the keys of Chromium's pin list", format: "chromium"),
    Sign(["\"payloadType\"", "\"payload\""], "a DSSE envelope", format: "dsse"),
    Sign(["Public-Key-Pins"], "a response with pins in its head", help: "'pintle find FILE' lists the pins in it."),
    Sign(["public-key-pins"], "a response with pins in its head", help: "'pintle find FILE' lists the pins in it."),
    Sign(["pin-sha256"], "a header with pins (HPKP)", help: "'pintle find FILE' lists the pins in it."),
    Sign(
      ["\"signatures\"", "\"signed\""], "a manifest or keyset of Pintle",
      help: "'pintle show FILE' shows it, and 'pintle export' writes its pins in other formats."),
    Sign(
      ["\nversion: 1", "keys:"], "a policy file", help: "It needs no import: put it into the policy's directory."),
    Sign(
      ["-----BEGIN "], "a certificate or a key", help: "'pintle pin FILE' computes its pin."),
    Sign(["CertificatePinner"], "source code", help: "'pintle find FILE' lists the pins in it."),
    Sign(["--pinnedpubkey"], "a script of curl", help: "'pintle find FILE' lists the pins in it."),
    Sign(["pinnedpubkey"], "a configuration of curl", help: "'pintle find FILE' lists the pins in it."),
    Sign(["sha256/"], "text with pins in it", help: "'pintle find FILE' lists them."),
  ]

  /// How much of a file is examined.
  private static let mostBytes = 1 << 20

  /// What to do with files that the format doesn't take; nil where nothing tells what they are.
  package static func help(for files: [ExchangedFile], otherThan format: ImportFormat) -> String? {
    for file in files {
      let text = "\n" + String(decoding: file.bytes.prefix(mostBytes), as: UTF8.self)
      guard let sign = signs.first(where: { $0.words.allSatisfy { text.contains($0) } }) else { continue }
      if sign.format == format.name { return nil }
      let name = files.count > 1 ? "'\(file.name)'" : "It"
      if let other = sign.format { return "\(name) looks like \(sign.noun): import it as '\(other)'." }
      return "\(name) looks like \(sign.noun). " + (sign.help ?? "")
    }
    return nil
  }
}

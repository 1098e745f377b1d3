import Foundation
import PinExchange
import PinFormat
import PinPolicy
import Testing

/// Reads back what exporters write for targets whose files the product doesn't import: enough for its own files, whose real
/// readers are asked by `Scripts/check/exports`.
enum WrittenText {
  /// The patterns and pins of a `CertificatePinner`: each text in quotation marks is one of the two.
  static func okHttp(_ file: ExchangedFile) throws -> PinList {
    var writer = Writer()
    for line in String(decoding: file.bytes, as: UTF8.self).split(separator: "\n") {
      guard let match = line.firstMatch(of: #/^ +(?:\.add\(|builder\.add\()?\s*"([^"]+)",?\)?(.*)$/#) else { continue }
      let text = String(match.1)
      if text.hasPrefix("sha256/") {
        try writer.add(text, at: nil, isBackup: match.2.contains("backup: "))
      } else if text.hasPrefix("**.") {
        try writer.begin(String(text.dropFirst(3)), .all)
      } else if text.hasPrefix("*.") {
        try writer.begin(String(text.dropFirst(2)), .direct)
      } else {
        try writer.begin(text.trimmingCharacters(in: ["[", "]"]), .none)
      }
    }
    return writer.list
  }

  /// The addresses of a config file, and the pins of each.
  static func curl(_ file: ExchangedFile) throws -> PinList {
    var writer = Writer()
    for line in String(decoding: file.bytes, as: UTF8.self).split(separator: "\n") {
      guard let match = line.wholeMatch(of: #/(url|pinnedpubkey) = "([^"]+)"/#) else { continue }
      if match.1 == "url" {
        let address = try #require(URLComponents(string: String(match.2)))
        let host = try #require(address.host).trimmingCharacters(in: ["[", "]"])
        try writer.begin(host, .none, port: address.port.map { UInt16($0) })
      } else {
        for pin in match.2.split(separator: ";") {
          try writer.add("sha256/" + pin.dropFirst("sha256//".count), at: .leaf, isBackup: false)
        }
      }
    }
    return writer.list
  }

  private struct Writer {
    var list = PinList()

    mutating func begin(_ name: String, _ subdomains: PinList.Subdomains, port: UInt16? = nil) throws {
      list.keySets.append(PinList.KeySet(name: nil, active: []))
      list.hosts.append(
        PinList.Host(
          host: try HostName(canonicalising: name), port: port, subdomains: subdomains, mode: .enforce,
          keySet: list.keySets.count - 1))
    }

    mutating func add(_ pin: String, at position: ChainPosition?, isBackup: Bool) throws {
      list.keys.append(
        PinList.Key(name: "key-\(list.keys.count)", pin: try Pin(pin), position: position.map { KeyPosition($0) }))
      let (set, key) = (list.keySets.count - 1, list.keys.count - 1)
      if isBackup { list.keySets[set].backup.append(key) } else { list.keySets[set].active.append(key) }
    }
  }
}

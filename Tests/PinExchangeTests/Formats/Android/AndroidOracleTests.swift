import Foundation
import PinExchange
import PinFormat
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// What Android would make of an exported file, by another parser and by a model of its own rules, against what the
/// policy says: name by name.
struct AndroidOracleTests {
  /// `domain-config` elements as `XmlConfigSource` collects them, for files that don't nest.
  private final class Reader: NSObject, XMLParserDelegate {
    var domains: [(name: String, includes: Bool, pins: Set<String>, expiration: String?)] = []
    private var names: [(String, Bool)] = []
    private var pins: Set<String> = []
    private var expiration: String?
    private var text = ""
    private var includes = false

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      text = ""
      switch name {
      case "domain-config": (names, pins, expiration) = ([], [], nil)
      case "domain": includes = attributes["includeSubdomains"] == "true"
      case "pin-set": expiration = attributes["expiration"]
      default: break
      }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
      let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
      switch name {
      case "domain": names.append((value, includes))
      case "pin": pins.insert(value)
      case "domain-config": for (name, includes) in names { domains.append((name, includes, pins, expiration)) }
      default: break
      }
    }

    /// `ApplicationConfig.getConfigForHostname`, and the pins of what it finds.
    func pins(for host: String) -> Set<String> {
      if let exact = domains.first(where: { $0.name == host }) { return exact.pins }
      let covering = domains.filter { $0.includes && host.hasSuffix("." + $0.name) }
      return covering.max { $0.name.count < $1.name.count }?.pins ?? []
    }
  }

  /// The policy's rule: the entry of the name, else the nearest above it that includes subdomains.
  private static func pins(of list: PinList, for host: String) -> Set<String> {
    var name = host[...]
    while true {
      if let entry = list.hosts.first(where: { $0.host.text == name && (name == host || $0.subdomains == .all) }) {
        return Set(list.keys(of: entry).map { Base64.encode($0.pin.digest.bytes) })
      }
      guard let dot = name.firstIndex(of: ".") else { return [] }
      name = name[name.index(after: dot)...]
    }
  }

  @Test(arguments: 0..<Thoroughness.pick(70, full: 200))
  func androidPinsWhatThePolicyPins(seed: Int) throws {
    let list = try PinListScene.nested(seed)
    let fitted = try #require(try? ExportFormat.android.fitted(list))
    let file = try ExportFormat.android.write(fitted, ExportSettings(at: PinListScene.instant))[0]
    let reader = Reader()
    let parser = XMLParser(data: Data(file.bytes))
    parser.delegate = reader
    #expect(parser.parse())
    #expect(Set(reader.domains.map(\.name)).count == reader.domains.count, "Android refuses a domain that stands twice")
    var generator = SeededGenerator(seed: UInt64(seed))
    for host in list.hosts.map(\.host.text) {
      let below = generator.pick(["x.", "a.", "x.y.", "not", "a.b.c."]) + host
      for name in [host, below, "a." + below] {
        #expect(reader.pins(for: name) == Self.pins(of: list, for: name), "\(name)")
      }
    }
  }
}

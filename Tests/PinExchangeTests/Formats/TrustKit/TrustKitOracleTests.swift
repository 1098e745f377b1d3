import Foundation
import PinExchange
import PinFormat
import TestSupport
import Testing

/// What TrustKit would make of an exported file, by Foundation's reader and a model of TrustKit's rules, against what the
/// policy says: name by name.
struct TrustKitOracleTests {
  /// `getPinningConfigurationKeyForDomain` and the first steps of `evaluateTrust`.
  private static func pins(_ domains: [String: [String: Any]], for host: String) -> Set<String> {
    var key = domains[host] == nil ? nil : host
    if key == nil {
      let covering = domains.filter {
        ($0.value["TSKIncludeSubdomains"] as? Bool) == true && host.hasSuffix("." + $0.key)
      }
      key = covering.keys.max { $0.count < $1.count }
    }
    guard let entry = key.flatMap({ domains[$0] }) else { return [] }
    if (entry["TSKExcludeSubdomainFromParentPolicy"] as? Bool) == true { return [] }
    return Set(entry["TSKPublicKeyHashes"] as? [String] ?? [])
  }

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
  func trustKitPinsWhatThePolicyPins(seed: Int) throws {
    let list = try PinListScene.nested(seed)
    guard let fitted = try? ExportFormat.trustKitIOS.fitted(list) else { return }
    let file = try ExportFormat.trustKitIOS.write(fitted, ExportSettings(at: PinListScene.instant))[0]
    let plist = try PropertyListSerialization.propertyList(from: Data(file.bytes), format: nil) as? [String: Any]
    let configuration = try #require(plist?["TSKConfiguration"] as? [String: Any])
    let domains = try #require(configuration["TSKPinnedDomains"] as? [String: [String: Any]])
    for entry in domains.values {
      // `parse_configuration.m` raises an exception otherwise.
      let isExcluded = entry["TSKExcludeSubdomainFromParentPolicy"] != nil
      #expect(isExcluded ? entry.count == 1 : Set(entry["TSKPublicKeyHashes"] as? [String] ?? []).count >= 2)
    }
    var generator = SeededGenerator(seed: UInt64(seed))
    for host in list.hosts.map(\.host.text) {
      let below = generator.pick(["x.", "a.", "x.y.", "not", "a.b.c."]) + host
      for name in [host, below, "a." + below] {
        #expect(Self.pins(domains, for: name) == Self.pins(of: fitted.list, for: name), "\(name)")
      }
    }
  }
}

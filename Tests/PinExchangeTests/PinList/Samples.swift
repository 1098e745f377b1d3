import PinExchange
import PinFormat
import PinPolicy

/// A list for each feature that uses it and nothing else that a format might lack.
enum Samples {
  static func host(_ text: String) -> HostName {
    guard let host = try? HostName(canonicalising: text) else { preconditionFailure("'\(text)' is a host") }
    return host
  }

  static func pin(_ number: UInt8) -> Pin {
    guard let digest = SHA256Digest(Array(repeating: number, count: 32)) else { preconditionFailure("32 bytes") }
    return Pin(digest)
  }

  static let anchor = PinList.Anchor(fingerprint: pin(7).digest, pin: pin(8), pem: "")

  static let midnight = Instant(secondsSinceEpoch: 1_811_808_000)

  /// One host, exactly, and two keys.
  static var plain: PinList {
    var list = PinList()
    list.keys = [
      PinList.Key(name: "a", pin: pin(1), position: .leaf), PinList.Key(name: "b", pin: pin(2), position: .leaf),
    ]
    list.keySets = [PinList.KeySet(name: "web", active: [0], backup: [1])]
    list.hosts = [PinList.Host(host: host("api.example.com"), subdomains: .none, mode: .enforce, keySet: 0)]
    return list
  }

  static func with(_ change: (inout PinList) -> Void) -> PinList {
    var list = plain
    change(&list)
    return list
  }

  /// The plain host below one that covers it.
  static func nested(_ mode: Mode, subdomains: PinList.Subdomains = .none) -> PinList {
    with { list in
      (list.hosts[0].mode, list.hosts[0].subdomains) = (mode, subdomains)
      if mode == .off { list.hosts[0].keySet = nil }
      list.hosts.append(PinList.Host(host: host("example.com"), subdomains: .all, mode: .enforce, keySet: 0))
    }
  }

  private typealias Sample = FittingTests.Sample

  private static func ofHost(
    _ feature: PolicyFeature, _ remedy: Remedy, _ change: (inout PinList.Host) -> Void,
    fitted: (inout PinList.Host) -> Void
  ) -> Sample {
    let list = with { change(&$0.hosts[0]) }
    var result = list
    fitted(&result.hosts[0])
    return Sample(feature: feature, list: list, uses: [list.hosts[0].label], remedy: remedy, fitted: result)
  }

  /// Both keys have the feature; without their position they stand anywhere, and whose they are is still known.
  private static func ofKeys(
    _ feature: PolicyFeature, position: KeyPosition?, owner: PinList.Owner?, fitted fittedOwner: PinList.Owner?
  ) -> Sample {
    func set(_ list: inout PinList, _ position: KeyPosition?, _ owner: PinList.Owner?) {
      for number in list.keys.indices { (list.keys[number].position, list.keys[number].owner) = (position, owner) }
    }
    return Sample(
      feature: feature, list: with { set(&$0, position, owner) }, uses: ["a", "b"], remedy: .leaveAway,
      fitted: with { set(&$0, nil, fittedOwner) })
  }

  private static func ofExpiry(_ feature: PolicyFeature, _ action: ExpiryAction) -> Sample {
    ofHost(feature, .leaveAway) {
      ($0.expires, $0.onExpiry) = (midnight, action)
    } fitted: {
      ($0.expires, $0.onExpiry) = (nil, nil)
    }
  }

  static var all: [FittingTests.Sample] {
    [
      ofHost(.subdomains, .coverDirectSubdomains) {
        $0.subdomains = .all
      } fitted: {
        $0.subdomains = .direct
      },
      ofHost(.port, .leaveAway) {
        $0.port = 8443
      } fitted: {
        $0.port = nil
      },
      ofHost(.allPorts, .asItStands) { _ in
      } fitted: { _ in
      },
      Sample(
        feature: .address,
        list: with {
          $0.hosts.append($0.hosts[0])
          $0.hosts[0].host = host("10.0.0.5")
        },
        uses: ["10.0.0.5"], remedy: .leaveHostOut, fitted: plain),
      Sample(
        feature: .nestedEntries, list: nested(.enforce), uses: ["api.example.com"], remedy: .leaveHostOut,
        fitted: with { $0.hosts[0] = nested(.enforce).hosts[1] }),
      Sample(
        feature: .exclusion, list: nested(.off), uses: ["api.example.com"], remedy: .leaveHostOut,
        fitted: with { $0.hosts[0] = nested(.off).hosts[1] }),
      Sample(
        feature: .subtreeExclusion, list: nested(.off, subdomains: .all), uses: ["api.example.com"],
        remedy: .leaveHostOut, fitted: with { $0.hosts[0] = nested(.off).hosts[1] }),
      Sample(
        feature: .unpinnedHosts, list: with { $0.unpinnedHosts = .deny }, uses: ["unpinned-hosts"], remedy: .leaveAway,
        fitted: plain),
      ofKeys(.anyPosition, position: nil, owner: nil, fitted: nil),
      ofKeys(.caKey, position: nil, owner: .certificateAuthority, fitted: .certificateAuthority),
      ofKeys(.leafKey, position: nil, owner: .server, fitted: .server),
      ofKeys(.leafPosition, position: .leaf, owner: nil, fitted: .server),
      ofKeys(.intermediatePosition, position: .intermediate, owner: nil, fitted: .certificateAuthority),
      ofKeys(.rootPosition, position: .root, owner: .certificateAuthority, fitted: .certificateAuthority),
      ofKeys(.caPosition, position: .ca, owner: nil, fitted: .certificateAuthority),
      Sample(
        feature: .mixedPositions, list: with { $0.keys[1].position = .root }, uses: ["api.example.com"],
        remedy: .leaveAway, fitted: with { $0.keys[1].position = .root }),
      ofHost(.leafAndCA, .leaveAway) {
        $0.requirement = .leafAndCA
      } fitted: {
        $0.requirement = .any
      },
      Sample(
        feature: .deniedKeys,
        list: with { $0.keys.append(PinList.Key(name: "leaked", pin: pin(9), denied: "published")) },
        uses: ["leaked"], remedy: .leaveAway, fitted: with { $0.keys.append(PinList.Key(name: "leaked", pin: pin(9))) }),
      Sample(
        feature: .singleKey,
        list: with {
          $0.keySets.append(PinList.KeySet(name: nil, active: [0], backup: []))
          $0.hosts.append($0.hosts[0])
          $0.hosts[1].host = host("www.example.com")
          $0.hosts[1].keySet = 1
        },
        uses: ["www.example.com"], remedy: .leaveHostOut,
        fitted: with { $0.keySets.append(PinList.KeySet(name: nil, active: [0], backup: [])) }),
      ofHost(.anchors, .leaveAway) {
        ($0.anchors, $0.countsSystemAnchors) = ([anchor], false)
      } fitted: {
        ($0.anchors, $0.countsSystemAnchors) = ([], true)
      },
      ofHost(.furtherAnchors, .leaveAway) {
        $0.anchors = [anchor]
      } fitted: {
        $0.anchors = []
      },
      ofHost(.trust, .leaveAway) {
        $0.customisations = ["exceptions"]
      } fitted: {
        $0.customisations = []
      },
      Sample(
        feature: .reportOnly,
        list: with {
          $0.hosts.append($0.hosts[0])
          $0.hosts[1].host = host("www.example.com")
          $0.hosts[1].mode = .reportOnly
        },
        uses: ["www.example.com"], remedy: .takeOut, fitted: with { _ in }),
      ofHost(.reportURIs, .leaveAway) {
        $0.reportURIs = ["https://a.example"]
      } fitted: {
        $0.reportURIs = []
      },
      ofHost(.furtherReportURIs, .leaveAway) {
        $0.reportURIs = ["https://a.example", "https://b.example"]
      } fitted: {
        $0.reportURIs = ["https://a.example"]
      },
      ofExpiry(.expiryEnforce, .enforce),
      ofExpiry(.expiryReportOnly, .reportOnly),
      ofExpiry(.expiryUnpinned, .unpinned),
      ofExpiry(.expiryBlock, .block),
      ofHost(.expiryTime, .nextDay) {
        ($0.expires, $0.onExpiry) = (midnight.adding(seconds: 60), .enforce)
      } fitted: {
        $0.expires = midnight.adding(seconds: 86_400)
      },
      ofHost(.expiryZone, .asItStands) {
        ($0.expires, $0.onExpiry) = (midnight, .unpinned)
      } fitted: { _ in
      },
    ]
  }
}

import PinExchange
import PinFormat
import PinPolicy
import Testing

/// What a format can't say is refused, or lost by name.
struct FittingTests {
  /// A list that uses one feature, and what becomes of it where the loss is accepted.
  struct Sample: Sendable, CustomTestStringConvertible {
    var feature: PolicyFeature
    var list: PinList
    /// Where the feature is used.
    var uses: [String]
    var remedy: Remedy
    var fitted: PinList

    var testDescription: String { feature.rawValue }
  }

  @Test func everyFeatureHasASample() {
    #expect(Samples.all.map(\.feature) == PolicyFeature.allCases)
  }

  @Test(arguments: Samples.all) func aFormatThatSaysEverythingChangesNothing(_ sample: Sample) throws {
    let fitted = try sample.list.fitted(to: .lacking([:]), accepting: [])
    #expect(fitted.list == sample.list)
    #expect(fitted.losses.isEmpty)
  }

  @Test(arguments: Samples.all) func whatNobodyAcceptedIsRefused(_ sample: Sample) {
    let support = FormatSupport.lost(sample.remedy, "It is lost.")
    let others = Set(PolicyFeature.allCases).subtracting([sample.feature])
    let error = #expect(throws: UnfitPinList.self) {
      try sample.list.fitted(to: .lacking([sample.feature: support]), accepting: others)
    }
    #expect(error?.losses == [Loss(feature: sample.feature, support: support, uses: sample.uses)])
    #expect(error?.keyless == [])
  }

  @Test(arguments: Samples.all) func whatIsAcceptedIsLostAndNothingElse(_ sample: Sample) throws {
    let support = FormatSupport.lost(sample.remedy, "It is lost.")
    let fitted = try sample.list.fitted(to: .lacking([sample.feature: support]), accepting: [sample.feature])
    #expect(fitted.list == sample.fitted)
    #expect(fitted.losses == [Loss(feature: sample.feature, support: support, uses: sample.uses)])
  }

  @Test(arguments: Samples.all) func whatCannotBeAcceptedIsRefusedWhateverIsAccepted(_ sample: Sample) {
    let support = FormatSupport.refused("It would be weaker.")
    let error = #expect(throws: UnfitPinList.self) {
      try sample.list.fitted(to: .lacking([sample.feature: support]), accepting: Set(PolicyFeature.allCases))
    }
    #expect(error?.losses == [Loss(feature: sample.feature, support: support, uses: sample.uses)])
  }

  @Test func allThatIsInTheWayIsToldAtOnce() {
    var list = Samples.plain
    list.hosts[0].mode = .reportOnly
    list.hosts[0].reportURIs = ["https://pins.example.org/reports"]
    let error = #expect(throws: UnfitPinList.self) {
      try list.fitted(
        to: .lacking([.reportOnly: .lost(.takeOut, "It can't observe."), .reportURIs: .refused("It is silent.")]),
        accepting: [])
    }
    #expect(error?.losses.map(\.feature) == [.reportOnly, .reportURIs])
  }

  @Test func aHostThatWouldBeLeftWithoutKeysIsNotExported() {
    var list = Samples.plain
    list.keys[0].position = .root
    list.keys[1].position = .root
    let error = #expect(throws: UnfitPinList.self) {
      try list.fitted(
        to: .lacking([.rootPosition: .lost(.leaveKeysOut, "They never match.")]), accepting: [.rootPosition])
    }
    #expect(error?.keyless == ["api.example.com"])
    #expect(error?.losses == [])
  }

  @Test func aListThatWouldBeEmptyIsNotExported() {
    var list = Samples.plain
    list.hosts[0].mode = .reportOnly
    let error = #expect(throws: UnfitPinList.self) {
      try list.fitted(
        to: .lacking([.reportOnly: .lost(.leaveHostOut, "It is not pinned.")]), accepting: [.reportOnly])
    }
    #expect(error?.isEmpty == true)
  }

  /// What one remedy removes isn't reported as a loss of a later feature.
  @Test func aHostThatIsLeftOutLosesNothingMore() throws {
    var list = Samples.plain
    var observed = list.hosts[0]
    observed.host = Samples.host("www.example.com")
    observed.mode = .reportOnly
    observed.reportURIs = ["https://pins.example.org/reports"]
    list.hosts.append(observed)
    let fitted = try list.fitted(
      to: .lacking([.reportOnly: .lost(.leaveHostOut, "Out."), .reportURIs: .refused("Silent.")]),
      accepting: [.reportOnly])
    #expect(fitted.list.hosts.map(\.label) == ["api.example.com"])
    #expect(fitted.losses.map(\.feature) == [.reportOnly])
  }

  /// A denied pin isn't exported under another name either.
  @Test func aDeniedPinIsLeftOutByAllItsNames() throws {
    var list = Samples.plain
    list.keys.append(PinList.Key(name: "leaked", pin: Samples.pin(2), denied: "published"))
    let fitted = try list.fitted(
      to: .lacking([.deniedKeys: .lost(.leaveKeysOut, "It is accepted.")]), accepting: [.deniedKeys])
    #expect(fitted.list.keySets[0].members == [0])
  }

  /// A key that is left out because of its position is still denied, and losing the denial is a loss of its own.
  @Test func aDenialIsNotLostWithTheKindOfItsKey() {
    var list = Samples.plain
    list.keys.append(
      PinList.Key(name: "leaked", pin: Samples.pin(9), owner: .certificateAuthority, denied: "published"))
    list.keySets[0].backup.append(2)
    let error = #expect(throws: UnfitPinList.self) {
      try list.fitted(
        to: .lacking([.caKey: .lost(.leaveKeysOut, "Out."), .deniedKeys: .lost(.leaveKeysOut, "It is accepted.")]),
        accepting: [.caKey])
    }
    #expect(error?.losses.map(\.feature) == [.deniedKeys])
  }

  /// Without ports, an entry that excludes one port of a name would exclude all of them.
  @Test func anExclusionOfOnePortBecomesNoneOfAllPorts() throws {
    var list = Samples.nested(.off)
    list.hosts[0].port = 8443
    let fitted = try list.fitted(to: .lacking([.port: .lost(.leaveAway, "It has no ports.")]), accepting: [.port])
    #expect(fitted.list.hosts.map(\.label) == ["example.com"])
  }

  /// An entry for all ports of a name covers the one for one port.
  @Test func anExclusionOfOnePortIsNeededBesideThePinsOfAllPorts() throws {
    var list = Samples.plain
    list.hosts.append(
      PinList.Host(host: Samples.host("api.example.com"), port: 8443, subdomains: .none, mode: .off, keySet: nil))
    let fitted = try list.fitted(to: .lacking([:]), accepting: [])
    #expect(fitted.list == list)
    let error = #expect(throws: UnfitPinList.self) {
      try list.fitted(to: .lacking([.exclusion: .refused("It can't.")]), accepting: [])
    }
    #expect(error?.losses.map(\.uses) == [["api.example.com:8443"]])
  }

  @Test func anExclusionThatNothingCoversIsNeedless() throws {
    var list = Samples.plain
    list.hosts.append(PinList.Host(host: Samples.host("example.org"), subdomains: .all, mode: .off, keySet: nil))
    let fitted = try list.fitted(to: .lacking([.exclusion: .refused("It can't.")]), accepting: [])
    #expect(fitted.list.hosts.map(\.label) == ["api.example.com"])

    list.unpinnedHosts = .deny
    let kept = try list.fitted(to: .lacking([:]), accepting: [])
    #expect(kept.list.hosts.map(\.label) == ["api.example.com", "example.org"])
  }
}

extension ExportFormat {
  /// A format that says everything but this.
  static func lacking(_ features: [PolicyFeature: FormatSupport]) -> ExportFormat {
    ExportFormat(
      name: "lacking", title: "A format", citation: "this test", support: { features[$0] ?? .exact },
      write: { _, _ in [] })
  }
}

import Diagnostics
import PinFormat
import PinProbe
import Testing

@testable import Pages
@testable import PinValidator

/// The words for paths, hosts and the whole fleet.
@Suite struct StandingTests {
  static let leaf = Fleet.digest(1)
  static let active = KeyMatch(key: "a", certificate: 0, position: .leaf, isBackup: false)
  static let backup = KeyMatch(key: "b", certificate: 0, position: .leaf, isBackup: true)
  static let failure = TrustFailure(.expired, certificate: 0, "it has expired")

  static func path(_ verdict: Verdict?, _ matches: [KeyMatch] = [], failures: [TrustFailure] = []) -> PathJudgement {
    PathJudgement(chain: [leaf], verdict: verdict, failures: failures, matches: matches)
  }

  static func notPinned(_ reason: NotPinnedReason) -> Verdict {
    .notPinned(reason, DecisionContext(.entry, entry: nil, []))
  }

  static let paths: [(PathJudgement, Standing, String)] = [
    (path(Fleet.verdict(.matched), [active]), .holds, "holds"),
    (path(Fleet.verdict(.matched), [active, backup]), .holds, "holds"),
    (path(Fleet.verdict(.matched), [backup]), .caution, "backup only"),
    (path(Fleet.verdict(.mismatch)), .fails, "no pinned key"),
    (path(Fleet.verdict(.reported)), .caution, "no pinned key, only reported"),
    (path(Fleet.verdict(.denied)), .fails, "denied key"),
    (path(Fleet.verdict(.untrusted(failure)), failures: [failure]), .fails, "expired"),
    (path(nil), .trusted, "trusted, not pinned"),
    (path(nil, failures: [failure]), .fails, "expired"),
    (path(notPinned(.noEntry)), .trusted, "trusted, not pinned"),
    (path(notPinned(.off)), .trusted, "trusted, pins off"),
    (path(notPinned(.expired(.entry))), .caution, "not pinned: entry expired"),
    (path(notPinned(.noEntry), failures: [failure]), .fails, "expired"),
  ]

  @Test(arguments: paths.indices) func path(_ number: Int) {
    let (path, standing, words) = Self.paths[number]
    let state = PathState(path)
    #expect(state.standing == standing)
    #expect(state.words == words)
  }

  @Test func expiredPinsDontHideAFailureOfTrust() {
    let state = PathState(Self.path(Self.notPinned(.expired(.entry)), failures: [Self.failure]))
    #expect(state.standing == .fails)
  }

  @Test func hostsStandAsTheirWorstCell() throws {
    let model = ProbeModel(try Fleet.small().page)
    let standings = model.hosts.map { "\($0.target.label) \($0.standing)" }
    #expect(
      standings == [
        "cross.example.com:443 fails", "dual.example.com:443 fails", "mail.example.com:25 fails",
        "two.example.com:443 fails", "away.example.com:443 unreached", "nowhere.example.com:443 unreached",
        "pay.example.com:443 caution", "api.example.com:443 holds", "www.example.com:443 holds",
      ])
  }

  @Test func anErrorOfAFindingWeighsAsAFailingCell() throws {
    var fleet = try Fleet.large(1)
    fleet.finding("P513", .error, "host-0.example.com:443 serves a revoked certificate", help: "Renew it.")
    #expect(ProbeModel(fleet.page).hosts.map(\.standing) == [.fails])
  }

  @Test(arguments: [
    ("every-state", "The policy does not hold on 4 of 9 hosts"), ("none", "No host was probed"),
    ("holds", "The policy holds on all 3 hosts"), ("one", "The policy holds on host-0.example.com:443"),
    ("own", "The servers satisfy the policy, but the policy has 1 error"),
    ("away", "The policy holds on all that answered: 3 of 4 hosts"),
    ("too few", "Unknown whether the policy holds: 1 of 4 hosts could not be probed"),
    ("trust", "Clients trust all 2 hosts"),
  ])
  func headline(_ fleet: String, _ text: String) throws {
    #expect(Headline(ProbeModel(try Self.fleet(fleet).page)).text == text)
  }

  /// A host whose other addresses nobody knows doesn't simply hold.
  @Test func missingAddresses() throws {
    var fleet = try Fleet.large(1)
    #expect(ProbeModel(fleet.page).hosts.map(\.standing) == [.holds])
    fleet.targets[0].unresolved = Evidence.Failure(.nameNotResolved, "its IPv6 addresses could not be looked up")
    let model = ProbeModel(fleet.page)
    #expect(model.hosts.map(\.standing) == [.caution])
    var markup = Markup()
    markup.hostSections(model)
    #expect(markup.html.contains(" other addresses</span> its IPv6 addresses could not be looked up"))
  }

  static func fleet(_ name: String) throws -> Fleet {
    switch name {
    case "none": return Fleet()
    case "holds": return try Fleet.large(3)
    case "one": return try Fleet.large(1)
    case "own":
      var fleet = try Fleet.large(2)
      fleet.finding("P301", .error, "the key set has no backup", help: "Add one.")
      return fleet
    case "away", "too few":
      var fleet = try Fleet.large(3)
      try fleet.host("gone.example.com", [], unresolved: Evidence.Failure(.nameNotResolved, "no such name"))
      let severity = name == "away" ? Severity.warning : .error
      fleet.finding("P530", severity, "gone.example.com:443 has no address", help: "Correct it.")
      return fleet
    case "trust":
      var fleet = try Fleet.large(2)
      for target in fleet.targets.indices {
        for visit in fleet.targets[target].visits.indices {
          guard case .served(var served) = fleet.targets[target].visits[visit].outcome else { continue }
          served.judgements = fleet.alike(PathJudgement(chain: served.chain, verdict: nil))
          fleet.targets[target].visits[visit].outcome = .served(served)
        }
      }
      return fleet
    default: return try Fleet.small()
    }
  }
}

import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinValidator
import TestSupport
import Testing

@testable import PinStudies

/// May a certificate be installed: what each release in use does with it, until it ends.
@Suite("Before a certificate goes live") struct DeployTests {
  private let scene: DeployScene
  private let old: TestCertificate
  private let new: TestCertificate
  private let keys: [String: Pin]

  init() throws {
    scene = try DeployScene()
    old = try scene.leaf("old", "2026-09-01", "2026-12-01")
    new = try scene.leaf("new")
    keys = ["old": try scene.pin(old), "new": try scene.pin(new)]
  }

  /// A release that accepts some keys.
  private func release(
    _ serial: Int64, _ date: String, _ active: [String], _ backup: [String] = [],
    _ change: (inout Manifest) throws -> Void = { _ in }
  ) throws -> ReleasedManifest {
    var manifest = try scene.manifest(serial, date, keys, active: active, backup: backup)
    try change(&manifest)
    return try scene.release(manifest)
  }

  private func deploy(
    _ releases: [ReleasedManifest], at date: String = "2026-11-21", window: Int64 = 90,
    _ change: (inout DeployQuestion) throws -> Void = { _ in }
  ) throws -> Deploy {
    Deploy(try scene.question(scene.chain(new), releases, at: date, window: window, change))
  }

  /// `serial 1 all 2026-11-21 to 2027-01-30 mismatch`.
  private func lines(_ lockouts: [Deploy.Lockout]) -> [String] {
    lockouts.map { lockout in
      let end = lockout.end.map { " to " + $0.description.prefix(10) } ?? ""
      return "\(lockout.release) \(lockout.client ?? "all") \(lockout.begin.description.prefix(10))\(end) "
        + lockout.because + (lockout.counts ? "" : ", not counted")
    }
  }

  @Test func everyReleaseInUseHasToAcceptIt() throws {
    let before = try release(1, "2026-09-01", ["old"])
    let after = try release(2, "2026-11-01", ["old"], ["new"])
    // The first release is in use until the end of the window after the second.
    let early = try deploy([before, after])
    #expect(early.verdict == .locksOut)
    #expect(lines(early.lockouts) == ["serial 1 all 2026-11-21 to 2027-01-30 mismatch"])
    #expect(early.releases.map(\.isAccepting) == [false, true])
    // Then it isn't, and the answer says that it was left out.
    let late = try deploy([before, after], at: "2027-01-30")
    #expect(late.verdict == .accepted)
    #expect(late.lockouts.isEmpty)
    #expect(lines(late.outdated) == ["serial 1 all 2027-01-30 mismatch"])
    #expect(try deploy([before, after], window: 10).verdict == .accepted)
    #expect(try deploy([after]).verdict == .accepted)
  }

  @Test func theAnswerSaysWhatToDo() throws {
    let before = try release(1, "2026-09-01", ["old"])
    let after = try release(2, "2026-11-01", ["old"], ["new"])
    let wait = DeployReport(try deploy([before, after]) { $0.served = try scene.chain(old) })
    #expect(!wait.mayInstall)
    #expect(wait.help?.contains("From 2027-01-30T00:00:00Z on, no client runs a release that blocks it.") == true)
    #expect(wait.text().contains("ends at 2026-12-01T00:00:00Z: all clients accept it until then"))
    let never = DeployReport(try deploy([before]))
    #expect(never.help?.contains("accepts a certificate with the key 'old'") == true)
    #expect(never.help?.contains("add the new key (\(keys["new"]?.description ?? ""))") == true)
    // The night when the old certificate has ended.
    let night = try deploy([before, after], at: "2026-12-02") { $0.served = try scene.chain(old) }
    #expect(DeployReport(night).help?.contains("has ended, so keeping it helps nobody") == true)
    #expect(lines(night.servedLockouts).first == "serial 1 all 2026-12-02 certificate-expired")
    let accepted = DeployReport(night, acceptedBecause: "the shop is down")
    #expect(accepted.mayInstall)
    let line = try #require(accepted.record(by: .pintle))
    #expect(line.hasSuffix("\n") && line.dropLast().allSatisfy { !$0.isNewline })
    #expect(line.contains(#""acceptedBecause": "the shop is down""#) && line.contains(#""release": "serial 1""#))
    // Nothing is accepted where nothing is wrong.
    #expect(DeployReport(try deploy([after]), acceptedBecause: "why not").record(by: .pintle) == nil)
  }

  @Test func theStalenessOfManifestsIsSetAside() throws {
    for action in ExpiryAction.allCases {
      let stale = try release(1, "2026-11-01", ["old"]) { $0.onStale = action }
      #expect(try deploy([stale], at: "2026-12-24").verdict == .locksOut, "\(action)")
      let fine = try release(1, "2026-11-01", ["new"]) { $0.onStale = action }
      #expect(try deploy([fine], at: "2026-12-24").verdict == .accepted, "\(action)")
    }
    // But a folder that has nothing newer may be an old copy.
    let old = DeployReport(try deploy([release(1, "2026-11-01", ["new"])], at: "2026-12-24"))
    #expect(
      old.notes == ["the newest release, test serial 1, is stale since 2026-12-01T00:00:00Z: is the folder up to date?"]
    )
    // A release that blocks when it is stale isn't in use for longer.
    let first = try release(1, "2026-11-01", ["old"]) { $0.onStale = .block }
    let second = try release(2, "2026-11-10", ["new"])
    #expect(lines(try deploy([first, second]).lockouts) == ["serial 1 all 2026-11-21 to 2026-12-01 mismatch"])
  }

  @Test func anExpiryIsNamedAndCountsOnlyIfTheOldCertificateDoesBetter() throws {
    for action in ExpiryAction.allCases {
      let expiring = try release(1, "2026-11-01", ["new"]) {
        ($0.hosts[0].expires, $0.hosts[0].onExpiry) = (try DeployScene.instant("2027-01-01"), action)
      }
      let found = try deploy([expiring])
      #expect(found.verdict == .accepted, "\(action)")
      #expect(found.expiries.map(\.action) == [action])
      let lockouts = action == .block ? ["serial 1 all 2027-01-01 expired, not counted"] : []
      #expect(lines(found.lockouts) == lockouts, "\(action)")
      #expect(
        DeployReport(found).text().contains("note: the entry api.example.com of test serial 1 expires at 2027-01-01T"))
    }
    // Without pins, only the system's anchors count: the old certificate's is among them, the new one's isn't.
    let other = try scene.leaf("private", isOther: true)
    let chain = try scene.chain(other, isOther: true)
    let served = try scene.chain(scene.leaf("long", "2026-09-01", "2027-06-01"))
    let both = ["new": try scene.pin(other), "old": try scene.pin(scene.leaf("long", "2026-09-01", "2027-06-01"))]
    var manifest = try scene.manifest(1, "2026-11-01", both, active: ["new"], backup: ["old"])
    manifest = try scene.anchored(manifest, at: scene.maker.otherRoot)
    manifest.hosts[0].trust?.systemAnchors = true
    (manifest.hosts[0].expires, manifest.hosts[0].onExpiry) = (try DeployScene.instant("2027-01-01"), .unpinned)
    let release = try scene.release(manifest)
    // It had ended by then, so it excuses nothing.
    let ended = try scene.chain(scene.leaf("ended", "2026-09-01", "2026-12-20", isOther: true), isOther: true)
    let rows: [(served: [[UInt8]]?, counts: Bool)] = [(served, true), (chain, false), (nil, true), (ended, true)]
    for row in rows {
      let found = Deploy(try scene.question(chain, [release]) { $0.served = row.served })
      #expect(lines(found.lockouts) == ["serial 1 all 2027-01-01 expired" + (row.counts ? "" : ", not counted")])
      #expect(found.verdict == (row.counts ? .locksOut : .accepted))
    }
  }

  @Test func whatIsWrongWithTheCertificateCounts() throws {
    let release = try release(1, "2026-11-01", ["new"], ["old"])
    func lockouts(_ chain: [[UInt8]], at date: String = "2026-11-21") throws -> [String] {
      lines(Deploy(try scene.question(chain, [release], at: date)).lockouts)
    }
    let early = try scene.leaf("early", "2026-12-05", key: .existing(new))
    #expect(try lockouts(scene.chain(early)) == ["serial 1 all 2026-11-21 to 2026-12-05 not-yet-valid"])
    #expect(try lockouts([new.der]) == ["serial 1 all 2026-11-21 missing-intermediate"])
    #expect(try lockouts(scene.chain(old), at: "2026-12-01") == ["serial 1 all 2026-12-01 certificate-expired"])
    #expect(try lockouts([[1, 2, 3]]) == ["serial 1 all 2026-11-21 malformed"])
  }

  @Test func kindsOfClientsDiffer() throws {
    let edwards = try scene.leaf("edwards", key: .ed25519)
    let pins = ["new": try scene.pin(edwards), "old": keys["old"]].compactMapValues(\.self)
    let release = try scene.release(scene.manifest(1, "2026-11-01", pins, active: ["new"], backup: ["old"]))
    func lockouts(_ kinds: [Policy.ClientKind]) throws -> [String] {
      lines(Deploy(try scene.question(scene.chain(edwards), [release]) { $0.kinds = kinds }).lockouts)
    }
    #expect(try lockouts([]) == [])
    #expect(try lockouts([.openSSL30, .android]) == ["serial 1 android 2026-11-21 malformed"])
    // A client that sees the leaf alone can't decide on keys that may be above it.
    #expect(try lockouts([.openSSL30, .leafOnly]) == ["serial 1 leaf-only 2026-11-21 other"])
  }

  @Test func audiencesAndHostsThatNothingPins() throws {
    let good = try release(1, "2026-11-01", ["new"])
    let bad = try release(1, "2026-11-01", ["old"])
    let both = try deploy([]) { $0.audiences = [("production", [good]), ("staging", [bad])] }
    #expect(both.lockouts.map(\.audience) == ["staging"] && both.verdict == .locksOut)
    #expect(
      DeployReport(both).text().contains("releases     production serial 1, staging serial 1; client-max-age 90 days"))
    let off = try release(1, "2026-11-01", ["old"]) {
      ($0.hosts[0].mode, $0.hosts[0].keySet) = (.off, nil)
    }
    #expect(try deploy([off]).verdict == .notPinned)
    #expect(try deploy([bad]) { $0.host = "www.example.com" }.verdict == .notPinned)
    let misspelt = DeployReport(try deploy([bad]) { $0.host = "apl.example.com" })
    #expect(misspelt.notes == ["no entry covers 'apl.example.com'; did you mean 'api.example.com'?"])
    let deny = try release(1, "2026-11-01", ["old"]) { $0.unpinnedHosts = .deny }
    #expect(
      lines(try deploy([deny]) { $0.host = "www.example.com" }.lockouts) == ["serial 1 all 2026-11-21 unpinned-host"])
  }

  /// Clients take such a release as soon as it is there.
  @Test func releasesThatAreNotOutYet() throws {
    let now = try release(1, "2026-11-01", ["new"])
    let later = try release(2, "2026-11-25", ["old"])
    #expect(lines(try deploy([now, later]).lockouts) == ["serial 2 all 2026-11-21 mismatch"])
    let tooLate = try release(2, "2027-02-01", ["old"])
    #expect(try deploy([now, tooLate]).verdict == .locksOut)
    // Neither does it hide those that come behind it.
    #expect(try deploy([release(1, "2027-02-01", ["new"]), release(2, "2026-11-05", ["old"])]).verdict == .locksOut)
  }

  @Test func releasesThatAreMissing() throws {
    func missing(_ releases: [ReleasedManifest], window: Int64 = 90) throws -> Bool {
      let question = try scene.question(scene.chain(new), releases) { $0.window = window * 86_400 }
      do throws(WorkFailure) { try question.requireAllReleases() } catch { return error.help != nil }
      return false
    }
    let first = try release(1, "2026-11-01", ["new"])
    func next(_ serial: Int64, _ date: String, after before: ReleasedManifest?) throws -> ReleasedManifest {
      try release(serial, date, ["new"]) { $0.previous = before?.digest ?? first.digest }
    }
    let second = try next(2, "2026-11-10", after: first)
    let fourth = try next(4, "2026-11-15", after: second)
    #expect(try !missing([first, second, fourth]))
    #expect(try missing([second, fourth]))
    #expect(try missing([first, fourth]))
    // The neighbour of one that isn't its predecessor.
    #expect(try missing([first, next(2, "2026-11-10", after: fourth)]))
    // Those before are too old for any client.
    #expect(try !missing([second, fourth], window: 10))
  }

  /// Clients of a release that doesn't pin the host validate as always.
  @Test func releasesThatDoNotPin() throws {
    let chain = try scene.chain(scene.leaf("private", isOther: true), isOther: true)
    let pins = ["new": try scene.pin(scene.leaf("private", isOther: true))]
    var manifest = try scene.manifest(1, "2026-11-01", pins, active: ["new"], backup: [])
    manifest = try scene.anchored(manifest, at: scene.maker.otherRoot)
    let pinning = try scene.release(manifest)
    let off = try release(2, "2026-11-10", ["old"]) { ($0.hosts[0].mode, $0.hosts[0].keySet) = (.off, nil) }
    let found = Deploy(try scene.question(chain, [pinning, off]))
    #expect(lines(found.lockouts) == ["serial 2 all 2026-11-21 off"])
    #expect(Deploy(try scene.question(chain, [off])).verdict == .notPinned)
  }
}

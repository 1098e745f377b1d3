import PinFormat
import PinProbe
import PinValidator
import TestSupport
import Testing

/// Which keys of the policy are in a validated chain.
@Suite struct PinTests {
  @Test func theActiveKey() throws {
    let make = try maker()
    let path = try path { $0.pinned = [try make.root] }
    #expect(path.word == "allow")
    #expect(path.matches == [KeyMatch(key: "active-0", certificate: 2, position: .root, isBackup: false)])
  }

  @Test func onlyABackup() throws {
    let make = try maker()
    let path = try path {
      $0.pinned = [try make.otherRoot]
      $0.backup = [try make.intermediate]
    }
    #expect(path.verdict?.context.events.contains(.backupKeyMatched) == true)
    #expect(path.matches == [KeyMatch(key: "backup-0", certificate: 1, position: .intermediate, isBackup: true)])
  }

  /// The decision stops at the leaf; people want to know that a backup is in service above.
  @Test func aBackupBehindAnActiveKey() throws {
    let make = try maker()
    let path = try path {
      $0.pinned = [try make.leaf]
      $0.backup = [try make.root]
    }
    #expect(path.matches.map(\.key) == ["active-0", "backup-0"])
    #expect(path.matches.map(\.certificate) == [0, 2])
    #expect(path.matches.map(\.isBackup) == [false, true])
  }

  @Test func aDeniedKey() throws {
    let make = try maker()
    let path = try path {
      $0.pinned = [try make.root]
      $0.denied = [try make.intermediate]
    }
    guard case .block(.deniedKey, _) = path.verdict else {
      Issue.record("a denied key was let through")
      return
    }
    #expect(
      path.matches == [
        KeyMatch(key: "denied-0", certificate: 1, position: .intermediate, isBackup: false, isDenied: true),
        KeyMatch(key: "active-0", certificate: 2, position: .root, isBackup: false),
      ])
  }

  @Test func noKey() throws {
    let make = try maker()
    let path = try path { $0.pinned = [try make.otherRoot] }
    #expect(path.word == "block")
    #expect(path.failures.isEmpty)
    #expect(path.matches.isEmpty)
  }

  @Test func aKeyInAPlaceWhereItDoesNotCount() throws {
    let make = try maker()
    let scene = try Scene([make.leaf, make.intermediate], stores: [make.root]).with { $0.pinned = [try make.root] }
    var manifest = try #require(try scene.manifest()?.manifest)
    manifest.keys[0].position = .leaf
    let report = try #require(
      try Judge(manifest: loaded(manifest), stores: scene.namedStores())
        .assess(scene.evidence(), at: try instant(scene.at)).targets[0].visits[0].served)
    #expect(report.judgements[0].paths[0].word == "block")
    #expect(report.judgements[0].paths[0].matches.map(\.counts) == [false])
  }

  @Test func anEntryThatOnlyReports() throws {
    let make = try maker()
    let path = try path {
      $0.pinned = [try make.otherRoot]
      $0.mode = .reportOnly
    }
    guard case .allow(.mismatchReported(.noKey), _) = path.verdict else {
      Issue.record("it should have been reported")
      return
    }
  }

  @Test func aHostThatIsNotPinnedIsEvaluatedAllTheSame() throws {
    let make = try maker()
    for change: @Sendable (inout Scene) -> Void in [{ $0.pinned = [] }, { $0.mode = .off }] {
      let good = try path {
        $0.pinned = [try make.root]
        change(&$0)
      }
      #expect(good.word == "not pinned")
      #expect(good.failures.isEmpty)
      #expect(good.chain.count == 3)
      let bad = try path {
        $0.pinned = [try make.root]
        $0.stores = [("none", [])]
        change(&$0)
      }
      #expect(bad.word == "not pinned")
      #expect(bad.failures.map(\.code) == [.unknownIssuer])
    }
  }

  @Test func anExceptionThatIsUsedIsTold() throws {
    let make = try maker()
    let leaf = try make.leaf("expired") { $0.notAfter = "2026-01-01" }
    let until = try instant("2027-01-01")
    let fingerprint = try leaf.fingerprint
    let path = try path {
      $0.answers = [.chain([leaf, try make.intermediate])]
      $0.pinned = [try make.root]
      $0.trust = Manifest.Trust(exceptions: [
        Manifest.Exception(failure: .expired, certificate: fingerprint, until: until, reason: "soon")
      ])
    }
    #expect(path.word == "allow")
    #expect(path.excused.map(\.failure.code) == [.expired])
    #expect(path.verdict?.context.events.contains(.exceptionUsed) == true)
  }

  private func path(_ change: (inout Scene) throws -> Void) throws -> PathJudgement {
    let make = try maker()
    let report = try Scene([make.leaf, make.intermediate], stores: [make.root]).with(change).report()
    #expect(report.judgements.count == 1)
    return try #require(report.judgements.first?.paths.first)
  }
}

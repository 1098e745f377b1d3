import PinFormat
import PinValidator
import Testing

@Suite("Step 1: does anything pin the host now")
struct GovernanceTests {
  private func govern(
    _ entry: Manifest.HostEntry? = nil, host: String = "example.com", at time: String = "2026-11-20",
    onStale: ExpiryAction = .enforce, unpinned: UnpinnedHosts = .allow
  ) throws -> Governance {
    var manifest = try Manifest.sample(hosts: entry.map { [$0] } ?? [])
    manifest.onStale = onStale
    manifest.unpinnedHosts = unpinned
    return try loaded(manifest).govern(host: host, port: 443, at: try instant(time))
  }

  private func verdict(_ governance: Governance) throws -> Verdict {
    guard case .answered(let verdict) = governance else { throw Unexpected(governance) }
    #expect(verdict.context.step == .entry)
    return verdict
  }

  private func entry(_ governance: Governance) throws -> GoverningEntry {
    guard case .pinned(let entry) = governance else { throw Unexpected(governance) }
    return entry
  }

  private struct Unexpected: Error {
    let governance: Governance
    init(_ governance: Governance) { self.governance = governance }
  }

  @Test("No entry and mode off answer notPinned, or block where unpinned hosts are denied")
  func unpinned() throws {
    let off = try Manifest.HostEntry("example.com", .off)
    for (entry, reason, event) in [(nil, NotPinnedReason.noEntry, DecisionEvents.noEntry), (off, .off, .excluded)] {
      let number = entry.map { _ in 0 }
      guard case .notPinned(reason, let open) = try verdict(govern(entry)) else { throw Unexpected(try govern(entry)) }
      #expect(open.events == event)
      #expect(open.entry == number)
      guard case .block(.unpinnedHost(reason), let denied) = try verdict(govern(entry, unpinned: .deny)) else {
        throw Unexpected(try govern(entry, unpinned: .deny))
      }
      #expect(denied.events == event)
    }
  }

  @Test(
    "An invalid host is blocked, never passed",
    arguments: [
      "", ".", "..", "a..b", ".example.com", "example.com..", "exämple.com", "exa mple.com",
      "10.0.0.256", "10.0.0", "010.0.0.5", "0x7f000001", "1.2.3.0x4", "0x", "127.1", "[::1",
      "::1%eth0",
      "1::2::3", "example.com:443", "https://example.com", "*.example.com", "a\0.example.com",
      String(repeating: "a", count: 64) + ".com", String(repeating: "a.", count: 127) + "com",
    ])
  func invalidHosts(host: String) throws {
    for unpinned in UnpinnedHosts.allCases {
      guard case .block(.invalidHost, let context) = try verdict(govern(host: host, unpinned: unpinned)) else {
        Issue.record("\(host) was not blocked")
        return
      }
      #expect(context.events == .invalidHost)
    }
  }

  @Test("Before any expiry the entry's mode holds")
  func modes() throws {
    let enforced = try entry(govern(.init("example.com", expires: "2026-11-21", onExpiry: .block)))
    #expect(!enforced.reportsOnly)
    #expect(enforced.events == [])
    let reported = try entry(govern(.init("example.com", .reportOnly)))
    #expect(reported.reportsOnly)
    #expect(reported.events == .reportOnly)
  }

  @Test("From the instant of its expiry on, an entry does what on-expiry says", arguments: [Mode.enforce, .reportOnly])
  func expiry(mode: Mode) throws {
    let time = "2026-11-20"
    func expired(_ action: ExpiryAction, _ unpinned: UnpinnedHosts = .allow) throws -> Governance {
      try govern(
        .init("example.com", mode, expires: time, onExpiry: action), host: "example.com", at: time, unpinned: unpinned)
    }
    let enforced = try entry(expired(.enforce))
    #expect(enforced.reportsOnly == (mode == .reportOnly))
    #expect(enforced.events.contains(.entryExpired))
    let reported = try entry(expired(.reportOnly))
    #expect(reported.reportsOnly)
    #expect(reported.events == [.entryExpired, .reportOnly])
    guard case .notPinned(.expired(.entry), let open) = try verdict(expired(.unpinned)) else {
      throw Unexpected(try expired(.unpinned))
    }
    #expect(open.events == .entryExpired)
    guard case .block(.unpinnedHost(.expired(.entry)), _) = try verdict(expired(.unpinned, .deny)) else {
      throw Unexpected(try expired(.unpinned, .deny))
    }
    guard case .block(.expired(.entry), let closed) = try verdict(expired(.block)) else {
      throw Unexpected(try expired(.block))
    }
    #expect(closed.events == .entryExpired)
  }

  @Test("A stale manifest acts on pinned entries, and leaves the answers of others as they are")
  func stale() throws {
    let time = "2027-01-01"
    let pinned = try Manifest.HostEntry("example.com")
    let enforced = try entry(govern(pinned, at: time, onStale: .enforce))
    #expect(!enforced.reportsOnly)
    #expect(enforced.events == [.refreshDue, .manifestStale])
    #expect(try entry(govern(pinned, at: time, onStale: .reportOnly)).reportsOnly)
    guard case .notPinned(.expired(.manifest), _) = try verdict(govern(pinned, at: time, onStale: .unpinned)),
      case .block(.expired(.manifest), _) = try verdict(govern(pinned, at: time, onStale: .block)),
      case .notPinned(.noEntry, let context) = try verdict(govern(at: time, onStale: .block))
    else {
      Issue.record("not the verdicts of a stale manifest")
      return
    }
    #expect(context.events == [.refreshDue, .manifestStale, .noEntry])
    #expect(try entry(govern(pinned, at: "2026-12-01")).events == .refreshDue)
  }

  @Test("Of both clocks the one that says more holds, and block is never loosened")
  func bothClocks() throws {
    let order: [ExpiryAction] = [.enforce, .reportOnly, .unpinned, .block]
    for (entryRank, onExpiry) in order.enumerated() {
      for (manifestRank, onStale) in order.enumerated() {
        let clock = manifestRank > entryRank ? ExpiryClock.manifest : .entry
        let answer = try govern(
          .init("example.com", expires: "2026-11-20", onExpiry: onExpiry), at: "2027-01-01", onStale: onStale)
        switch (order[max(entryRank, manifestRank)], answer) {
        case (.enforce, .pinned(let entry)): #expect(!entry.reportsOnly)
        case (.reportOnly, .pinned(let entry)): #expect(entry.reportsOnly)
        case (.unpinned, .answered(.notPinned(.expired(clock), let context))):
          #expect(context.events == [.entryExpired, .refreshDue, .manifestStale])
        case (.block, .answered(.block(.expired(clock), _))): continue
        default: Issue.record("\(onExpiry) and \(onStale) gave \(answer)")
        }
      }
    }
  }
}

#if Collector
import Foundation
import NIOHTTP1
import PinFormat
import PinReports
import Testing

@testable import PinCollector

/// Whatever a sender writes into whatever field, pages and answers show it as text.
@Suite struct HostileTextTests {
  static let attack = #""><script>document.title='owned'</script><img src=x onerror=alert(1)>'&<b>"#

  @Test(arguments: StorageKind.allCases)
  func nothingThatIsSentRuns(_ kind: StorageKind) async throws {
    try await RunningCollector.run(kind) { collector async throws in
      try await Self.fill(collector)
      let entry = Self.attack.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      for path in ["/", "/hosts/app.example.com/443", "/entries?entry=\(entry)"] {
        let page = try await collector.get(path)
        #expect(page.status == 200)
        #expect(!page.body.contains("<script") && !page.body.contains("<img") && !page.body.contains("<b>"))
        #expect(page.body.contains("&lt;script&gt;"), "\(path)")
        #expect(page.headers["content-security-policy"].first?.hasPrefix("default-src 'none'") == true)
        #expect(page.headers["x-content-type-options"] == ["nosniff"])
      }
      for path in ["/v1/failures", "/v1/entries", "/v1/manifests"] {
        let reply = try await collector.get(path)
        #expect(reply.headers["content-type"] == ["application/json"])
        #expect(reply.body.contains("<script>"))
      }
      try Snapshot.check(try await collector.get("/").body, "hostile.html")
      try Snapshot.check(try await collector.get("/entries?entry=\(entry)").body, "hostile-entry.html")
      try Snapshot.check(try await collector.get("/hosts/app.example.com/443").body, "hostile-host.html")
    }
  }

  /// A browser of which an attacker would like something shows the pages as they are.
  @Test func aBrowserRunsNothing() async throws {
    try await RunningCollector.run { collector async throws in
      try await Self.fill(collector)
      let entry = Self.attack.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      for path in ["/", "/hosts/app.example.com/443", "/entries?entry=\(entry)"] {
        let browser = try Program([
          "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
          "--no-first-run", "--disable-sync", "--disable-dev-shm-usage", "--virtual-time-budget=2000", "--dump-dom",
          "--user-data-dir=" + (try Scratch().path), "http://127.0.0.1:\(collector.port)\(path)",
        ])
        #expect(try await browser.status() == 0)
        let dom = browser.scratch.read("out")
        #expect(dom.contains("</html>") && dom.contains("&lt;script&gt;"), "\(path)")
        #expect(!dom.contains("<script") && !dom.contains("<img") && !dom.contains("<title>owned"))
      }
    }
  }

  /// In each field that takes text at all; a host takes none of it.
  static func fill(_ collector: RunningCollector) async throws {
    #expect(try await collector.post(Samples.rfc7469(host: attack)).status == 400)
    #expect(try await collector.post(Samples.rfc7469(adding: ["noted-hostname": attack])).status == 400)
    let strange: [String: Any] = [
      "app-bundle-id": attack, "app-version": attack, "app-platform": attack, "app-platform-version": attack,
      "app-vendor-id": attack, "known-pins": ["pin-sha256=\"\(attack)\"", attack],
      "validated-certificate-chain": [attack], attack: attack,
    ]
    #expect(try await collector.post(Samples.trustKit(adding: strange)).status == 204)
    let host = AggregateReport.Host(
      entry: attack, mode: .reportOnly,
      counts: .init(
        successes: 1, reportOnlyMismatches: 2, failures: [.init(kind: attack, code: attack, count: 3)]))
    #expect(try await collector.post(Samples.aggregate(reporter: attack, hosts: [host]).encoded()).status == 204)
  }
}
#endif

import TestSupport
import Testing

/// The incidents of docs/rotation.md: each is caught before the release that would have made it one, with its witness.
struct IncidentTests {
  /// A policy that would lock clients out, and the finding that says so.
  struct Catch: CustomTestStringConvertible, Sendable {
    var incident: String
    var day: String
    var policy: String
    var code: String
    /// The one client, by release.
    var client: String
    var released: String
    /// Words of the kind of client; nil where all are alike.
    var kind: String?
    var host: String
    var instant: String
    var until: String?
    /// The keys of the chain by their names, `?` for one that has none.
    var chain: [String]

    var testDescription: String { "\(incident)/\(policy)" }
  }

  static let catches = [
    Catch(
      incident: "intermediate-replaced", day: "2024-05-20", policy: "too-late", code: "P604", client: "serial 1",
      released: "2024-01-15T00:00:00Z", host: "api.example.com:443", instant: "2024-06-21T00:00:00Z",
      until: "2024-06-28T00:00:00Z", chain: ["?", "issuing-10", "?"]),
    Catch(
      incident: "root-disappears", day: "2021-05-10", policy: "one-more-host", code: "P613", client: "this policy",
      released: "2021-05-10T00:00:00Z", kind: "system", host: "www.example.com:443", instant: "2021-05-10T00:00:00Z",
      chain: ["?", "?", "?"]),
    Catch(
      incident: "leaf-regenerated", day: "2024-09-02", policy: "old-certificate", code: "P613", client: "this policy",
      released: "2024-09-02T00:00:00Z", host: "shop.example.com:443", instant: "2024-09-02T00:00:00Z",
      chain: ["?", "?", "?"]),
    Catch(
      incident: "leaf-regenerated", day: "2024-09-02", policy: "too-late", code: "P604", client: "serial 1",
      released: "2024-05-15T00:00:00Z", host: "api.example.com:443", instant: "2024-09-18T00:00:00Z",
      until: "2024-10-20T00:00:00Z", chain: ["api-next", "?", "?"]),
    Catch(
      incident: "backup-never-kept", day: "2016-10-17", policy: "new-key", code: "P604", client: "serial 1",
      released: "2016-01-11T00:00:00Z", host: "www.example.com:443", instant: "2016-10-21T00:00:00Z",
      until: "2017-06-13T00:00:00Z", chain: ["web-2016", "?"]),
  ]

  @Test(arguments: catches)
  func isCaughtBeforeRelease(_ expected: Catch) throws {
    let answer = try Incident(name: expected.incident, day: expected.day).diff(expected.policy)
    #expect(answer.status == 3)
    #expect(answer.document.verdict == "unsafe")
    let errors = answer.document.findings.filter { $0.severity == "error" }
    #expect(errors.map(\.code) == [expected.code], "\(answer.document.findings)")
    let witness = try #require(errors.first?.witness)
    #expect(witness.client == expected.client)
    #expect(witness.released == expected.released)
    #expect(witness.kind?.contains(expected.kind ?? "") == (expected.kind == nil ? nil : true), "\(witness)")
    #expect(witness.host == expected.host)
    #expect(witness.instant == expected.instant)
    #expect(witness.until == expected.until)
    #expect(witness.chain.map { $0.name ?? "?" } == expected.chain)
  }

  /// What follows from the same key being at hand a window earlier, or from pinning what stays.
  @Test(
    arguments: [
      ("intermediate-replaced", "2024-05-20", "mended"), ("root-disappears", "2021-05-10", "mended"),
      ("leaf-regenerated", "2024-09-02", "mended"),
    ])
  func theMendedPolicyIsSafe(incident: String, day: String, policy: String) throws {
    let answer = try Incident(name: incident, day: day).diff(policy)
    #expect(answer.status == 0)
    #expect(answer.document.verdict != "unsafe")
    // It is intended that a key is added to both hosts of a policy, and that a new one enforces. One root certified all
    // of the intermediates, so with its key they are lost too.
    #expect(
      answer.document.findings.allSatisfy { ["P406", "P612", "P617"].contains($0.code) }, "\(answer.document.findings)")
  }

  /// A spare that is put in the place of a lost one is in no older release: until these are gone, there is no spare.
  @Test func aNewSpareIsNoneForAWindow() throws {
    let incident = Incident(name: "backup-never-kept", day: "2016-10-17")
    let answer = try incident.diff("new-spare")
    #expect(answer.status == 0)
    #expect(answer.document.verdict == "safe-with-warnings")
    let warnings = answer.document.findings.filter { $0.severity == "warning" }
    #expect(warnings.map(\.code) == ["P612"])
    let warning = try #require(warnings.first)
    #expect(warning.message.hasPrefix("losing 'web-2014' locks clients out of 1 of 1 server, 100 %"))
    #expect(warning.witness?.host == "www.example.com:443")
    #expect(warning.witness?.instant == "2016-10-17T00:00:00Z")
    #expect(try incident.diff("new-spare", "--fail-on", "warning").status == 2)
    // With the spare that clients know, if somebody had it, losing the key would lock out nobody.
    #expect(try incident.diff("policies").document.findings.allSatisfy { $0.code != "P612" })
  }
}

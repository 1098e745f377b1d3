import Diagnostics
import PinFormat
import PinProbe
import Testing

@testable import Pages

/// What a page holds and where.
@Suite struct ProbePageTests {
  @Test(arguments: [
    ("P520", "api.example.com:443 shows no pinned key", [0]),
    ("P504", "the certificate of 'api.example.com:443': expired", [0]),
    ("P508", "api.example.com:8443 shows a certificate for api.example.com:443", [1]),
    ("P538", "there is nothing about api.example.com.", [0]),
    ("P520", "[2001:db8::1]:443 shows no pinned key", [2]),
    ("P520", "xapi.example.com:443 shows no pinned key", []),
    ("P520", "api.example.com:4433 shows no pinned key", []),
    ("P520", "api.example.com:443.evil.example shows no pinned key", []),
    ("P301", "api.example.com:443 has no backup", []),
  ])
  func findingStandsAtItsHost(_ code: String, _ message: String, _ hosts: [Int]) throws {
    var fleet = Fleet()
    try fleet.host("api.example.com", [])
    try fleet.host("api.example.com", [])
    try fleet.host("2001:db8::1", [])
    fleet.targets[1].port = 8443
    fleet.finding(code, .error, message, help: "")
    let page = fleet.page
    let index = FindingIndex(page.report, page.assessment.targets)
    #expect(index.ofTarget.keys.sorted() == hosts)
    #expect(index.others.count == (hosts.isEmpty ? 1 : 0))
  }

  @Test func sameChainIsDrawnOnceAndLinked() throws {
    let model = ProbeModel(try Fleet.small().page)
    let api = try #require(model.hosts.firstIndex { $0.target.label == "api.example.com:443" })
    let www = try #require(model.hosts.firstIndex { $0.target.label == "www.example.com:443" })
    #expect(model.chainOfVisit[api] == model.chainOfVisit[www])
    let chain = try #require(model.chainOfVisit[api].compactMap(\.self).first)
    #expect(model.drawnAt[chain] == api)
    let html = try Fleet.small().page.html()
    #expect(html.components(of: "id=\"chain-\(chain + 1)\"") == 1)
    // Two offers of the host itself; two offers and the pointer of the other one.
    #expect(html.components(of: "href=\"#chain-\(chain + 1)\"") == 5)
  }

  @Test func crossSignedPathsBranchFromWhatTheyShare() throws {
    let model = ProbeModel(try Fleet.small().page)
    let tree = try #require(model.chains.first?.leaves.first)
    let issuing = try #require(tree.above.first)
    #expect(tree.above.count == 1)
    #expect(issuing.above.count == 2)
    #expect(issuing.above[0].ends.map(\.stores) == [["system"]])
    #expect(issuing.above[1].above.first?.ends.map(\.stores) == [["system", "mozilla"]])
  }

  @Test func manyPathsAreCounted() {
    let paths = (0..<100).map { Fleet.path([Fleet.digest(1), Fleet.digest(2 + $0)], .mismatch) }
    let served = ServedReport(chain: [Fleet.digest(1)], judgements: [StoreJudgement(paths: paths)])
    let chain = ChainModel(served, stores: ["system"], deadlines: [])
    #expect(chain.leaves.first?.above.count == ChainModel.mostPaths)
    #expect(chain.pathsLeftOut == 100 - ChainModel.mostPaths)
  }

  @Test func hostsThatHoldAreFolded() throws {
    let html = try Fleet.small().page.html()
    #expect(html.components(of: "<details id=\"host-") == 9)
    #expect(html.components(of: "class=\"host\" open=\"\"") == 7)
    #expect(html.contains("<details id=\"host-api.example.com:443\" class=\"host\">"))
  }

  @Test func sameInputGivesTheSameBytes() throws {
    #expect(try Fleet.small().page.html() == Fleet.small().page.html())
  }

  @Test func fleetOfAThousandStaysSmall() throws {
    let html = try Fleet.large(1_000).page.html()
    #expect(html.utf8.count < 4_000 * 1_000)
    #expect(!html.contains(" open=\"\""))
  }

  @Test func distancesAreSaidInDaysAndYears() {
    let now = Fleet.now
    func text(_ seconds: Int64) -> String { now.adding(seconds: seconds).distance(from: now) }
    #expect(text(86_400) == "in 1 day")
    #expect(text(-34 * 86_400) == "34 days ago")
    #expect(text(60) == "in less than a day")
    #expect(text(-60) == "less than a day ago")
    #expect(text(800 * 86_400) == "in 2 years")
    #expect(Instant.latest.distance(from: .earliest) == "in 10005 years")
  }
}

extension String {
  /// How often this text contains another one.
  func components(of text: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}

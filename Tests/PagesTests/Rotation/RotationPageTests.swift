import PinFormat
import PinRotation
import Testing

@testable import Pages

/// What a page of a simulation holds and where.
@Suite("Pages of simulations")
struct RotationPageTests {
  @Test func hostsThatFareAlikeAreToldOnceTheWorstFirst() throws {
    let model = RotationModel(try Scene.everyState().page())
    #expect(
      model.groups.map { "\($0.words): \($0.servers.count)" } == [
        "locked out: 31", "locked out: 1", "locked out for another reason: 1", "partly blocked: 1", "pins run out: 1",
        "reachable throughout: 1",
      ])
    #expect(model.leftOut == 0)
  }

  @Test func titleSaysWhoIsLockedOutWhen() throws {
    #expect(
      RotationModel(try Scene.everyState().page()).headline
        == "From 2027-01-10T00:00:00Z on, clients with serial 6 or serial 7 are locked out of 31 of 36 hosts: "
        + "their manifest doesn't have the key that is presented, which this policy is the first to accept")
    #expect(RotationModel(try Scene.safe().page()).headline == "Nobody is locked out before 2027-08-18T00:00:00Z")
  }

  @Test func axisIsWithinTheDrawing() throws {
    let axis = RotationModel(try Scene.everyState().page()).axis
    #expect(axis.place(axis.start) == 0)
    #expect(axis.place(axis.end) == 10_000)
    #expect(axis.place(.earliest) == 0)
    #expect(axis.place(.latest) == 10_000)
    for tick in axis.ticks { #expect((1_000...9_000).contains(axis.place(tick))) }
    #expect(axis.start < axis.now)
  }

  @Test(arguments: [(0, "0.00%"), (5, "0.05%"), (1_234, "12.34%"), (10_000, "100.00%")])
  func percentagesHaveTwoDigits(_ hundredths: Int64, _ text: String) {
    #expect(percent(hundredths) == text)
  }

  @Test func tenThousandDifferentHostsGetNoMoreSectionsThanAnybodyReads() throws {
    var scene = try Scene()
    let names = (0..<2_000).map { "h\($0).example.com" }
    let hosts = try names.map { try Scene.entry($0, "web") }
    try scene.release("this policy", serial: nil, .candidate, issued: "2026-11-21", keySets: ["web": ["main"]], hosts)
    for (number, name) in names.enumerated() {
      // Each has its own leaf, and no two of them end at the same time.
      let end = Scene.at("2027-01-01").adding(seconds: Int64(number) * 60)
      try scene.server(name, leaf: "main", certificate: ("2026-11-01", end.description))
    }
    let page = scene.page()
    let model = RotationModel(page)
    #expect(model.groups.count == RotationModel.mostGroups)
    #expect(model.leftOut == 1_900)
    let html = page.html()
    #expect(html.utf8.count < 700_000)
    #expect(html.contains("1900 more hosts, none of which fares worse than these, have no time line here"))
  }
}

import TestSupport
import Testing

/// The incidents of docs/rotation.md, simulated: what was done locks clients out, a day too early still does, and what
/// helps doesn't.
struct IncidentSimulationTests {
  struct Play: CustomTestStringConvertible, Sendable {
    var incident: String
    var day: String
    var policy: String
    /// With an end where the entries themselves would run out in the time that is looked ahead.
    var options: [String]
    /// The first clients that are locked out, and when; nil where nobody is.
    var first: (client: String, instant: String)?

    var testDescription: String { "\(incident)/\(policy) \(options.joined(separator: " "))" }
  }

  static let plays = [
    Play(
      incident: "intermediate-replaced", day: "2024-05-20", policy: "policies",
      options: ["--server", "api.example.com=unknown+unknown@2024-06-21"],
      first: ("serial 1", "2024-06-21T00:00:00Z")),
    Play(
      incident: "intermediate-replaced", day: "2024-05-20", policy: "mended",
      options: ["--server", "api.example.com=unknown+unknown+root@2024-08-17"],
      first: ("serial 3", "2024-08-17T00:00:00Z")),
    Play(
      incident: "intermediate-replaced", day: "2024-05-20", policy: "mended",
      options: ["--server", "api.example.com=unknown+unknown+root@2024-08-18", "--until", "2024-12-31"]),
    Play(
      incident: "root-disappears", day: "2021-05-10", policy: "policies",
      options: ["--server", "api.example.com=unknown+unknown@2021-06-01"],
      first: ("serial 1", "2021-06-01T00:00:00Z")),
    Play(
      incident: "root-disappears", day: "2021-05-10", policy: "mended",
      options: ["--server", "api.example.com=new-root@2021-08-07"], first: ("serial 3", "2021-08-07T00:00:00Z")),
    Play(
      incident: "root-disappears", day: "2021-05-10", policy: "mended",
      options: ["--server", "api.example.com=new-root@2021-08-08", "--until", "2021-12-01"]),
    Play(
      incident: "leaf-regenerated", day: "2024-09-02", policy: "policies",
      options: ["--server", "api.example.com=unknown@2024-09-18"], first: ("serial 1", "2024-09-18T00:00:00Z")),
    Play(
      incident: "leaf-regenerated", day: "2024-09-02", policy: "mended",
      options: ["--server", "api.example.com=unknown@2024-11-30"], first: ("serial 3", "2024-11-30T00:00:00Z")),
    Play(
      incident: "leaf-regenerated", day: "2024-09-02", policy: "mended",
      options: ["--server", "api.example.com=unknown@2024-12-01", "--until", "2025-04-01"]),
    // The spare as people assume it, and as it is.
    Play(
      incident: "backup-never-kept", day: "2016-10-17", policy: "policies", options: ["--lose", "web-2014"]),
    Play(
      incident: "backup-never-kept", day: "2016-10-17", policy: "policies",
      options: ["--lose", "web-2014", "--lose", "spare-2014"], first: ("serial 1", "2016-10-17T00:00:00Z")),
  ]

  @Test(arguments: plays)
  func whoIsLockedOutFirst(_ play: Play) throws {
    let answer = try Incident(name: play.incident, day: play.day).simulate(play.policy, play.options)
    #expect(answer.status == (play.first == nil ? 0 : 3))
    #expect(answer.document.verdict == (play.first == nil ? "safe" : "locked-out"))
    let witness = answer.document.first?.witness
    #expect(witness?.client == play.first?.client)
    #expect(witness?.instant == play.first?.instant)
  }
}

import Diagnostics
import PinFormat
import PinRotation

/// Everything that the parts of a page share.
struct RotationModel {
  /// The most sections of hosts that a page has; more than anybody reads.
  static let mostGroups = 100

  let page: RotationPage
  let axis: TimeAxis
  let answer: SimulationAnswer
  let cause: CauseText
  let words: EventText
  /// Hosts that fare alike, the worst first.
  let groups: [HostGroup]
  /// The hosts that have no section, since there would be too many.
  let leftOut: Int
  /// The releases that some client runs now or later, by their index.
  let releases: [Int]

  init(_ page: RotationPage) {
    self.page = page
    let timeline = page.timeline
    axis = TimeAxis(timeline)
    answer = SimulationAnswer(timeline)
    cause = CauseText(timeline.scenario, timeline.names)
    words = EventText(timeline)
    releases = timeline.scenario.releases.indices.filter { timeline.isRunning($0) }
    let all = HostGroup.groups(timeline.hosts(page.certificates, futures: page.futures), timeline.scenario)
    groups = Array(all.prefix(Self.mostGroups))
    leftOut = all.dropFirst(Self.mostGroups).reduce(0) { $0 + $1.servers.count }
  }

  var timeline: SimulationTimeline { page.timeline }
  var scenario: Scenario { page.timeline.scenario }

  var tone: Tone {
    if timeline.first != nil { return .bad }
    return timeline.lockouts.isEmpty ? .good : .care
  }

  /// The answer as a title: its first letter a capital.
  var headline: String {
    let text = answer.sentence
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  func label(_ server: Int) -> String { scenario.servers[server].label }

  func name(_ release: Int) -> String { ShownText.name(scenario.releases[release].name) }

  /// Some hosts in a clause: the first few by name, the others by number.
  func hosts(_ servers: [Int], first count: Int = 3) -> String {
    let shown = servers.prefix(count).map(label).joined(separator: ", ")
    return servers.count > count ? "\(shown) and \(servers.count - count) more" : shown
  }
}

import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension RotationFacts {
  func name(_ pin: Pin) -> String { names[pin] ?? pin.description }

  /// The first three servers of a group, and the number of others.
  func servers(_ group: LockoutGroup, joinedBy conjunction: String = "and") -> String {
    Wording.list(group.servers.map { scenario.servers[$0].label }, most: 4, joinedBy: conjunction)
  }

  /// `clients of serial 5 and serial 6`; `clients of this policy`.
  func clients(_ releases: [Int]) -> String {
    "clients of " + Wording.plainList(releases.map { scenario.releases[$0].name }, joinedBy: "and")
  }

  func keyList(_ keys: [Pin]) -> String { Wording.list(keys.map(name), most: 4) }

  /// What a group's servers do with its keys: `is still presented by 'api.example.com:443'`.
  func presentation(_ group: LockoutGroup, still: Bool = false) -> String {
    let verb = group.keys.count == 1 ? "is" : "are"
    let adverb = still ? " still" : ""
    let begin = phase(of: group.first).begin
    switch phase(of: group.first).source {
    case .observed: return "\(verb)\(adverb) presented by \(servers(group))"
    case .assumed: return "may\(adverb) be presented by \(servers(group, joinedBy: "or"))"
    case .planned: return "will be presented by \(servers(group)) from \(begin) on"
    case .afterLoss: return "\(verb) what is left to present for \(servers(group)) from \(begin) on"
    }
  }

  /// The key set that the first of a group's servers is checked against: `key set 'public-web'`.
  func setTitle(_ group: LockoutGroup) -> String? { keySet(ofServer: group.first.server)?.title }

  /// The release whose clients are locked out first, as messages name it.
  func releaseName(_ group: LockoutGroup) -> String { scenario.releases[group.first.release].name }
}

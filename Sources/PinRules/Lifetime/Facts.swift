import Diagnostics
import PinFormat
import PinPolicy

/// Pinned entries that have a value from one place: their own, or a default of their file.
struct SharedValue<Value> {
  let value: Value
  let place: Place
  /// Indices in ``Policy/hosts``, in order; never empty.
  var hosts: [Int]

  /// `'api.example.com'`, or `'api.example.com' and 3 more hosts`.
  func label(in policy: Policy) -> String {
    let first = "'\(policy.hosts[hosts[0]].label)'"
    return hosts.count == 1 ? first : "\(first) and \(Wording.count(hosts.count - 1, "more host"))"
  }

  /// `expires` of one host, `expire` of several.
  func verb(_ singular: String, _ plural: String) -> String { hosts.count == 1 ? singular : plural }
}

extension Policy {
  /// Groups the entries that aren't `off` by where a value of theirs is written, so that a default which is wrong for a
  /// thousand hosts is one finding.
  func shared<Value>(_ value: (HostEntry) -> Located<Value>?) -> [SharedValue<Value>] {
    var groups: [SharedValue<Value>] = []
    var groupOfPlace: [Place: Int] = [:]
    for (index, host) in hosts.enumerated() where host.mode.value != .off {
      guard let found = value(host) else { continue }
      if let group = groupOfPlace[found.place] {
        groups[group].hosts.append(index)
      } else {
        groupOfPlace[found.place] = groups.count
        groups.append(SharedValue(value: found.value, place: found.place, hosts: [index]))
      }
    }
    return groups
  }

  /// The settings that hold, whether or not a file states them.
  var effectiveSettings: Settings {
    let nowhere = Place(file: FileID(0), start: Position(line: 1, column: 1), end: Position(line: 1, column: 1))
    return settings ?? Settings(place: nowhere, audience: nil)
  }
}

/// A number of seconds as people say it: `30 days`, `12 hours`.
func duration(_ seconds: Int64) -> String {
  let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
  let (size, unit) = units.first { seconds >= $0.0 } ?? (1, "second")
  return Wording.count(Int(seconds / size), unit)
}

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
    return hosts.count == 1 ? first : "\(first) and \(counted(hosts.count - 1, "more host"))"
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
}

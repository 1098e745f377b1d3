import Diagnostics
import PinFormat
import PinPolicy

/// Pinned entries that have a value from one place: their own, or a default of their file.
struct SharedValue<Value> {
  let value: Value
  let place: Place
  /// The first of them, as an index in ``Policy/hosts``, and how many they are.
  let first: Int
  var count = 1

  /// `'api.example.com'`, or `'api.example.com' and 3 more hosts`.
  func label(in policy: Policy) -> String {
    let label = "'\(policy.hosts[first].label)'"
    return count == 1 ? label : "\(label) and \(counted(count - 1, "more host"))"
  }

  /// `expires` of one host, `expire` of several.
  func verb(_ singular: String, _ plural: String) -> String { count == 1 ? singular : plural }
}

extension CheckInput {
  /// Groups the entries that aren't `off` by where a value of theirs is written, so that a default which is wrong for a
  /// thousand hosts is one finding.
  ///
  /// - Parameters:
  ///   - value: The value of an entry, by its index in ``Policy/hosts``; entries without one aren't counted.
  ///   - isWrong: Which values there is something to say of; the others aren't grouped.
  /// - Returns: The groups, in the order of their first entries.
  func shared<Value>(
    _ value: (Int) -> Located<Value>?, where isWrong: (Value) -> Bool = { _ in true }
  ) -> [SharedValue<Value>] {
    var groups: [SharedValue<Value>] = []
    var groupOfPlace: [Place: Int] = [:]
    for index in hostFacts.traits.indices where !hostFacts.traits[index].contains(.isOff) {
      guard let found = value(index), isWrong(found.value) else { continue }
      if let group = groupOfPlace[found.place] {
        groups[group].count += 1
      } else {
        groupOfPlace[found.place] = groups.count
        groups.append(SharedValue(value: found.value, place: found.place, first: index))
      }
    }
    return groups
  }
}

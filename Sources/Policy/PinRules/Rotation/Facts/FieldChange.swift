import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

/// One field in which what governs a host differs from what governed it, whichever entries these are.
struct FieldChange {
  /// The entry by which the host is named.
  var change: HostChange
  /// The entry of the policy that governs it now.
  var entry: Policy.HostEntry
  /// Where one of the two entries is another one, which; such as `: so far 'example.com' governed it`.
  var note: String
  var field: EntryChange.Field
  var risk: ChangeRisk
}

extension RotationFacts {
  /// All fields that differ, in the order of the changes.
  var fieldChanges: [FieldChange] {
    rotation.changes.hosts.flatMap { change -> [FieldChange] in
      func list(_ fields: [EntryChange], of label: String, note: String = "") -> [FieldChange] {
        guard let entry = entries[label].map({ policy.hosts[$0] }) else { return [] }
        return fields.map {
          FieldChange(change: change, entry: entry, note: note, field: $0.field, risk: $0.risk)
        }
      }
      switch change.kind {
      case .changed(let fields): return list(fields, of: change.label)
      case .added:
        return change.others.flatMap { other in
          list(other.changes, of: change.label, note: ": so far '\(other.label)' governed it")
        }
      case .removed:
        return change.others.flatMap { other in
          list(other.changes, of: other.label, note: ": '\(other.label)' governs it now")
        }
      }
    }
  }
}

/// Hosts with the same message, at one place of the policy.
struct HostPhrases {
  struct Group {
    var place: Place
    var phrase: String
    /// The changes, in the order in which they were added; never empty.
    var changes: [FieldChange]

    /// The hosts as messages list them.
    var hosts: String { Wording.list(changes.map(\.change.label), most: 4) }
    var first: FieldChange { changes[0] }
  }

  private struct Key: Hashable {
    var place: Place
    var phrase: String
  }

  private(set) var groups: [Group] = []
  private var numbers: [Key: Int] = [:]

  mutating func add(_ change: FieldChange, _ phrase: String, at place: Place) {
    let key = Key(place: place, phrase: phrase + change.note)
    if let number = numbers[key] {
      groups[number].changes.append(change)
    } else {
      numbers[key] = groups.count
      groups.append(Group(place: place, phrase: key.phrase, changes: [change]))
    }
  }
}

import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// What a manifest says of a host, so that two entries can be compared by what clients answer.
///
/// Who owns an entry, why it is there and what live checks try doesn't change an answer, so it isn't here.
struct HostAnswer: Equatable {
  /// As in a manifest, without the names that it governs and the reasons of its exceptions.
  private var entry: Manifest.HostEntry
  /// What ``KeySetContents`` calls the keys.
  private let keys: Int?

  init(_ entry: Policy.HostEntry, _ contents: KeySetContents) {
    var lowered = entry.lowered(keySet: nil)
    lowered.includeSubdomains = false
    lowered.trust = lowered.trust.map(Self.comparable)
    self.entry = lowered
    keys = lowered.mode == .off ? nil : entry.keySet.map { contents[$0.value] }
  }

  static func == (left: HostAnswer, right: HostAnswer) -> Bool {
    var other = right.entry
    (other.host, other.port) = (left.entry.host, left.entry.port)
    return left.keys == right.keys && left.entry == other
  }

  private static func comparable(_ trust: Manifest.Trust) -> Manifest.Trust {
    var trust = trust
    for index in trust.exceptions.indices { trust.exceptions[index].reason = "" }
    return trust
  }
}

/// The answers of entries that others are compared with; many are compared with the one above them.
struct HostAnswers {
  let input: CheckInput
  private var known: [Int: HostAnswer] = [:]

  init(_ input: CheckInput) {
    self.input = input
  }

  subscript(index: Int) -> HostAnswer {
    mutating get {
      if let answer = known[index] { return answer }
      let answer = HostAnswer(input.policy.hosts[index], input.keySetContents)
      known[index] = answer
      return answer
    }
  }
}

/// Tells apart key sets that hold different keys: two that hold the same have the same number.
struct KeySetContents: Sendable {
  private struct Key: Hashable {
    /// What ``KeyFacts`` calls the pin; where it could not be read, the key's own index: such a key is like no other.
    var pin: Int
    var isReadable: Bool
    var position: KeyPosition?
  }

  private let numbers: [Int]

  init(_ policy: Policy, _ facts: KeyFacts) {
    var known: [Set<Key>: Int] = [:]
    numbers = policy.keySets.map { set in
      let keys = set.members.map { member in
        let pin = facts.pinNumbers[member.key]
        return Key(
          pin: pin ?? member.key, isReadable: pin != nil, position: policy.keys[member.key].position?.value)
      }
      let (content, next) = (Set(keys), known.count)
      let number = known[content] ?? next
      if number == next { known[content] = next }
      return number
    }
  }

  subscript(keySet: Int) -> Int { numbers[keySet] }
}

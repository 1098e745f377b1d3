import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// All of a host entry that the validator's answer depends on, so that two entries can be compared by it.
///
/// Who owns an entry, why it is there and what live checks try doesn't change an answer, so it isn't here.
struct HostAnswer: Hashable {
  private struct Exception: Hashable {
    var failure: ExcusableFailure
    var certificate: SHA256Digest
    var until: Instant
  }

  private var mode: Mode
  /// What ``KeySetContents`` calls the keys.
  private var keys: Int?
  private var requirement = Requirement.any
  private var expires: Instant?
  private var onExpiry: ExpiryAction?
  private var reportURIs: [String] = []
  private var trust: Manifest.Trust?
  private var exceptions: Set<Exception> = []

  init(_ entry: Policy.HostEntry, _ contents: KeySetContents) {
    mode = entry.mode.value
    guard mode != .off else { return }
    keys = entry.keySet.map { contents[$0.value] }
    requirement = entry.requirement?.value ?? .any
    expires = entry.expires?.value
    onExpiry = expires == nil ? nil : entry.onExpiry?.value
    reportURIs = entry.reportURIs.map(\.value)
    guard let trust = entry.trust else { return }
    self.trust = Self.comparable(trust)
    exceptions = Set(
      trust.exceptions.map {
        Exception(failure: $0.failure.value, certificate: $0.certificate, until: $0.until.value)
      })
  }

  /// The customisations without their places and, because they are compared on their own, without the exceptions.
  private static func comparable(_ trust: Policy.Trust) -> Manifest.Trust? {
    let plain = Manifest.Trust(
      systemAnchors: trust.systemAnchors, anchors: trust.anchors, intermediates: trust.intermediates,
      certificate: trust.certificate?.value.certificate?.fingerprint, serverName: trust.serverName?.value,
      minimumRSABits: trust.minimumRSABits?.value, minimumECBits: trust.minimumECBits?.value,
      signatures: Set(trust.signatures.map(\.value)).sorted { $0.rawValue < $1.rawValue },
      minimumTLS: trust.minimumTLS?.value)
    return plain == Manifest.Trust() ? nil : plain
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

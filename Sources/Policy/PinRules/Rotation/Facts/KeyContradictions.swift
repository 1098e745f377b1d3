import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

/// What the policy says about one key's life, compared with what is known about it.
struct KeyContradictions {
  private let facts: RotationFacts
  private let key: Policy.Key
  /// By releases and evidence.
  private let life: KeyLife
  /// The key set of the policy by which a pinned host is checked against the key.
  private let keySet: Policy.KeySet?

  /// What there is to say of each key that tells its life and isn't denied.
  static func all(_ facts: RotationFacts) -> [Finding] {
    let keys = facts.policy.keys.filter { $0.tellsItsLife && $0.denied == nil }
    guard !keys.isEmpty else { return [] }
    let lives = KeyLives(of: Set(keys.compactMap(\.pin)), in: facts.scenario)
    var keySets: [Pin: Policy.KeySet] = [:]
    for set in facts.input.keySetsInUse.map({ facts.policy.keySets[$0.set] }) {
      for pin in set.members.compactMap({ facts.policy.keys[$0.key].pin }) where keySets[pin] == nil {
        keySets[pin] = set
      }
    }
    return keys.flatMap { key -> [Finding] in
      guard let pin = key.pin, let life = lives.life(of: pin) else { return [] }
      return KeyContradictions(facts: facts, key: key, life: life, keySet: keySets[pin]).findings
    }
  }

  private var findings: [Finding] { ofStatus + ofOrder + ofDates }

  private var ofStatus: [Finding] {
    guard let status = key.status else { return [] }
    return objections(to: status.value).prefix(1).map { objection in
      finding(at: status.place, "'\(key.name.value)' is said to be '\(status.value.rawValue)', and \(objection)")
    }
  }

  /// What speaks against a key's standing at a point of its life, the strongest first.
  private func objections(to status: KeyStatus) -> [String] {
    switch status {
    case .planned: [isReleased, isListed, isServed].compactMap { $0 }
    case .published: [isServed, isUnlisted].compactMap { $0 }
    case .active: [isUnlisted, isUnserved].compactMap { $0 }
    case .retiring: [isServed, isUnlisted].compactMap { $0 }
    case .retired: [isServed, isListed].compactMap { $0 }
    }
  }

  private var isReleased: String? {
    guard life.publishedSince != nil else { return nil }
    return facts.scenario.releases.last { $0.origin == .released }.map { "\($0.name) has it" }
  }
  private var isListed: String? { keySet.map { "\($0.title) lists it" } }
  private var isUnlisted: String? { keySet == nil ? "no key set that a host uses lists it" : nil }
  private var isServed: String? {
    guard !life.presentedBy.isEmpty else { return nil }
    let servers = life.presentedBy.map { facts.scenario.servers[$0].label }
    return "\(Wording.list(servers, most: 4)) \(servers.count == 1 ? "presents" : "present") it"
  }
  private var isUnserved: String? {
    life.isObserved && life.presentedBy.isEmpty ? "no server that was asked presents it" : nil
  }

  /// Steps against each other.
  private var ofOrder: [Finding] {
    let steps = key.steps.dated
    return zip(steps, steps.dropFirst()).compactMap { earlier, later in
      guard later.instant.value < earlier.instant.value else { return nil }
      return finding(
        at: later.instant.place,
        "the step '\(later.status.rawValue)' of '\(key.name.value)' is dated \(later.instant.value), before "
          + "'\(earlier.status.rawValue)' at \(earlier.instant.value)")
    }
  }

  /// Steps against the calendar, the status, releases and evidence: one finding for each step.
  private var ofDates: [Finding] {
    key.steps.dated.compactMap { step in
      let isPast = step.instant.value <= facts.scenario.now
      guard let objection = isPast ? objectionToPast(step) : objectionToFuture(step) else { return nil }
      let verb = isPast ? "was planned to be" : "is planned to be"
      return finding(
        at: step.instant.place,
        "'\(key.name.value)' \(verb) '\(step.status.rawValue)' from \(step.instant.value) on, and \(objection)")
    }
  }

  private typealias Step = (status: KeyStatus, instant: Located<Instant>)

  private func objectionToPast(_ step: Step) -> String? {
    if let status = key.status?.value, status < step.status { return "its status still is '\(status.rawValue)'" }
    // If a later step is also past, that one is the current one.
    let isCurrent = !key.steps.dated.contains { $0.status > step.status && $0.instant.value <= facts.scenario.now }
    switch step.status {
    case .planned: return nil
    case .published: return published(step.instant.value)
    case .active: return isCurrent ? isUnserved : nil
    case .retiring: return isServed
    case .retired: return isListed ?? isServed
    }
  }

  private func objectionToFuture(_ step: Step) -> String? {
    if let status = key.status?.value, status >= step.status { return "its status is '\(status.rawValue)' already" }
    switch step.status {
    case .published: return isReleased ?? isListed.map { "\($0) already" }
    case .active: return isServed.map { "\($0) already" }
    case .planned, .retiring, .retired: return nil
    }
  }

  /// A day is allowed for: the date of a release is planned, its time isn't.
  private func published(_ date: Instant) -> String? {
    let deadline = date.adding(seconds: 86_400)
    guard let first = life.publishedSince else {
      return deadline <= facts.scenario.now ? "the newest release doesn't have it" : nil
    }
    // Releases before the first known one may already have had the key.
    guard first > 0, facts.scenario.releases[first].issued >= deadline else { return nil }
    return "\(facts.scenario.releases[first].name) of \(facts.scenario.releases[first].issued) is the first that has it"
  }

  private func finding(at place: Place, _ message: String) -> Finding {
    Finding(
      at: place, message,
      help: "Correct 'status:' and 'steps:' of '\(key.name.value)', or take the step that they describe.")
  }
}

extension Policy.Key {
  /// True where the policy says where the key is in its life, or when it is to take a step.
  fileprivate var tellsItsLife: Bool { status != nil || !steps.dated.isEmpty }
}

import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension TrustFault {
  /// What is wrong with the keys that entries rely on, each once for all entries to which it applies.
  ///
  /// Left out is what says nothing about an entry as long as another active key is in order, or servers may have a newer
  /// certificate: dates, name constraints, and for a server's own certificate that its issuer isn't known.
  static func ofKeys(
    of policy: Policy, _ uses: [KeySetUse], _ index: HostIndex, _ known: KnownKeys, at instant: Instant
  ) -> [TrustFault] {
    guard !policy.keyCertificates.isEmpty || policy.hosts.contains(where: { $0.trust != nil }) else { return [] }
    let declared = policy.declaredTrust(at: instant)
    var all: [TrustFault] = []
    var numbers: [Key: Int] = [:]
    for use in uses {
      let members = KeySetMembers(policy.keySets[use.set], policy, known)
      guard !members.keys.isEmpty else { continue }
      var answers: [Answer] = []
      for (hosts, isEach) in policy.alike(use.hosts, for: members, declared) {
        for host in isEach ? hosts : [hosts[0]] {
          let probed = isEach ? index.probedNames(of: host).map(\.value) : []
          for below in [nil] + probed.map(Optional.some) {
            answers.append(
              Answer(
                host: host, below: below, count: isEach ? below == nil ? 1 : 0 : hosts.count,
                faults: members.faults(policy.hosts[host], below, declared)))
          }
        }
      }
      for answer in answers {
        for (member, fault, hasSubstitute) in answer.faults {
          // A set that several hosts share may have an authority for each of them.
          let isForOthers = answers.contains { !$0.faults.contains { $0.member.key == member.key } }
          if fault.isNameConstraint, hasSubstitute, isForOthers { continue }
          let key = policy.keys[member.key]
          if let number = numbers[Key(key: member.key, kind: fault.kind)] {
            all[number].others += answer.count
            continue
          }
          numbers[Key(key: member.key, kind: fault.kind)] = all.count
          all.append(
            TrustFault(
              host: answer.host, others: max(answer.count - 1, 0), place: key.sourcePlace, certificate: key.material,
              key: member.key, role: .key, kind: fault.kind, isCurable: fault.isCurable, below: answer.below))
        }
      }
    }
    return all
  }

  /// What is wrong with the keys of a set at a host, or at a name below it that the entry's `probe:` lists.
  private struct Answer {
    let host: Int
    let below: HostName?
    /// For how many entries that is.
    let count: Int
    let faults: [KeySetMembers.Found]
  }

  private struct Key: Hashable {
    let key: Int
    let kind: DeclaredTrust.Fault.Kind
  }
}

/// The keys of a set that servers may present.
private struct KeySetMembers {
  typealias Found = (member: Policy.KeySet.Member, fault: DeclaredTrust.Fault, hasSubstitute: Bool)

  let keys: [(member: Policy.KeySet.Member, key: DeclaredTrust.Key, isActive: Bool)]
  private let authorities: Set<Int>

  init(_ set: Policy.KeySet, _ policy: Policy, _ known: KnownKeys) {
    let all = set.active.map { ($0, true) } + set.backup.map { ($0, false) }
    keys = all.compactMap { member, isActive in
      let key = policy.keys[member.key]
      return key.isDenied ? nil : key.declared(known).map { (member, $0, isActive) }
    }
    authorities = Set(
      keys.map(\.member.key).filter { policy.keys[$0].material?.certificate.map(\.isCA) ?? false })
  }

  /// The faults of each key at the host or a name below it, with whether another key of its list is in order.
  func faults(
    _ host: Policy.HostEntry, _ below: HostName?, _ declared: DeclaredTrust
  ) -> [Found] {
    let trust = host.trust?.lowered
    let named = Set((trust?.anchors ?? []) + (trust?.intermediates ?? []))
    let found = keys.map { declared.faults(of: $0.key, in: trust, of: below ?? host.host) }
    let good = zip(keys, found).filter { $1.isEmpty }
    let hasGoodKey = good.contains { $0.0.isActive }
    return zip(keys, found).flatMap { key, faults in
      faults.filter { fault in
        switch fault.kind {
        // Rejected as what `trust` names, it is reported there (P331).
        case .rejected where fault.fingerprint.map(named.contains) ?? false: false
        case .rejected(let failure) where [.expired, .notYetValid].contains(failure.code):
          key.isActive && !hasGoodKey
        // The certificate of a backup may be still to become an anchor.
        case .isBelowNoAnchor: key.isActive
        case .leadsNowhere: authorities.contains(key.member.key) || key.isActive && !hasGoodKey
        // The certificate of a backup root may be still to be made.
        case .isNotAnAnchor: key.isActive || authorities.contains(key.member.key)
        case .rejected, .isRoot: true
        }
      }.map { fault in
        var fault = fault
        // A set that entries with other anchors share may have a key for each of them.
        if hasGoodKey, fault.isAboutAnchors, key.key.positions != [.root] { fault.isCurable = true }
        return (key.member, fault, good.contains { $0.0.isActive == key.isActive })
      }
    }
  }
}

extension Policy {
  /// The entries of one `trust`, and whether what is wrong may still differ from one host to the next.
  fileprivate func alike(
    _ entries: ArraySlice<Int>, for members: KeySetMembers, _ declared: DeclaredTrust
  ) -> [(hosts: [Int], isEach: Bool)] {
    var groups: [[Int]] = []
    var numbers: [Place?: Int] = [:]
    for index in entries {
      let place = hosts[index].trust?.place
      if let number = numbers[place] {
        groups[number].append(index)
      } else {
        numbers[place] = groups.count
        groups.append([index])
      }
    }
    return groups.compactMap { group in
      let trust = hosts[group[0]].trust?.lowered
      // Without both, nothing is known of any key.
      guard trust != nil || members.keys.contains(where: { keys[$0.member.key].material?.certificate != nil }) else {
        return nil
      }
      return (group, members.keys.contains { declared.dependsOnHost(trust, $0.key) })
    }
  }
}

extension DeclaredTrust.Fault {
  fileprivate var isNameConstraint: Bool {
    if case .rejected(let failure) = kind { failure.code == .nameConstraints } else { false }
  }

  /// Whether the key's own certificate isn't at fault.
  fileprivate var isAboutAnchors: Bool {
    switch kind {
    case .rejected(let failure): fingerprint == nil || failure.code == .pathTooLong
    case .isNotAnAnchor: true
    case .leadsNowhere, .isRoot, .isBelowNoAnchor: false
    }
  }
}

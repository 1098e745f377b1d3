package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinProbe
import PinRelease
import PinValidator

/// Why clients will reject a certificate that a host entry names in `trust`, or that a key has.
package struct TrustFault: Sendable {
  /// The entry; where several share the text, the first.
  package let host: Int
  /// How many further entries have the same fault by the same text.
  package var others = 0
  /// Where the file is named.
  package let place: Place
  /// Nil for a key without one.
  package let certificate: KeyMaterial?
  /// The index of the key; nil for what `trust` names.
  package var key: Int?
  package let role: DeclaredTrust.Role
  package let kind: DeclaredTrust.Fault.Kind
  /// Whether the entry names another certificate in this role that clients accept.
  package var hasAlternative = false
  /// Whether clients may accept another certificate for the same key.
  package var isCurable = true
  /// True where clients accept it now, and not until the last of them has replaced a release of now.
  package var isLater = false
  /// The name in `probe:` at which clients reject it; nil if they do at the entry's own host.
  package var below: HostName?

  /// The certificate as messages name it: `the anchor 'CN=Corp Root'`.
  package var name: String {
    let subject = certificate?.subject.flatMap { $0.isEmpty ? nil : $0 }
    let path = Wording.quoted(certificate?.path ?? "", most: 160)
    let name = subject.map { "\(Wording.quoted($0, most: 120)) in \(path)" } ?? path
    switch role {
    case .anchor: return "the anchor \(name)"
    case .intermediate: return "the intermediate \(name)"
    case .certificate: return "the certificate \(name)"
    case .key: return "the certificate of the key \(name)"
    }
  }

  /// The entries as messages name them: `'api.example.com' and 3 other hosts`.
  package func hosts(in policy: Policy) -> String {
    let label = "'\(policy.hosts[host].label)'"
    return (below.map { "'\($0.text)', which 'probe:' of \(label) lists" } ?? label)
      + (others > 0 ? " and \(counted(others, "other host"))" : "")
  }

  /// What is wrong with the certificates of `trust`, and what will be by the end of the time for which clients may use a
  /// release of this instant.
  package static func all(
    of policy: Policy, among hosts: [Int], _ index: HostIndex, at instant: Instant, until end: Instant
  ) -> [TrustFault] {
    guard !hosts.isEmpty else { return [] }
    let (now, later) = (policy.declaredTrust(at: instant), policy.declaredTrust(at: end))
    var all: [TrustFault] = []
    var numbers: [Key: Int] = [:]
    for host in hosts {
      let entry = policy.hosts[host]
      guard entry.mode.value != .off, let trust = entry.trust else { continue }
      let probed = now.dependsOnHost(trust.lowered) ? index.probedNames(of: host).map(\.value) : []
      for below in [nil] + probed.map(Optional.some) {
        let name = below ?? entry.host
        let faults = now.faults(in: trust.lowered, of: name)
        let coming = later.faults(in: trust.lowered, of: name)
        let rejectedNow = Set(faults.filter { $0.kind != .leadsNowhere }.map(Named.init))
        let ending = coming.filter {
          $0.isExpiry && !rejectedNow.contains(Named($0)) && !entry.isUnpinned(before: $0, in: trust)
        }
        let rejectedLater = Set(coming.filter { $0.kind != .leadsNowhere }.map(Named.init))
        for (fault, isLater) in faults.map({ ($0, false) }) + ending.map({ ($0, true) }) {
          let rejected = isLater ? rejectedLater : rejectedNow
          for file in trust.files(of: fault.role) {
            for material in file.value where material.certificate?.fingerprint == fault.fingerprint {
              let key = Key(place: file.place, fault: fault)
              if let number = numbers[key] {
                if below == nil { all[number].others += 1 }
                continue
              }
              let hasAlternative =
                fault.role == .anchor && trust.systemAnchors
                || trust.files(of: fault.role).contains { file in
                  file.value.contains { other in
                    guard let other = other.certificate else { return false }
                    return (fault.role != .anchor || other.isCA || other.isSelfIssued)
                      && !rejected.contains(Named(role: fault.role, fingerprint: other.fingerprint))
                  }
                }
              // Both the old certificate and its successor are named while one replaces the other; and one for each name.
              if isLater || below != nil, hasAlternative { continue }
              numbers[key] = all.count
              all.append(
                TrustFault(
                  host: host, place: file.place, certificate: material, role: fault.role, kind: fault.kind,
                  hasAlternative: hasAlternative, isLater: isLater, below: below))
            }
          }
        }
      }
    }
    return all
  }

  private struct Named: Hashable {
    let role: DeclaredTrust.Role
    let fingerprint: SHA256Digest?

    init(role: DeclaredTrust.Role, fingerprint: SHA256Digest?) {
      (self.role, self.fingerprint) = (role, fingerprint)
    }

    init(_ fault: DeclaredTrust.Fault) { self.init(role: fault.role, fingerprint: fault.fingerprint) }
  }

  private struct Key: Hashable {
    let place: Place
    let fault: DeclaredTrust.Fault
  }
}

extension Policy.Trust {
  fileprivate func files(of role: DeclaredTrust.Role) -> [Located<[KeyMaterial]>] {
    switch role {
    case .anchor: anchorFiles
    case .intermediate: intermediateFiles
    case .certificate: certificate.map { [Located([$0.value], at: $0.place)] } ?? []
    case .key: []
    }
  }
}

extension Policy {
  /// The validator, for the certificates that the policy names.
  package func declaredTrust(at instant: Instant) -> DeclaredTrust {
    let named = Dictionary(certificates.map { ($0.fingerprint, $0.der) }) { first, _ in first }
    let ofKeys = keyCertificates
    return DeclaredTrust(at: instant, alsoSent: ofKeys.keys.sorted()) { named[$0] ?? ofKeys[$0] }
  }
}

extension Policy.Key {
  /// The key as the validator is asked about it; nil where its pin can't be read.
  package func declared(_ known: KnownKeys) -> DeclaredTrust.Key? {
    pin.map {
      DeclaredTrust.Key(
        pin: $0, positions: position?.value.positions ?? [], certificate: material?.certificate?.fingerprint,
        algorithm: known.algorithm(of: $0))
    }
  }
}

extension DeclaredTrust.Fault {
  /// Only that a certificate has expired.
  package var isExpiry: Bool { if case .rejected(let failure) = kind { failure.code == .expired } else { false } }
}

extension Policy.HostEntry {
  /// True where the entry pins nothing any more when a certificate ends.
  fileprivate func isUnpinned(before fault: DeclaredTrust.Fault, in trust: Policy.Trust) -> Bool {
    guard let expires, onExpiry?.value.unpins == true else { return false }
    return trust.files(of: fault.role).contains { file in
      file.value.contains { material in
        guard let certificate = material.certificate, certificate.fingerprint == fault.fingerprint else { return false }
        return expires.value <= certificate.notAfter
      }
    }
  }
}

extension TrustFault {
  /// What is wrong with the certificate of a key, of no entry in particular.
  package init(_ kind: DeclaredTrust.Fault.Kind, ofKey file: KeyMaterial, at place: Place) {
    self.init(host: 0, place: place, certificate: file, role: .key, kind: kind)
  }
}

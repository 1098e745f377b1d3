import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

/// Why clients will reject a certificate that a host entry names in `trust`.
struct TrustFault: Sendable {
  /// The entry; where several share the text, the first.
  let host: Int
  /// How many further entries have the same fault by the same text.
  var others = 0
  /// Where the file is named.
  let place: Place
  let certificate: KeyMaterial
  let role: DeclaredTrust.Role
  let kind: DeclaredTrust.Fault.Kind
  /// Whether the entry names another certificate in this role that clients accept.
  let hasAlternative: Bool

  /// The certificate as messages name it: `the anchor 'CN=Corp Root'`.
  var name: String {
    let name = Wording.quoted(certificate.subject.flatMap { $0.isEmpty ? nil : $0 } ?? certificate.path, most: 120)
    switch role {
    case .anchor: return "the anchor \(name)"
    case .intermediate: return "the intermediate \(name)"
    case .certificate: return "the certificate \(name)"
    }
  }

  static func all(of policy: Policy, among hosts: [Int], at instant: Instant) -> [TrustFault] {
    guard !hosts.isEmpty else { return [] }
    let certificates = Dictionary(policy.certificates.map { ($0.fingerprint, $0.der) }) { first, _ in first }
    guard let declared = try? DeclaredTrust(at: instant, certificates: { certificates[$0] }) else { return [] }
    var all: [TrustFault] = []
    var numbers: [Key: Int] = [:]
    for host in hosts {
      let entry = policy.hosts[host]
      guard entry.mode.value != .off, let trust = entry.trust else { continue }
      let faults = declared.faults(in: trust.lowered, of: entry.host)
      let rejected = Set(
        faults.filter { $0.kind != .leadsNowhere }.map { Named(role: $0.role, fingerprint: $0.fingerprint) })
      for fault in faults {
        for file in trust.files(of: fault.role) {
          for material in file.value where material.certificate?.fingerprint == fault.fingerprint {
            let key = Key(place: file.place, fault: fault)
            if let number = numbers[key] {
              all[number].others += 1
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
            numbers[key] = all.count
            all.append(
              TrustFault(
                host: host, place: file.place, certificate: material, role: fault.role, kind: fault.kind,
                hasAlternative: hasAlternative))
          }
        }
      }
    }
    return all
  }

  private struct Named: Hashable {
    let role: DeclaredTrust.Role
    let fingerprint: SHA256Digest
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
    }
  }
}

import PinFormat
package import PinProbe
package import PinRotation

extension CertificateSpan {
  /// The certificates of the validated chains of each server, each once.
  package static func observed(in assessment: Assessment, of scenario: Scenario) -> [CertificateSpan] {
    let numbers = Dictionary(
      scenario.servers.enumerated().map { (HostPort($0.element.host, $0.element.port), $0.offset) },
      uniquingKeysWith: { first, _ in first })
    var spans: [CertificateSpan] = []
    for target in assessment.targets {
      guard let number = numbers[HostPort(target.host, target.port)] else { continue }
      var seen: Set<SHA256Digest> = []
      for path in target.visits.lazy.compactMap(\.served).flatMap(\.judgements).flatMap(\.paths)
      where path.failures.isEmpty {
        for (place, fingerprint) in path.chain.enumerated() where seen.insert(fingerprint).inserted {
          guard let record = assessment.certificates[fingerprint], let end = record.notAfter else { continue }
          let role: Role = place == 0 ? .leaf : place == path.chain.count - 1 ? .root : .intermediate
          spans.append(
            CertificateSpan(server: number, role: role, name: record.label, begin: record.notBefore, end: end))
        }
      }
    }
    return spans
  }
}

extension CertificateRecord {
  /// What people call it.
  fileprivate var label: String { commonName ?? names.first ?? (subject.isEmpty ? "without a name" : subject) }
}

import Glibc

/// What can be fuzzed: each takes any bytes, must survive them, and stops the process where a promise is broken.
package enum Target: String, CaseIterable {
  case manifest
  case keyset
  case certificate
  case chain
  case policy
  case report
  case envelope
  case xml
  case `import`
  case renewal

  /// The target of a name.
  ///
  /// - Parameter name: The name, or nil if none is given.
  /// - Returns: The target. The process ends if there is no such target.
  package static func named(_ name: String?) -> Target {
    guard let target = Target(rawValue: name ?? "") else {
      say("name one of these targets: \(allCases.map(\.rawValue).joined(separator: ", "))")
      exit(64)
    }
    return target
  }

  package func run(_ bytes: [UInt8]) {
    switch self {
    case .manifest: ManifestTarget.run(bytes)
    case .keyset: KeysetTarget.run(bytes)
    case .certificate: CertificateTarget.run(bytes)
    case .chain: ChainTarget.run(bytes)
    case .policy: PolicyTarget.run(bytes)
    case .report: ReportTarget.run(bytes)
    case .envelope: EnvelopeTarget.run(bytes)
    case .xml: XMLTarget.run(bytes)
    case .import: ImportTarget.run(bytes)
    case .renewal: RenewalTarget.run(bytes)
    }
  }
}

/// Stops the process, so that the input is found, where something doesn't hold.
func promise(_ holds: Bool, _ what: StaticString, line: UInt = #line, file: StaticString = #fileID) {
  guard !holds else { return }
  say("\(file):\(line): broken: \(what)")
  abort()
}

private func say(_ text: String) {
  let line = Array((text + "\n").utf8)
  _ = write(STDERR_FILENO, line, line.count)
}

import PinFormat
import PinPolicy

/// The hosts that a certificate names: each as it is, or by a wildcard in the leftmost label.
struct CertificateNames {
  private let names: Set<String>

  init(_ certificate: KeyMaterial.Certificate) {
    names = Set(certificate.alternativeNames.map { $0.lowercased() })
  }

  func cover(_ host: HostName) -> Bool {
    if names.contains(host.text) { return true }
    return CertificateName.wildcard(above: host).map(names.contains) ?? false
  }

  /// True where it names a host below this one.
  func coverNames(below host: HostName) -> Bool { names.contains { $0.hasSuffix("." + host.text) } }
}

/// The names of each certificate, taken apart once: thousands of entries may speak of one certificate.
struct KnownCertificateNames {
  private var known: [SHA256Digest: CertificateNames] = [:]

  subscript(certificate: KeyMaterial.Certificate) -> CertificateNames {
    mutating get {
      if let names = known[certificate.fingerprint] { return names }
      let names = CertificateNames(certificate)
      known[certificate.fingerprint] = names
      return names
    }
  }
}

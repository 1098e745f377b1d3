import OpenSSLKit
import PinFormat
import PinValidator

extension Judge {
  /// Writes the anchors that any recorded certificate can lead to into evidence, so that it can be judged elsewhere.
  ///
  /// Those are: anchors that are served themselves, anchors whose subject a recorded certificate names as its issuer,
  /// and so on from these. The certificates that the manifest supplies lead further as well; they aren't recorded, since
  /// a manifest carries them. Judge with the recorded stores also when recording: then a replay says the same.
  ///
  /// - Parameters:
  ///   - stores: The trust stores; those that the evidence records already are replaced.
  ///   - evidence: What was observed.
  /// - Throws: ``JudgeError`` where the evidence contradicts itself, or a trust store can't be read.
  package func recordAnchors(of stores: [NamedStore], into evidence: inout Evidence) throws(JudgeError) {
    let outdated = Set(evidence.stores.flatMap(\.anchors))
    let served = Set(evidence.targets.flatMap { $0.addresses.flatMap { $0.visits.flatMap { $0.served?.chain ?? [] } } })
    var certificates = evidence.certificates.filter {
      served.contains($0.fingerprint) || !outdated.contains($0.fingerprint)
    }
    let library = try CertificateLibrary(evidence.certificates, cache: cache)
    var starts = Self.withDistinctIssuers(certificates).compactMap { library.certificate($0.fingerprint) }
    for supplied in manifest?.tables.certificates ?? [] {
      if let certificate = try? Certificate(der: supplied.der) { starts.append(certificate) }
    }
    var kept = Set(certificates.map(\.fingerprint))
    var recorded: [Evidence.Store] = []
    for store in stores {
      let anchors: [Certificate]
      do { anchors = try store.anchors.anchors(leadingFrom: starts) } catch { throw .cryptography(error.message) }
      for anchor in anchors where kept.insert(SHA256Digest(anchor.fingerprint)).inserted {
        certificates.append(
          Manifest.Certificate(fingerprint: SHA256Digest(anchor.fingerprint), der: anchor.der))
      }
      recorded.append(
        Evidence.Store(name: store.name, anchors: anchors.map { SHA256Digest($0.fingerprint) }.sorted()))
    }
    evidence.certificates = certificates.sorted { $0.fingerprint < $1.fingerprint }
    evidence.stores = recorded.sorted { $0.name < $1.name }
  }

  /// One certificate for each name that is named as an issuer, and those that bear such a name.
  ///
  /// The others lead nowhere else: in a fleet they are nearly all, the leaves, and reading one takes long.
  private static func withDistinctIssuers(_ certificates: [Manifest.Certificate]) -> [Manifest.Certificate] {
    let layouts = certificates.map { CertificateLayout($0.der) }
    var issuers: Set<ArraySlice<UInt8>> = []
    var isFirst: [Bool] = []
    for (certificate, layout) in zip(certificates, layouts) {
      isFirst.append(layout.map { issuers.insert(certificate.der[$0.issuer]).inserted } ?? false)
    }
    return certificates.indices.filter { index in
      guard let layout = layouts[index] else { return false }
      return isFirst[index] || issuers.contains(certificates[index].der[layout.subject])
    }.map { certificates[$0] }
  }
}

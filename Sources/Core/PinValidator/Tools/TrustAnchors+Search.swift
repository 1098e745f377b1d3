#if !CryptoKit
package import OpenSSLKit
import PinFormat

extension TrustAnchors {
  /// The certificates of the trust store that a path from any of some certificates can meet: for tools that record them.
  ///
  /// - Parameter certificates: Where paths may begin or lead over.
  /// - Returns: Those of them that are in the store, those that they name as issuers, and so on; each once. Only what
  ///   can end a path is among them: neither what the store's own trust settings reject for TLS servers, nor an
  ///   authority below a root that happens to be in the system's directory and that other clients don't have.
  /// - Throws: ``CryptoError`` where libcrypto fails.
  package func anchors(leadingFrom certificates: [Certificate]) throws(CryptoError) -> [Certificate] {
    let store = try store(with: [], countingThese: true)
    var found: [Certificate] = []
    var seen: Set<SHA256Digest> = []
    var asked: Set<[UInt8]> = []
    var open = certificates
    while let certificate = open.popLast() {
      let names = [certificate.der[certificate.layout.subject], certificate.der[certificate.layout.issuer]]
      for (index, name) in names.enumerated() where asked.insert(Array(name)).inserted {
        let named = try index == 0 ? store.namesakes(of: certificate) : store.issuers(namedBy: certificate)
        for anchor in named where seen.insert(SHA256Digest(anchor.fingerprint)).inserted {
          guard store.canEndPath(in: anchor), !store.rejects(anchor) else { continue }
          found.append(anchor)
          open.append(anchor)
        }
      }
    }
    return found
  }
}
#endif

#if !CryptoKit
import OpenSSLKit
import PinFormat

/// The certificates that chains may end in where the policy doesn't say otherwise.
///
/// Parsed and loaded once, at first use; share one object between all evaluations.
public final class TrustAnchors: Sendable {
  /// The system's trust store: libcrypto's default, which `SSL_CERT_FILE` and `SSL_CERT_DIR` replace.
  public static let system = TrustAnchors(certificates: [], includesSystem: true)

  private let certificates: [Certificate]
  /// Whether the system's trust store counts.
  public let includesSystem: Bool
  private let directory: String?
  private let stores = Guarded<[StoreKey: TrustStore]>([:])

  private init(certificates: [Certificate], includesSystem: Bool, directory: String? = nil) {
    self.certificates = certificates
    self.includesSystem = includesSystem
    self.directory = directory
  }

  /// Takes the certificates of a directory as `openssl rehash` makes it, such as `/etc/ssl/certs`.
  ///
  /// They are read when they are looked for; a file that can't be read isn't an anchor.
  package convenience init(directory: String) {
    self.init(certificates: [], includesSystem: false, directory: directory)
  }

  /// Takes certificates in place of the system's, or besides them.
  ///
  /// - Parameters:
  ///   - files: Certificates, each in DER or any number in one PEM text.
  ///   - includingSystem: Whether the system's trust store counts as well.
  /// - Throws: ``TrustFailure`` of code `malformed` where a certificate can't be read, a file holds none or something
  ///   else, or trust settings (`openssl x509 -trustout`) reject one for TLS servers;
  ///   no files at all mean that no path ends anywhere.
  public convenience init(_ files: [[UInt8]], includingSystem: Bool = false) throws(TrustFailure) {
    var certificates: [Certificate] = []
    for file in files {
      do { certificates += try Certificate.read(file, areAnchors: true) } catch {
        throw TrustFailure(.malformed, error.message)
      }
    }
    self.init(certificates: certificates, includesSystem: includingSystem)
  }

  /// Takes the files of a trust store, such as a system's bundle: an intermediate in one isn't an anchor.
  ///
  /// - Throws: As the other initialiser.
  package convenience init(store files: [[UInt8]]) throws(TrustFailure) {
    let all = try TrustAnchors(files)
    self.init(certificates: all.certificates.filter { $0.isSelfSigned }, includesSystem: false)
  }

  /// The certificates that were given in place of the system's or besides them, DER: for a transport that validates by
  /// itself, and has to do so under the same anchors.
  public var given: [[UInt8]] { certificates.map { $0.der } }

  /// The store that holds further anchors, and these ones where they count; made once for each distinct set.
  func store(with further: [Certificate], countingThese: Bool) throws(CryptoError) -> TrustStore {
    let key = StoreKey(countsThese: countingThese, further: further.map { SHA256Digest($0.fingerprint) })
    if let kept = stores.withLock({ $0[key] }) ?? nil { return kept }
    let store = try TrustStore(
      anchors: further + (countingThese ? certificates : []), includingSystem: countingThese && includesSystem,
      directory: countingThese ? directory : nil)
    _ = stores.withLock { stores in
      // Anchor sets come from manifests, so there are few; the limit is only for many reloads.
      if stores.count >= 256 { stores.removeAll() }
      stores[key] = store
    }
    return store
  }

  /// Whether that store was made already.
  func hasStore(with further: [SHA256Digest], countingThese: Bool) -> Bool {
    stores.withLock { $0[StoreKey(countsThese: countingThese, further: further)] != nil } ?? false
  }
}

private struct StoreKey: Hashable, Sendable {
  /// A store has locks of its own, which nobody would release in a child that was forked.
  let generation = ForkGeneration.now
  let countsThese: Bool
  let further: [SHA256Digest]
}
#endif

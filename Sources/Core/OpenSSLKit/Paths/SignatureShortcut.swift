#if !CryptoKit
import CLibCrypto

/// Whether a certificate's signature is known to be an issuer's: it was verified for these very bytes of both.
package typealias KnownSignatures = (_ issuer: Certificate, _ certificate: Certificate) -> Bool

/// Verifies the signatures of a path, without those that are known, and compares its dates.
///
/// It only spares work on a path with which all is well. On any other libcrypto's own function does all of it, and says
/// what is wrong. A path may have one new signature, the leaf's: a hostile one costs no more than that besides.
final class SignatureShortcut {
  /// The path, leaf to anchor; nil where the shortcut wasn't taken.
  private(set) var path: [Certificate]?
  private let verifyAll: X509_STORE_CTX_verify_fn?
  private let known: [Certificate]
  private let isKnown: KnownSignatures
  private let time: Int64

  /// - Parameters:
  ///   - context: What is about to be verified; it still has libcrypto's own function.
  ///   - known: Certificates that the path may have.
  ///   - isKnown: Says which signatures were verified before.
  ///   - time: Seconds since 1970.
  init(_ context: OpaquePointer, known: [Certificate], _ isKnown: @escaping KnownSignatures, at time: Int64) {
    verifyAll = X509_STORE_CTX_get_verify(context)
    self.known = known
    self.isKnown = isKnown
    self.time = time
  }

  /// Replaces libcrypto's function, with its answers.
  func verify(_ context: OpaquePointer) -> Int32 {
    if let path = try? chain(of: context, known: known), isInOrder(path) {
      self.path = path
      return 1
    }
    return verifyAll?(context) ?? 0
  }

  private func isInOrder(_ path: [Certificate]) -> Bool {
    let links = zip(path.dropFirst(), path)
    guard path.count > 1, links.dropFirst().allSatisfy({ isKnown($0, $1) }),
      links.allSatisfy({ $0.mayHaveIssued($1) }), path.allSatisfy({ $0.isValid(at: time) })
    else { return false }
    if isKnown(path[1], path[0]) { return true }
    // Without a known signature, only paths of more than two certificates gain something.
    return path.count > 2 && path[1].hasSigned(path[0])
  }
}

extension Certificate {
  /// Compares the dates as path validation does.
  fileprivate func isValid(at seconds: Int64) -> Bool {
    guard var time = Int(exactly: seconds) else { return false }
    return X509_cmp_time(X509_get0_notBefore(pointer), &time) < 0
      && X509_cmp_time(X509_get0_notAfter(pointer), &time) > 0
  }
}
#endif

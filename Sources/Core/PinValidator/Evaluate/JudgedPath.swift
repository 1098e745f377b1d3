import OpenSSLKit
import PinFormat

/// A path, and what is wrong with it, apart by whether an exception of the policy excuses it.
struct JudgedPath {
  /// Leaf to anchor, or as far as it could be built.
  let certificates: [Certificate]
  var failures: [TrustFailure]
  private(set) var excused: [ExcusedFailure] = []
  /// How many signatures were verified, at most, until this path was chosen.
  var signatures = 0
  /// When a date might next change something about it, if it is valid; nil where that isn't known.
  var nextChange: Instant?

  /// Moves each failure that an exception names, for the certificate that it names, until its end.
  init(_ certificates: [Certificate], _ failures: [TrustFailure], for request: TrustRequest) {
    self.certificates = certificates
    self.failures = []
    let exceptions = request.trust?.exceptions ?? []
    for failure in exceptions.isEmpty ? failures : failures.inOrderOfGravity() {
      let exception = exceptions.first {
        $0.failure == failure.excusable && $0.certificate == failure.fingerprint && request.instant < $0.until
      }
      if let exception {
        excused.append(ExcusedFailure(failure, by: exception))
      } else {
        self.failures.append(failure)
      }
    }
    // A caller that looks only at the failures must not treat a missing path as valid.
    if certificates.isEmpty, self.failures.isEmpty {
      self.failures.append(TrustFailure(.other, "trust evaluation found no path, and nothing wrong"))
    }
  }

  /// How good it is; of two paths, the better one is taken, and explained where neither is valid.
  enum Rank: Int, Comparable {
    case valid
    /// Valid by an exception for a certificate above the leaf. The leaf's own are needed on every path.
    case excused
    /// It leads to an anchor, but isn't valid.
    case invalid
    case leadsNowhere

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  var rank: Rank {
    guard failures.isEmpty else {
      let isOpen = failures.contains {
        [.missingIntermediate, .unknownIssuer, .badSignature, .cryptography, .other].contains($0.code)
      }
      return isOpen ? .leadsNowhere : .invalid
    }
    return excused.contains { $0.failure.certificate != 0 } ? .excused : .valid
  }
}

import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy
import PinValidator

/// How messages name the reviewed, dated entries of `trust:` that stand for each way to customise trust (TN2232).
extension TrustTrouble {
  /// `this entry's 'trust:'`, or a host entry's where no entry governs the target.
  var trustOwner: String { target.entry == nil ? "a host entry's 'trust:'" : "this entry's 'trust:'" }

  /// The exception that excuses a failure of one certificate until a date, or what is the matter with the one there is.
  func exception(_ failure: ExcusableFailure) -> String {
    let name = failure.rawValue
    let known = trust?.exceptions.filter { $0.failure.value == failure } ?? []
    if let ended = known.first(where: { $0.certificate == self.failure.fingerprint }) {
      return "The exception '\(name)' for this certificate ended at \(ended.until.value); who grants it anew says why."
    }
    let another = known.isEmpty ? "" : "The exception '\(name)' that is there names another certificate. "
    return another + "The reviewed and dated exception would be, in \(trustOwner), "
      + "'exceptions: [{ failure: \(name), certificate: FILE, until: DATE, reason: … }]'."
  }

  /// The one certificate that is accepted in place of a path to an anchor.
  var oneCertificate: String {
    "\(trustOwner) can name this one certificate, 'certificate: FILE' with a reason; its path isn't validated then"
  }

  /// The anchors of the entry's own, or what is the matter with those there are.
  var anchors: String {
    guard let trust, !trust.anchorFiles.isEmpty || !trust.systemAnchors else {
      return "where the CA is one's own, \(trustOwner) can name its root, 'anchors: [FILE]' with a reason"
    }
    return "or, if the CA is meant, add its root to this entry's 'anchors:'"
  }

  /// The intermediates that the manifest carries for the server.
  var intermediates: String {
    guard let trust, !trust.intermediateFiles.isEmpty else {
      return "Until then \(trustOwner) can ship it with the manifest: 'intermediates: [FILE]' with a reason."
    }
    return "The 'intermediates:' of this entry don't hold it; until the server does, add it there."
  }

  /// Where the policy says which anchors count.
  var anchorsPlace: [Diagnostic.Related] {
    guard let trust, !trust.systemAnchors, let first = trust.anchorFiles.first else { return [] }
    return [Diagnostic.Related("only the anchors of this list count here", at: first.place)]
  }

  /// Where the policy already has exceptions for the failure.
  func exceptionPlaces(_ failure: ExcusableFailure) -> [Diagnostic.Related] {
    (trust?.exceptions ?? []).filter { $0.failure.value == failure }.prefix(3).map { exception in
      let isSame = exception.certificate == self.failure.fingerprint
      return Diagnostic.Related(
        isSame ? "this exception ended at \(exception.until.value)" : "this exception names another certificate",
        at: exception.place)
    }
  }

  /// `, and the server's own clock is 3 days ahead`, where it is known to be wrong.
  var clock: String {
    clockOffset.map { offset in
      ", and the server's own clock is \(Wording.duration(abs(offset))) \(offset > 0 ? "ahead" : "behind")"
    } ?? ""
  }
}

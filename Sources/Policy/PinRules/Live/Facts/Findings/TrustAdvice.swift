import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

/// How messages name the reviewed, dated entries of `trust:` that stand for each way to customise trust (TN2232).
extension TrustTrouble {
  /// `this entry's 'trust:'`, or a host entry's where no entry governs the target.
  var trustOwner: String { target.entry == nil ? "a host entry's 'trust:'" : "this entry's 'trust:'" }

  /// Where one more field goes: into the `trust:` that applies, because an entry's own would replace that of `defaults:`.
  private var trustPlace: String { trust.map { "the 'trust:' at \(line(of: $0.place))" } ?? trustOwner }

  /// `policies/web.yaml:7`.
  private func line(of place: Place) -> String { "\(facts.policy.sources[place.file].path):\(place.start.line)" }

  /// The exception that excuses a failure of one certificate until a date, or what is the matter with the one there is.
  func exception(_ failure: ExcusableFailure) -> String {
    let name = failure.rawValue
    let known = trust?.exceptions.filter { $0.failure.value == failure } ?? []
    if let ended = known.first(where: { $0.certificate == self.failure.fingerprint }) {
      return
        "The exception '\(name)' for this certificate ended at \(ended.until.value). To extend it, change 'until:' and "
        + "'reason:'."
    }
    let another = known.isEmpty ? "" : "The existing exception '\(name)' names another certificate. "
    let item = "{ failure: \(name), certificate: FILE, until: DATE, reason: … }"
    // A second list would replace the first.
    if let first = trust?.exceptions.first {
      return another + "To accept this certificate until a date, add '\(item)' to the list at \(line(of: first.place))."
    }
    return "To accept this certificate until a date, add an exception in \(trustPlace): 'exceptions: [\(item)]'."
  }

  /// The one certificate that is accepted in place of a path to an anchor.
  var oneCertificate: String {
    "accept this one certificate in \(trustOwner): 'certificate: FILE' with a reason. Its path isn't validated then."
  }

  /// The anchors of the entry's own, or what is the matter with those there are.
  var anchors: String {
    if let interception { return interception }
    if let file = fileOfMissingRoot {
      let file = CertificateText.shown(file, most: 120)
      // A second list would replace the first.
      return "A pinned key isn't a trust anchor. "
        + (trust?.anchorFiles.first.map { "Add '\(file)' to the list at \(line(of: $0.place))." }
          ?? "Add '\(file)' to \(trustPlace): 'anchors: [\(file)]' with a reason.")
    }
    guard let first = trust?.anchorFiles.first else {
      return "If the CA is your own, add its root to \(trustPlace): 'anchors: [FILE]' with a reason."
    }
    return "If clients should trust this CA, add its root to the list at \(line(of: first.place))."
  }

  /// The intermediates that the manifest carries for the server.
  var intermediates: String {
    guard let first = trust?.intermediateFiles.first else {
      return
        "Until it does, the manifest can carry the certificate: 'intermediates: [FILE]' with a reason in \(trustPlace)."
    }
    return "Until it does, add the certificate to the list at \(line(of: first.place)); it isn't there yet."
  }

  /// Where the policy says which anchors count.
  var anchorsPlace: [Diagnostic.Related] {
    guard let trust, !trust.systemAnchors, let first = trust.anchorFiles.first else { return [] }
    return [Diagnostic.Related("only the anchors in this list count here", at: first.place)]
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
}

extension TrustTrouble {
  /// The name of the root that the path leads to, or seems to lead to.
  private var missingRoot: String? {
    guard let end = chain.last.flatMap({ facts.record($0) }) ?? record else { return nil }
    return end.isSelfSigned ? end.subject : end.issuer
  }

  /// The file of a key of the policy that is this root's certificate.
  private var fileOfMissingRoot: String? {
    guard let name = missingRoot else { return nil }
    return facts.policy.keys.lazy.compactMap(\.material).first { material in
      material.subject == name && material.certificate.map { $0.isCA && $0.isSelfIssued } ?? false
    }?.path
  }

  /// What to do where a product that inspects TLS seems to have answered in the server's place; nil elsewhere.
  var interception: String? {
    let names = chain.dropFirst().compactMap { facts.record($0)?.subject } + (missingRoot.map { [$0] } ?? [])
    return names.lazy.compactMap { Interception.advice(on: $0) }.first
  }
}

import Diagnostics
package import PinFormat

extension Policy.Trust {
  /// What the manifest says of it.
  package var lowered: Manifest.Trust {
    Manifest.Trust(
      systemAnchors: systemAnchors,
      anchors: anchors,
      intermediates: intermediates,
      certificate: certificate?.value.certificate?.fingerprint,
      serverName: serverName?.value,
      exceptions: loweredExceptions,
      minimumRSABits: minimumRSABits?.value,
      minimumECBits: minimumECBits?.value,
      signatures: Set(signatures.map(\.value)).sorted { $0.rawValue < $1.rawValue },
      minimumTLS: minimumTLS?.value)
  }

  private var loweredExceptions: [Manifest.Exception] {
    let all = exceptions.map {
      Manifest.Exception(
        failure: $0.failure.value, certificate: $0.certificate, until: $0.until.value, reason: $0.reason.value)
    }.sorted {
      ($0.certificate, $0.failure.rawValue, $0.until) < ($1.certificate, $1.failure.rawValue, $1.until)
    }
    // If two excuse the same failure, the one that ends first applies, so an exception never lasts longer than a reader
    // expects.
    return all.enumerated().filter { index, exception in
      index == 0 || all[index - 1].certificate != exception.certificate || all[index - 1].failure != exception.failure
    }.map(\.element)
  }
}

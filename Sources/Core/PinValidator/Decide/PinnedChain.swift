package import PinFormat

/// A validated chain as the decision sees it: the pins of its certificates, from the leaf to the anchor.
package protocol PinnedChain {
  /// The number of certificates.
  var certificateCount: Int { get }

  /// SHA-256 over the SPKI bytes of a certificate; nil where it can't be found or hashed.
  func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest?
}

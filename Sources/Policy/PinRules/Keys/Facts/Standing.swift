import Diagnostics
package import PinFormat
package import PinPolicy

extension Policy.Key {
  /// Where in a chain the key is, as far as the policy says: by `position:`, or else by its certificate.
  ///
  /// Nil for a bare pin, a public key or a request, which may end up anywhere, or anywhere above the leaf.
  package var standing: ChainPosition? {
    if let chainPosition { return chainPosition }
    guard let certificate = material?.certificate else { return nil }
    if !certificate.isCA { return .leaf }
    return certificate.isSelfIssued ? .root : .intermediate
  }

  /// The key as messages describe it by its file: `CN=Example Root CA,O=Example Trust`.
  var subject: String? { material?.subject }
}

extension Policy {
  /// The pins that hosts with anchors of their own, or with one certificate, are checked against by intent: there the
  /// advice about public CAs doesn't apply.
  func hasOwnTrust(_ use: KeySetUse) -> Bool {
    use.hosts.allSatisfy { index in
      guard let trust = hosts[index].trust else { return false }
      return trust.certificate != nil || (!trust.systemAnchors && !trust.anchorFiles.isEmpty)
    }
  }
}

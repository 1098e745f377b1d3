#if !CryptoKit
package import PinFormat

extension Validator {
  /// Decides as ``evaluate(_:at:transport:)`` does while the manifest is fresh: for tools that ask about times by which
  /// clients have a newer one.
  ///
  /// The entry's own expiry counts.
  package func evaluateUnstale(
    _ handshake: PeerHandshake, at instant: Instant, transport: TransportValidation
  ) -> Decision {
    switch manifest.govern(host: handshake.host, port: handshake.port, at: instant, freshness: .fresh) {
    case .answered(let verdict):
      guard case .notPinned = verdict, transport == .replaced else { return Decision(verdict, by: manifest) }
      return Decision(verdict, by: manifest, validated: evaluation(of: handshake, for: nil, at: instant))
    case .pinned(let entry) where transport == .leafOnly:
      return decideByLeaf(handshake, entry, at: instant)
    case .pinned(let entry):
      return decision(on: evaluation(of: handshake, for: entry, at: instant), for: entry)
    }
  }
}
#endif

package import PinFormat
import PinValidator

/// The validated chain that a client builds of what a server presents, as far as a decision sees it: its keys.
package struct PresentedChain: Hashable, Sendable {
  /// From the leaf to the anchor, at least one; nil stands for a key that is neither known nor pinned nor denied.
  ///
  /// A planned change says which key a server will present, and nothing of the others in its chain.
  package var pins: [Pin?]

  package init(_ pins: [Pin?]) {
    self.pins = pins
  }
}

extension PresentedChain: PinnedChain {
  package var certificateCount: Int { pins.count }

  package func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? {
    pins[number]?.digest ?? Self.unknownKey
  }

  /// Stands for a key that nobody knows: 32 bytes that no SPKI is known to hash to.
  private static let unknownKey = SHA256Digest(InlineArray<32, UInt8>(repeating: 0xA5))
}

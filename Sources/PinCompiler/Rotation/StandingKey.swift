import PinFormat
import PinRotation

/// A key, and where in a chain it stands when a server presents it.
struct StandingKey: Hashable {
  /// What a question calls a new key that nobody knows yet, as a renewal makes it.
  static let unknown = StandingKey(name: "unknown", pin: nil, position: .leaf)

  var name: String
  /// Nil for a key that nobody knows.
  var pin: Pin?
  var position: ChainPosition

  /// The chain of which only this key is known.
  var chain: PresentedChain {
    position == .leaf ? PresentedChain([pin, nil]) : PresentedChain([nil] + above)
  }

  /// What stands above the leaf, as far as it is known: an intermediate has an unknown anchor above it.
  var above: [Pin?] { position == .intermediate ? [pin, nil] : [pin] }
}

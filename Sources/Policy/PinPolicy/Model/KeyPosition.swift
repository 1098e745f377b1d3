import Diagnostics
package import PinFormat

/// Where in a validated chain a key has to be, as a policy says it.
package enum KeyPosition: String, Hashable, Sendable, CaseIterable {
  case leaf
  case intermediate
  case root
  /// Anywhere above the leaf.
  ///
  /// A manifest of version 1 has no word for it: it gets a key for each of the two positions.
  case ca

  /// A manifest's position.
  package init(_ position: ChainPosition) {
    switch position {
    case .leaf: self = .leaf
    case .intermediate: self = .intermediate
    case .root: self = .root
    }
  }

  /// The positions of the keys that a manifest gets.
  package var positions: [ChainPosition] {
    switch self {
    case .leaf: [.leaf]
    case .intermediate: [.intermediate]
    case .root: [.root]
    case .ca: [.intermediate, .root]
    }
  }

  /// `a leaf`, `an intermediate`, `an intermediate or root`.
  package var withArticle: String {
    switch self {
    case .leaf, .root: "a " + rawValue
    case .intermediate: "an intermediate"
    case .ca: "an intermediate or root"
    }
  }
}

extension KeyPosition {
  /// The parts of a key that may be at several positions, by their names in a manifest: `api.intermediate`, `api.root`.
  package func parts(of key: String) -> [(name: String, position: ChainPosition?)] {
    positions.map { ("\(key).\($0.rawValue)", $0) }
  }
}

extension Policy.Key {
  /// The one position that the key has to be at; nil if it may be at several.
  package var chainPosition: ChainPosition? {
    guard let positions = position?.value.positions, positions.count == 1 else { return nil }
    return positions[0]
  }

  /// The keys that a manifest gets, by name and position: one, or two for `position: ca`.
  package var manifestKeys: [(name: String, position: ChainPosition?)] {
    guard let position = position?.value, position.positions.count > 1 else { return [(name.value, chainPosition)] }
    return position.parts(of: name.value)
  }
}

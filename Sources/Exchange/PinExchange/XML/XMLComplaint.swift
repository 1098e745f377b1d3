package import Diagnostics

/// Why a document can't be read.
package struct XMLComplaint: Error, Hashable, Sendable {
  /// One clause, lower case, no full stop.
  package var message: String
  /// What to do, as an instruction, with a full stop.
  package var help: String
  package var place: Place
}

/// How much of a document is read at most.
package struct XMLLimits: Hashable, Sendable {
  /// The bytes of the whole document.
  package var bytes = 4 << 20
  /// How many elements may be in each other.
  package var depth = 64
  /// Elements and texts together.
  package var nodes = 400_000
  /// Attributes of one element.
  package var attributes = 64

  package init() {}
}

import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

/// One square of the matrix that a target is: where a client landed, what it offered, and by which path it judged.
///
/// Values are the texts by which messages name them, so two squares are one where no message could tell them apart.
/// Facts of a visit alone have no store, anchor and path: their values are empty.
struct Cell: Hashable {
  /// What tells cells apart, in the order in which messages prefer to say it.
  enum Dimension: Int, CaseIterable, Comparable {
    case address
    case keyFamily
    case tlsVersion
    case store
    /// The certificate that the path ends in.
    case anchor
    /// The certificates above the leaf, where several paths end in one anchor.
    case path

    static func < (left: Dimension, right: Dimension) -> Bool { left.rawValue < right.rawValue }
  }

  private var values: [String]

  init(
    address: String, keyFamily: String = "", tlsVersion: String = "", store: String = "", anchor: String = "",
    path: String = ""
  ) {
    values = [address, keyFamily, tlsVersion, store, anchor, path]
  }

  /// The cell of a visit.
  init(_ visit: AssessedVisit, of target: AssessedTarget) {
    self.init(
      address: Self.label(of: visit, target), keyFamily: visit.offer.keyFamily.title,
      tlsVersion: visit.offer.tlsVersion.rawValue)
  }

  subscript(dimension: Dimension) -> String {
    get { values[dimension.rawValue] }
    set { values[dimension.rawValue] = newValue }
  }

  /// The address, with its port where that is another than the target's.
  private static func label(of visit: AssessedVisit, _ target: AssessedTarget) -> String {
    let address = VisibleText.of(visit.address)
    guard visit.port != target.port else { return address }
    return (address.contains(":") ? "[\(address)]" : address) + ":\(visit.port)"
  }
}

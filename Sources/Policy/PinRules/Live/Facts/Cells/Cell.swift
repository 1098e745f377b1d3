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

extension CellScope {
  /// What can be said of the cells that a finding is not about.
  enum Elsewhere {
    /// Nothing here: the message has a part of its own for them.
    case unsaid
    /// That the finding isn't about them, and no more.
    case not
    /// That all is well there: `it holds`, `they match`.
    case fine(String)
  }

  /// The cells as the end of a message says them: ` at 127.0.0.2 (and not at 127.0.0.1)`; nothing where it is about all.
  ///
  /// Begins with a space or a semicolon.
  /// - Parameters:
  ///   - elsewhere: What to say of the other cells.
  ///   - ofOffers: True where there may be no certificate to speak of, only what clients offer.
  /// - Returns: The words.
  func text(elsewhere: Elsewhere = .not, ofOffers: Bool = false) -> String {
    guard let first = boxes.first else { return "" }
    guard boxes.count == 1, first.values.count == 1, let (dimension, values) = first.values.first else {
      let shown = boxes.prefix(Self.mostBoxes).map { box in
        box.values.map { Self.phrase($0.dimension, $0.values, ofOffers: ofOffers) }.joined(separator: " ")
      }
      let more = boxes.count > shown.count ? "; and \(boxes.count - shown.count) more such" : ""
      return " " + shown.joined(separator: "; and ") + more
    }
    let others = (allValues[dimension] ?? []).filter { !values.contains($0) }
    if values.count > Self.mostValues, others.count <= Self.mostValues {
      return " " + Self.phrase(dimension, others, isException: true)
    }
    let there = Self.phrase(dimension, values, ofOffers: ofOffers)
    let rest = Self.phrase(dimension, others, isShort: true, ofOffers: ofOffers)
    switch elsewhere {
    case .unsaid: return " \(there)"
    case .not: return " \(there) (and not \(rest))"
    case .fine(let verb): return " \(there); \(verb) \(rest)"
    }
  }

  /// ` at 127.0.0.1`: the addresses of cells, whether or not they tell them from others.
  static func addresses(of cells: Set<Cell>) -> String {
    " " + phrase(.address, Set(cells.map { $0[.address] }).sorted())
  }

  /// So many values of one dimension are named.
  static let mostValues = 6
  /// So many combinations are.
  static let mostBoxes = 4

  /// `at 127.0.0.1 and 127.0.0.2`, `under the trust store 'old'`, `at each address but 127.0.0.1`.
  private static func phrase(
    _ dimension: Cell.Dimension, _ values: [String], isShort: Bool = false, isException: Bool = false,
    ofOffers: Bool = false
  ) -> String {
    let isOne = values.count == 1
    switch dimension {
    case .address:
      return isException ? "at each address but \(plain(values))" : "at \(plain(values))"
    case .keyFamily where ofOffers:
      return "for clients that offer \(plain(values))"
    case .keyFamily:
      return "with its \(plain(values)) certificate" + (isOne ? "" : "s")
    case .tlsVersion:
      return "in " + plain(values.map { "TLS " + $0 })
    case .store:
      if isException { return "under each trust store but \(quoted(values))" }
      return (isShort ? "under " : isOne ? "under the trust store " : "under the trust stores ") + quoted(values)
    case .anchor:
      if isException { return "on each path but those over \(quoted(values))" }
      return (isShort ? "over " : isOne ? "on the path over " : "on the paths over ") + quoted(values)
    case .path:
      if isException { return "on each path but that of \(quoted(values))" }
      return (isShort ? "by " : isOne ? "on the path by " : "on the paths by ") + quoted(values)
    }
  }

  private static func plain(_ values: [String]) -> String {
    let shown = values.count > mostValues ? Array(values.prefix(mostValues - 1)) : values
    let more = values.count > shown.count ? ["\(values.count - shown.count) more"] : []
    return (shown + more).listed()
  }

  private static func quoted(_ values: [String]) -> String { Wording.list(values, most: mostValues) }
}

/// Which cells a finding is about, told from all the others in as few dimensions as do.
///
/// Where a server was asked says more to its operator than who judged it, so the judges' dimensions are the last resort.
struct CellScope: Equatable {
  typealias Dimension = Cell.Dimension

  /// Cells that have one of the values in each dimension that is listed.
  struct Box: Equatable {
    /// In the order of the dimensions; the values in the order of the cells.
    var values: [(dimension: Dimension, values: [String])]

    func contains(_ cell: Cell) -> Bool {
      values.allSatisfy { $0.values.contains(cell[$0.dimension]) }
    }

    static func == (left: Box, right: Box) -> Bool {
      left.values.elementsEqual(right.values) { $0 == $1 }
    }
  }

  /// The dimensions that tell the cells from the others; none where there are no others.
  let dimensions: [Dimension]
  /// Together the cells, and no other one.
  let boxes: [Box]
  /// The values of each dimension in all cells, in the order of the cells.
  let allValues: [Dimension: [String]]

  /// Works out how some cells differ from the rest.
  ///
  /// - Parameters:
  ///   - chosen: The cells that are spoken of, at least one.
  ///   - all: All cells, among them those.
  init(_ chosen: Set<Cell>, among all: [Cell]) {
    var values: [Dimension: [String]] = [:]
    for dimension in Dimension.allCases {
      var seen: Set<String> = []
      values[dimension] = all.map { $0[dimension] }.filter { seen.insert($0).inserted }
    }
    allValues = values
    dimensions = Self.discriminating(chosen, all, among: Dimension.allCases.filter { (values[$0]?.count ?? 0) > 1 })
    boxes = dimensions.isEmpty ? [] : Decomposition(dimensions, chosen, all, values).boxes
  }

  func contains(_ cell: Cell) -> Bool { boxes.isEmpty || boxes.contains { $0.contains(cell) } }

  /// The set of dimensions whose values decide whether a cell is chosen: the cheapest, and of several the preferred one.
  private static func discriminating(_ chosen: Set<Cell>, _ all: [Cell], among varying: [Dimension]) -> [Dimension] {
    var best = varying
    // Of masks with the same number of bits, the lower one has the preferred dimensions.
    for mask in 0..<(1 << varying.count) {
      let candidate = varying.indices.filter { mask & (1 << $0) != 0 }.map { varying[$0] }
      guard cost(candidate) < cost(best), decides(candidate, chosen, all) else { continue }
      best = candidate
    }
    return best
  }

  /// First by what is used of the judge, then by number.
  static func cost(_ dimensions: [Dimension]) -> Int {
    dimensions.reduce(0) { sum, dimension in
      switch dimension {
      case .address, .keyFamily, .tlsVersion: sum + 1
      case .store: sum + 10
      case .anchor: sum + 100
      case .path: sum + 1_000
      }
    }
  }

  private static func decides(_ dimensions: [Dimension], _ chosen: Set<Cell>, _ all: [Cell]) -> Bool {
    var known: [[String]: Bool] = [:]
    for cell in all {
      let isChosen = chosen.contains(cell)
      if known.updateValue(isChosen, forKey: dimensions.map { cell[$0] }) ?? isChosen != isChosen { return false }
    }
    return true
  }
}

/// Taking a set of cells apart into boxes.
private struct Decomposition {
  typealias Dimension = Cell.Dimension
  typealias Tuple = [String]

  let boxes: [CellScope.Box]

  init(_ dimensions: [Dimension], _ chosen: Set<Cell>, _ all: [Cell], _ order: [Dimension: [String]]) {
    let project = { (cell: Cell) in dimensions.map { cell[$0] } }
    boxes = Self.boxes(dimensions, chosen: Set(chosen.map(project)), all: Set(all.map(project)), order: order)
  }

  private static func boxes(
    _ dimensions: [Dimension], chosen: Set<Tuple>, all: Set<Tuple>, order: [Dimension: [String]]
  ) -> [CellScope.Box] {
    if let box = box(dimensions, chosen: chosen, all: all, order: order) { return [box] }
    var best: [CellScope.Box] = []
    // Try each dimension as the first one, unless there are too many.
    for index in dimensions.indices.prefix(dimensions.count <= 3 ? 3 : 1) {
      let found = split(dimensions, at: index, chosen: chosen, all: all, order: order)
      if best.isEmpty || found.count < best.count { best = found }
    }
    return best
  }

  /// One box that holds the chosen tuples and none of the others, without the dimensions that it doesn't need.
  private static func box(
    _ dimensions: [Dimension], chosen: Set<Tuple>, all: Set<Tuple>, order: [Dimension: [String]]
  ) -> CellScope.Box? {
    var allowed = dimensions.indices.map { index in Set(chosen.map { $0[index] }) }
    func isRight() -> Bool {
      all.allSatisfy { tuple in
        chosen.contains(tuple) || !zip(tuple, allowed).allSatisfy { $1.contains($0) }
      }
    }
    guard isRight() else { return nil }
    var isNeeded = [Bool](repeating: true, count: dimensions.count)
    for index in dimensions.indices {
      let before = allowed[index]
      allowed[index] = Set(all.map { $0[index] })
      if isRight() { isNeeded[index] = false } else { allowed[index] = before }
    }
    return CellScope.Box(
      values: dimensions.indices.filter { isNeeded[$0] }.map { index in
        (dimensions[index], (order[dimensions[index]] ?? []).filter { allowed[index].contains($0) })
      })
  }

  /// Boxes of each value of a dimension, values that differ in nothing together.
  private static func split(
    _ dimensions: [Dimension], at index: Int, chosen: Set<Tuple>, all: Set<Tuple>, order: [Dimension: [String]]
  ) -> [CellScope.Box] {
    func slice(_ tuples: Set<Tuple>, _ value: String) -> Set<Tuple> {
      Set(
        tuples.lazy.filter { $0[index] == value }.map { tuple in
          var rest = tuple
          rest.remove(at: index)
          return rest
        })
    }
    var groups: [(values: [String], chosen: Set<Tuple>, all: Set<Tuple>)] = []
    for value in order[dimensions[index]] ?? [] {
      let part = slice(chosen, value)
      let whole = slice(all, value)
      guard !part.isEmpty else { continue }
      let twin = groups.firstIndex {
        $0.chosen.isDisjoint(with: whole.subtracting(part)) && part.isDisjoint(with: $0.all.subtracting($0.chosen))
      }
      if let twin {
        groups[twin].values.append(value)
        groups[twin].chosen.formUnion(part)
        groups[twin].all.formUnion(whole)
      } else {
        groups.append(([value], part, whole))
      }
    }
    var rest = dimensions
    rest.remove(at: index)
    return groups.flatMap { group in
      boxes(rest, chosen: group.chosen, all: group.all, order: order).map { box in
        let values = box.values + [(dimensions[index], group.values)]
        return CellScope.Box(values: values.sorted { $0.dimension < $1.dimension })
      }
    }
  }
}

extension LaidOut.Collection {
  /// The parts in the order in which they are written: known fields as the schema has them, the others behind the one
  /// that they followed.
  func ordered(as schema: FieldSchema?) -> [LaidOut.Part] {
    guard isMapping, let schema, !schema.fieldNames.isEmpty else { return parts }
    let names = parts.map { $0.name?.scalar?.text ?? "" }
    // Which of two fields of one name counts isn't known: they stay as they are.
    guard Set(names).count == names.count else { return parts }
    var rank = -1
    let ranked = zip(names, parts).map { name, part in
      rank = schema.fieldNames.firstIndex(of: name) ?? rank
      return (rank, part)
    }
    let sorted = ranked.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
    var result = sorted.map(\.element.1)
    // What was first had no line above it that could be empty.
    for (place, entry) in sorted.enumerated() where entry.offset == 0 && place > 0 && schema.isFile {
      result[place].isApart = true
    }
    return result
  }
}

extension FieldSchema {
  /// The order of the mapping that a field belongs to, as far as the names beside it tell.
  static func order(of name: String, among names: [String]) -> [String] {
    func fit(_ order: [String]) -> Int { names.count(where: order.contains) }
    return policy.orders.filter { $0.contains(name) }.max { fit($0) < fit($1) } ?? [name]
  }

  /// The names of the fields of each mapping, here and below.
  private var orders: [[String]] {
    [fieldNames] + (fields.map(\.schema) + [item, other].compactMap(\.self)).flatMap(\.orders)
  }
}

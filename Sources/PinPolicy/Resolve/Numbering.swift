extension [String: Int] {
  /// The number of a name, which gets one where it has none; the name is looked up once.
  mutating func number(of name: String, else next: Int) -> Int {
    func same(_ number: inout Int) -> Int { number }
    return same(&self[name, default: next])
  }
}

extension Array {
  /// Puts the elements in an order, which says for each place where its element is now; moves them, copies none.
  mutating func arrange(_ order: [Int]) {
    precondition(order.count == count, "an order says where each element is")
    var isDone = [Bool](repeating: false, count: count)
    for start in order.indices where !isDone[start] {
      var hole = start
      while order[hole] != start {
        isDone[hole] = true
        swapAt(hole, order[hole])
        hole = order[hole]
      }
      isDone[hole] = true
    }
  }
}

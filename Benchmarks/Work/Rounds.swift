/// How often work is done: so many times in each round, and the figure is the median of the rounds.
struct Rounds {
  let times: Int
  let count: Int

  init(_ arguments: inout Arguments) {
    times = arguments.number()
    count = arguments.number(or: 1)
  }

  /// Does the work, and prints what one time takes.
  func measure(_ name: String, _ work: () throws -> Void) rethrows {
    var rounds: [Duration] = []
    for _ in 0..<count {
      let start = ContinuousClock.now
      for _ in 0..<times { try work() }
      rounds.append((ContinuousClock.now - start) / times)
    }
    Self.report(name, rounds)
  }

  /// Prints the median of what was measured.
  static func report(_ name: String, _ measured: [Duration]) {
    let median = measured.sorted()[measured.count / 2].components
    print(name, median.seconds * 1_000_000_000 + median.attoseconds / 1_000_000_000, "ns")
  }
}

/// What a run found, by family.
package struct WorldTally: Sendable {
  package struct Count: Sendable {
    package var count = 0
    /// The number of the first world.
    package var world: Int
    package var text: String
  }

  package private(set) var numbers = 0
  /// How many are worlds: policies and releases that `check` accepts.
  package private(set) var worlds = 0
  package private(set) var answers = 0
  package private(set) var safe = 0
  package private(set) var failures: [String: Count] = [:]
  package private(set) var warned: [String: Count] = [:]
  package private(set) var needless: [String: Count] = [:]
  package private(set) var strict: [String: Count] = [:]
  package private(set) var rejections: [String: Int] = [:]

  package init() {}

  package mutating func add(_ judgement: Judgement, of number: Int) {
    numbers += 1
    worlds += judgement.isWorld ? 1 : 0
    answers += judgement.answers
    safe += judgement.safe
    for message in judgement.rejections.prefix(1) { rejections[String(message.prefix(60)), default: 0] += 1 }
    func add(_ cases: [Judgement.Case], to counts: inout [String: Count]) {
      for one in cases { counts[one.family, default: Count(world: number, text: one.text)].count += 1 }
    }
    add(judgement.failures, to: &failures)
    add(judgement.warned, to: &warned)
    add(judgement.needless, to: &needless)
    add(judgement.strict, to: &strict)
  }

  package mutating func add(_ other: WorldTally) {
    numbers += other.numbers
    worlds += other.worlds
    answers += other.answers
    safe += other.safe
    rejections.merge(other.rejections) { $0 + $1 }
    func add(_ counts: [String: Count], to all: inout [String: Count]) {
      for (family, count) in counts {
        guard let known = all[family] else {
          all[family] = count
          continue
        }
        var sum = known.world < count.world ? known : count
        sum.count = known.count + count.count
        all[family] = sum
      }
    }
    add(other.failures, to: &failures)
    add(other.warned, to: &warned)
    add(other.needless, to: &needless)
    add(other.strict, to: &strict)
  }

  /// Judges worlds by their numbers.
  package static func of(_ numbers: some Sequence<Int>, _ keys: WorldKeys) throws -> WorldTally {
    var tally = WorldTally()
    var tools = WorldTools(keys)
    for (count, number) in numbers.enumerated() {
      // Certificates of worlds long past are of no more use.
      if count % 500 == 499 { tools = WorldTools(keys) }
      tally.add(try Judgement(ClientWorld.random(number), tools), of: number)
    }
    return tally
  }
}

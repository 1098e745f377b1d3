import Synchronization
import Testing

@testable import PinValidator

@Suite("A value that is read without waiting")
struct SnapshotTests {
  /// Counts those that live.
  private final class Item: Sendable {
    let number: Int
    let copy: Int
    private let living: Counter

    init(_ number: Int, _ living: Counter) {
      self.number = number
      copy = number
      self.living = living
      living.count.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { living.count.wrappingSubtract(1, ordering: .relaxed) }
  }

  private final class Counter: Sendable {
    let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
  }

  @Test("is the last one that was put there, and those before are gone")
  func sequence() {
    let living = Counter()
    do {
      let snapshot = Snapshot(Item(0, living))
      for number in 1...100 {
        let old = snapshot.value
        #expect(old.number == number - 1)
        #expect(snapshot.replace(with: Item(number, living)))
        #expect(snapshot.value.number == number)
        #expect(living.value == 2)
      }
      #expect(living.value == 1)
    }
    #expect(living.value == 0)
  }

  @Test("is whole, and never older than one that was seen before, even if others write meanwhile")
  func concurrent() async {
    let living = Counter()
    do {
      let snapshot = Snapshot(Item(0, living))
      let done = Counter()
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            var last = 0
            while done.value < 2 {
              let item = snapshot.value
              #expect(item.number == item.copy)
              // Two threads write increasing numbers; only those of one of them are compared.
              if item.number.isMultiple(of: 2) {
                #expect(item.number >= last)
                last = item.number
              }
              await Task.yield()
            }
          }
        }
        for writer in 0..<2 {
          group.addTask {
            for number in 1...2_000 {
              #expect(snapshot.replace(with: Item(number * 2 + writer, living)))
              if number.isMultiple(of: 50) { await Task.yield() }
            }
            done.count.wrappingAdd(1, ordering: .relaxed)
          }
        }
      }
    }
    #expect(living.value == 0)
  }
}

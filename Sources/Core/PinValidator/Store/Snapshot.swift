import CLibC
import OpenSSLKit
import Synchronization

/// A value that any number of threads read without ever waiting, and that is replaced as a whole.
///
/// Reading takes a fixed number of steps: one atomic addition, a copy, one atomic addition. It takes no lock, allocates
/// nothing, asks the system for nothing, and is never repeated, whatever other threads do.
///
/// The value is in one of sixteen slots. One atomic word names the current slot and, below it, counts how often that
/// slot was acquired since it became current; each slot counts how often it was released. A reader adds one to the
/// word, which in the same step tells it the slot and marks the slot as in use; it copies the value and adds one to the
/// slot's releases. A writer, of which a lock lets in one at a time, puts the new value into a slot that is free, and
/// exchanges the word for that slot with a count of zero. The exchange also tells it how often the old slot was
/// acquired in all: nobody can acquire it any more. When as many releases have been counted, the last reader is done,
/// and the old value is destroyed and its slot free.
///
/// Why no reader sees a value that is written or destroyed: a slot is written only while it is free, and it is free
/// only when it isn't current and all who acquired it have released it. Anybody who reads it has acquired it later,
/// through the word that the writer stored after writing.
///
/// - The writer's exchange releases and the reader's addition acquires. Further additions in between continue the
///   release sequence, so each reader sees the value written before the exchange.
/// - The reader's second addition releases and the writer's load of the count acquires. All of these additions are one
///   release sequence, so a writer that has read the full count sees every reader's copy done.
/// - The count has 60 bits: at a thousand million readings a second it is full after 36 years of one manifest.
///
/// `@unchecked`: the slots are written under the lock and read as shown above.
final class Snapshot<Value: Sendable>: @unchecked Sendable {
  private struct Writer: Sendable {
    var current = 0
    /// How often each slot that still holds an old value was acquired.
    var acquisitions = [UInt64?](repeating: nil, count: 16)
  }

  /// The slot's number in the upper four bits, the acquisitions below.
  private let word = Atomic<UInt64>(0)
  private let values: UnsafeMutablePointer<Value>
  private let releases: UnsafeMutablePointer<Atomic<UInt64>>
  private let writer = Guarded(Writer())

  private static var slotCount: Int { 16 }
  /// Counts of two slots are so far apart that they share no cache line.
  private static var stride: Int { 16 }
  private static var slotShift: UInt64 { 60 }
  private static var countMask: UInt64 { 1 << 60 - 1 }

  init(_ value: Value) {
    values = .allocate(capacity: Self.slotCount)
    releases = .allocate(capacity: Self.slotCount * Self.stride)
    for number in 0..<Self.slotCount { (releases + number * Self.stride).initialize(to: Atomic(0)) }
    values.initialize(to: value)
  }

  deinit {
    // No reader or writer is left. In a child that was forked during a write, the state of the values is unknown, so
    // they are leaked.
    guard let state = writer.withLock({ $0 }) else { return }
    (values + state.current).deinitialize(count: 1)
    for (number, acquired) in state.acquisitions.enumerated() where acquired != nil {
      (values + number).deinitialize(count: 1)
    }
    values.deallocate()
    releases.deallocate()
  }

  /// A part of the current value; only that part is copied.
  ///
  /// - Parameter part: Picks the part, and does nothing else: a writer may be waiting.
  /// - Returns: The part.
  func read<Part>(_ part: (Value) -> Part) -> Part {
    let number = Int(word.wrappingAdd(1, ordering: .acquiring).oldValue >> Self.slotShift)
    defer { releases[number * Self.stride].wrappingAdd(1, ordering: .releasing) }
    return part(values[number])
  }

  /// The current value.
  var value: Value { read { $0 } }

  /// Makes another value the current one, and destroys the one before as soon as nobody reads it.
  ///
  /// May wait for readers, who are done within a few instructions unless their thread is held up; readers never wait.
  ///
  /// - Returns: Whether it was done; false only where the writers' lock can't be had, for lack of memory.
  func replace(with value: Value) -> Bool {
    writer.withLock { writer in
      var free: Int?
      repeat {
        reclaim(&writer)
        free = writer.acquisitions.indices.first { $0 != writer.current && writer.acquisitions[$0] == nil }
        if free == nil { sched_yield() }
      } while free == nil
      guard let next = free else { return false }
      (values + next).initialize(to: value)
      releases[next * Self.stride].store(0, ordering: .relaxed)
      let before = word.exchange(UInt64(next) << Self.slotShift, ordering: .acquiringAndReleasing)
      writer.acquisitions[writer.current] = before & Self.countMask
      writer.current = next
      // A manifest may be large: usually the old one is freed now, otherwise at the next change. In a child that was forked
      // while somebody read, it never is, and on a busy machine each turn takes milliseconds.
      for _ in 0..<50 {
        reclaim(&writer)
        guard writer.acquisitions.contains(where: { $0 != nil }) else { break }
        sched_yield()
      }
      return true
    } ?? false
  }

  /// Destroys the old values that nobody reads any more.
  private func reclaim(_ writer: inout Writer) {
    for number in writer.acquisitions.indices {
      guard let acquired = writer.acquisitions[number] else { continue }
      guard releases[number * Self.stride].load(ordering: .acquiring) == acquired else { continue }
      (values + number).deinitialize(count: 1)
      writer.acquisitions[number] = nil
    }
  }
}

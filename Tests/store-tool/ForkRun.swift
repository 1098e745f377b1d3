import Glibc
import PinFormat
import PinValidator
import Synchronization

/// Forks children while threads of the parent decide and update: each child decides and updates with the store that it
/// inherited, and ends in time, or has to open one of its own.
final class ForkRun: Sendable {
  private let scene: Scene
  private let files: [[UInt8]]
  private let begun = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)

  init(fixtures: String) throws {
    scene = try Scene(fixtures: fixtures)
    let scene = scene
    files = try (1...500).map { try scene.file(serial: Int64($0)) }
    try scene.store.update(files[0])
  }

  /// Ends the process while its threads decide and update.
  func exitMeanwhile() -> Never {
    _ = startThreads()
    usleep(UInt32.random(in: 1_000...30_000))
    exit(0)
  }

  private func startThreads() -> [pthread_t] {
    (0..<4).map { _ in
      var thread = pthread_t()
      let box = Unmanaged.passRetained(self).toOpaque()
      guard pthread_create(&thread, nil, forkThread, box) == 0 else { fail("pthread_create") }
      return thread
    }
  }

  func run(children: Int) {
    let threads = startThreads()
    var counts: [Int32: Int] = [:]
    for _ in 0..<children {
      let child = forkProcess()
      if child == 0 { beChild() }
      guard child > 0 else { fail("fork") }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      counts[status, default: 0] += 1
    }
    isOver.store(true, ordering: .relaxed)
    for thread in threads { pthread_join(thread, nil) }
    let (fine, told) = (counts[0] ?? 0, counts[3 << 8] ?? 0)
    guard fine > 0, fine + told == children else { fail("of \(children) children \(counts) by wait status") }
    print("\(children) children: \(fine) went on, \(told) were told to open a store of their own")
  }

  /// Nothing of the child's is left to wait for: it ends by itself, or by the alarm.
  private func beChild() -> Never {
    alarm(20)
    for handshake in scene.handshakes where scene.store.evaluate(handshake).manifest == nil { _exit(1) }
    do throws(UpdateError) {
      try scene.store.update(files[files.count - 1])
      try scene.store.maintain()
      _exit(scene.store.validator?.manifest.serial == Int64(files.count) ? 0 : 2)
    } catch {
      _exit(error.code == .inherited ? 3 : 4)
    }
  }

  /// What each thread does: one half decides, the other updates.
  fileprivate func work() {
    if begun.wrappingAdd(1, ordering: .relaxed).oldValue % 2 == 0 { decide() } else { update() }
  }

  private func decide() {
    while !isOver.load(ordering: .relaxed) {
      for handshake in scene.handshakes { _ = scene.store.evaluate(handshake) }
    }
  }

  private func update() {
    while !isOver.load(ordering: .relaxed) {
      // The last one is for the children.
      for file in files.dropLast() where !isOver.load(ordering: .relaxed) { _ = try? scene.store.update(file) }
    }
  }
}

@_silgen_name("fork")
private func forkProcess() -> pid_t

private func forkThread(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let box else { return nil }
  Unmanaged<ForkRun>.fromOpaque(box).takeRetainedValue().work()
  return nil
}

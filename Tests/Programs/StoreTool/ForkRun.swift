import Glibc
import OpenSSLKit
import PinFormat
import PinValidator
import Synchronization

/// Forks children while threads of the parent decide and update: each child decides and updates with the store that it
/// inherited, and ends in time, or has to open one of its own.
final class ForkRun: Sendable {
  private let scene: Scene
  private let files: [[UInt8]]
  private let begun = Atomic<Int>(0)
  /// How many threads have done all that they do once.
  private let warm = Atomic<Int>(0)
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
    (0..<5).map { _ in
      var thread = pthread_t()
      let box = Unmanaged.passRetained(self).toOpaque()
      guard pthread_create(&thread, nil, forkThread, box) == 0 else { fail("pthread_create") }
      return thread
    }
  }

  func run(children: Int) {
    let threads = startThreads()
    // Swift's runtime takes locks where a type is used for the first time, and a child can't know of those.
    while warm.load(ordering: .relaxed) < threads.count { usleep(1_000) }
    var counts: [Int32: Int] = [:]
    var late = 0
    for _ in 0..<children {
      let begin = ContinuousClock.now
      let child = forkProcess()
      if child == 0 { beChild() }
      if begin.duration(to: .now) >= .seconds(1) { late += 1 }
      guard child > 0 else { fail("fork") }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      counts[status, default: 0] += 1
    }
    isOver.store(true, ordering: .relaxed)
    for thread in threads { pthread_join(thread, nil) }
    let (fine, told) = (counts[0] ?? 0, counts[3 << 8] ?? 0)
    guard fine > 0, fine + told == children else { fail("of \(children) children \(counts) by wait status") }
    // After a second a fork no longer waits until nobody is in libcrypto. On a busy machine a few may take as long.
    guard late * 4 <= children else { fail("\(late) of \(children) forks took a second") }
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

  /// What each thread does: two decide, two update, one makes and frees objects of libcrypto.
  fileprivate func work() {
    switch begun.wrappingAdd(1, ordering: .relaxed).oldValue {
    case 0, 1: decide()
    case 2, 3: update()
    default: makeAndFree()
    }
  }

  /// libcrypto takes a lock for each, which a fork must not leave to the child.
  private func makeAndFree() {
    repeatedly { _ = try? TrustStore(anchors: [], includingSystem: false) }
  }

  private func repeatedly(_ body: () -> Void) {
    body()
    warm.wrappingAdd(1, ordering: .relaxed)
    while !isOver.load(ordering: .relaxed) { body() }
  }

  private func decide() {
    repeatedly { for handshake in scene.handshakes { _ = scene.store.evaluate(handshake) } }
  }

  private func update() {
    // The last one is for the children.
    var next = files.dropLast()[...]
    repeatedly {
      if next.isEmpty { next = files.dropLast() }
      if let file = next.popFirst() { _ = try? scene.store.update(file) }
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

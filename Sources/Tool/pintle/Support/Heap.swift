import CLibMalloc
import Glibc

/// The heap of a process that ends soon: it grows in large steps and pages, and keeps what is freed.
///
/// Without this, a large build spends a sixth of its time on page faults.
enum Heap {
  private static let step = 64 << 20
  private static let largePage = 2 << 20

  static func prepare() {
    // Large arrays come from the heap, too: the memory of one is used again for the next.
    mallopt(M_MMAP_THRESHOLD, 32 << 20)
    mallopt(M_TRIM_THRESHOLD, .max)
    mallopt(M_TOP_PAD, Int32(step))
    // More than the heap has yet, so that it grows by a step. The compiler would omit a block of which nothing is asked.
    guard let block = malloc(1 << 20), malloc_usable_size(block) > 0, let end = sbrk(0) else { return }
    free(block)
    let begin = (Int(bitPattern: end) - step + largePage - 1) & ~(largePage - 1)
    madvise(UnsafeMutableRawPointer(bitPattern: begin), Int(bitPattern: end) - begin, MADV_HUGEPAGE)
  }
}

import PinValidator

/// What Embedded Swift seeds its hash tables with.
///
/// It calls this function by its name in the C library, where only glibc 2.36 and later have it.
@c(arc4random_buf)
public func fillWithRandomBytes(_ bytes: UnsafeMutableRawPointer?, _ count: Int) {
  if let bytes { SystemRandom.fill(bytes, count) }
}

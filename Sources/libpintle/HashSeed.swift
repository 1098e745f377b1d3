import CLibC

/// Random bytes, with which Embedded Swift seeds its hash tables.
///
/// It calls this function by its name in the C library, where only glibc 2.36 and later have it.
@c(arc4random_buf)
public func fillWithRandomBytes(_ bytes: UnsafeMutableRawPointer?, _ count: Int) {
  var filled = 0
  while filled < count {
    let got = getrandom(bytes?.advanced(by: filled), min(count - filled, 256), 0)
    // A signal may interrupt it; without random bytes, a peer could choose names that collide.
    guard got >= 0 || pintle_errno() == EINTR else { abort() }
    filled += max(got, 0)
  }
}

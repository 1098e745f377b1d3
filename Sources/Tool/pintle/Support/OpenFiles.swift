import Glibc

/// The process's limit of open files.
enum OpenFiles {
  /// Raises it as far as it may; where that isn't enough, what needs more says so.
  static func allow(_ count: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(count) else {
      return
    }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

import Glibc

/// Where what clients have is kept: one manifest, a directory of them, or a commit of the policy.
enum ReleasedSource: Hashable, Sendable {
  /// A manifest, or a directory of manifests: which of the two is seen when it is read.
  case path(String)
  /// What names a commit of the repository that the policy lies in.
  case commit(String)

  private static let commitMark = "git:"

  /// Reads `FILE`, `DIRECTORY` or `git:REF`; a file whose name begins so is written `./git:…`.
  init(_ text: String) {
    let isCommit = text.utf8.starts(with: Self.commitMark.utf8)
    self = isCommit ? .commit(String(text.dropFirst(Self.commitMark.count))) : .path(text)
  }

  /// Whether it bears signatures, which have to be verified.
  var isSigned: Bool {
    if case .path = self { return true }
    return false
  }

  /// Whether it is a directory on disk.
  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

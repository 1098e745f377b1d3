import CLibC

/// What else a path may lead to.
///
/// Programs ask here and not `stat`: whether its fields belong to Glibc or to CLibC is for the compiler to choose, and
/// a file that imports the other one doesn't compile.
extension FileIdentity {
  /// Of what is at a path itself, which may be a link; nil where there is nothing.
  package init?(ofLink path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  package var isFolder: Bool { pintle_is_directory(mode_t(mode)) != 0 }
  package var isLink: Bool { pintle_is_link(mode_t(mode)) != 0 }
  /// Who may read, write and execute it: the lowest nine bits of its mode.
  package var permissions: UInt32 { mode & 0o777 }

  /// Whether two paths lead to one file.
  package func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}

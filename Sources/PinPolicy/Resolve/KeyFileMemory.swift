/// What tells a file from another one, or from an older one, at the same path.
struct FileStamp: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  var size: Int64
  /// Of the last change of the content, and of the file's own record: seconds and nanoseconds.
  var modified: [Int]
}

/// Key files that were read before, so that a policy that is resolved again and again reads only those that changed.
package struct KeyFileMemory: Sendable {
  struct Entry: Sendable {
    /// Nil where a change couldn't be told.
    var stamp: FileStamp?
    /// The path as the policy wrote it, which is part of what is known of the file.
    var written: String
    /// Empty where the file could not be read.
    var bytes: [UInt8]
    var result: Result<KeyFileLoader.Loaded, KeyFileProblem>
  }

  private var entries: [String: Entry] = [:]

  package init() {}

  /// A file by its path in the policy directory.
  subscript(path: String) -> Entry? {
    get { entries[path] }
    set { entries[path] = newValue }
  }
}

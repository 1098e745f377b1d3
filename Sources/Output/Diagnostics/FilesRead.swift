/// Which files a search read, and which it left out: an all-clear counts only what was read.
package struct FilesRead: Hashable, Sendable {
  /// A file or folder that wasn't read.
  package struct PassedOver: Hashable, Sendable {
    package let path: String
    /// A word or two: `link`, `binary`.
    package let reason: String

    package init(_ path: String, _ reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  package let count: Int
  /// How many files weren't opened because of their names.
  package let otherNames: Int
  /// Sorted by path.
  package let passedOver: [PassedOver]

  package init(_ count: Int, otherNames: Int, passedOver: [PassedOver]) {
    self.count = count
    self.otherNames = otherNames
    self.passedOver = passedOver.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// `12 files read; not read: 1 link, 3 files with other names`.
  package var summary: String {
    var parts = Set(passedOver.map(\.reason)).sorted().map { reason in
      Self.counted(passedOver.count { $0.reason == reason }, reason)
    }
    if otherNames > 0 { parts.append(Diagnostics.counted(otherNames, "file") + " with other names") }
    return Diagnostics.counted(count, "file") + " read" + (parts.isEmpty ? "" : "; not read: " + parts.listed())
  }

  /// `1 link`, `2 links`, `2 hidden`: only nouns have a plural.
  package static func counted(_ count: Int, _ reason: String) -> String {
    ["certificate", "link", "manifest", "keyset", "signature", "schema"].contains(reason)
      ? Diagnostics.counted(count, reason) : "\(count) \(reason)"
  }
}

extension JSONWriter {
  /// Adds the member `search`.
  package mutating func member(_ search: FilesRead) {
    object("search") { writer in
      writer.member("files", search.count)
      writer.member("otherNames", search.otherNames)
      writer.objects("passedOver", search.passedOver) { file, writer in
        writer.member("file", file.path)
        writer.member("reason", file.reason)
      }
    }
  }
}

package import Diagnostics
import Glibc
import PinPolicy
import PinValidator

/// A copy of files of a commit or of a folder, for programs that are started there.
package final class TemporaryCopy: Sendable {
  package let folder: String

  /// More bytes than the files that a program needs.
  private static let fileLimit = 64 << 20

  /// Copies all files; each may be run, because a tree doesn't say which ones are programs.
  ///
  /// - Throws: ``WorkFailure`` where there is a link or another thing that isn't a file, or where copying fails.
  package init(of tree: RepositoryTree, named name: String) throws(WorkFailure) {
    var template = Array(((getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") + "/pintle-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw WorkFailure(.failed, "can't make a temporary folder: \(String(cString: strerror(errno)))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for file in tree.files {
      let bytes: [UInt8]
      do { bytes = try tree.regular(file.path, limit: Self.fileLimit) } catch {
        throw WorkFailure(.failed, "'\(VisibleText.of(name + "/" + file.path))' can't be read: \(error.reason)")
      }
      do {
        var place = try SafeFolder(folder)
        let parts = file.path.split(separator: "/")
        for part in parts.dropLast() { place = try place.folder(String(part), creating: true) ?? place }
        try place.write(bytes, to: String(parts.last ?? ""), permissions: 0o700)
      } catch {
        throw WorkFailure(.failed, error.message)
      }
    }
  }

  deinit { remove() }

  package func remove() { Self.remove(folder) }

  /// Removes what is there; a link, not what it leads to.
  private static func remove(_ path: String) {
    guard FileIdentity(ofLink: path)?.isFolder == true else {
      unlink(path)
      return
    }
    for name in (try? SafeFolder(path).names()) ?? [] { remove(path + "/" + name) }
    rmdir(path)
  }
}

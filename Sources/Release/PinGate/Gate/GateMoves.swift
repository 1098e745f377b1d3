import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// The files of the base that a branch moves into the folders of their audiences, with the same bytes.
struct GateMoves {
  /// Where each file goes, by where it was.
  private(set) var targets: [String: String] = [:]
  /// Files that are moved while another one of their audience stays: that one, by the file's old path.
  private(set) var incomplete: [String: String] = [:]
  /// The audiences all of whose files are in a folder of their name from now on.
  private(set) var audiences: Set<String> = []

  /// - Parameters:
  ///   - content: What is moved.
  ///   - changes: What the branch changes.
  ///   - old: The base's folder.
  ///   - new: The branch's folder.
  init(
    of content: SignedContent, _ changes: [(change: GitHistory.Change, kind: GatePath)], from old: RepositoryTree,
    to new: RepositoryTree
  ) {
    let root = content == .manifest ? "released/" : "keysets/"
    func bytes(_ path: String, _ tree: RepositoryTree) -> [UInt8]? {
      try? tree.regular(String(path.dropFirst(root.count)), limit: InputFile.manifestLimit)
    }
    let all = changes.filter { $0.kind.folder(of: content) != nil }
    func kind(_ path: String, _ tree: RepositoryTree) -> PolicyDirectory.Listed.Kind? {
      tree.kind(String(path.dropFirst(root.count)))
    }
    // Only files that are as long as a removed one are read.
    let sizes = Set(all.filter(\.change.isRemoved).map { kind($0.change.path, old) })
    let candidates = all.filter { $0.change.isAdded && sizes.contains(kind($0.change.path, new)) }.map(\.change.path)
    guard !candidates.isEmpty else { return }
    let added = Dictionary(grouping: candidates) { bytes($0, new) }
    var moved: [String: String] = [:]
    for (change, kind) in all where change.isRemoved {
      guard let file = bytes(change.path, old), let audience = Self.audience(of: file, content) else { continue }
      // Into the folder of its audience or its epoch, under its name.
      let target = added[file]?.first { path in
        guard let one = kind.folder(of: content), let other = GatePath(path).folder(of: content) else { return false }
        return other != one && [audience, one.audience].contains(other.audience)
          && (other.epoch != nil || one.epoch == nil)
          && path.split(separator: "/").last == change.path.split(separator: "/").last
      }
      guard let target else { continue }
      targets[change.path] = target
      if kind.folder(of: content)?.audience != audience, GatePath(target).folder(of: content)?.audience == audience {
        moved[change.path] = audience
      }
    }
    audiences = Set(moved.values)
    // An audience whose files are in two places would be read differently by a reader that knows only one.
    for file in old.files.map({ root + $0.path }).sorted() where moved[file] == nil {
      guard let folder = GatePath(file).folder(of: content), folder.audience == nil,
        let audience = bytes(file, old).flatMap({ Self.audience(of: $0, content) }), audiences.contains(audience)
      else { continue }
      audiences.remove(audience)
      for (path, other) in moved where other == audience { incomplete[path] = file }
    }
    for path in incomplete.keys { targets[path] = nil }
  }

  /// Whom a file is for, with any signatures; nil for what is neither a manifest nor a keyset.
  static func audience(of file: [UInt8], _ content: SignedContent) -> String? {
    switch content {
    case .manifest: (try? SignedManifest.unverifiedContent(of: file))?.audience
    case .keyset: (try? KeysetFile(reading: file))?.keyset.audience
    }
  }
}

extension GatePath {
  /// The folder of a release or a keyset; nil for anything else.
  func folder(of content: SignedContent) -> Folder? {
    switch (self, content) {
    case (.release(let folder), .manifest), (.keyset(let folder, _), .keyset): folder
    default: nil
    }
  }
}

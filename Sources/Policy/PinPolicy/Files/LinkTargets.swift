import PinValidator

/// What links below searched folders lead to, which aren't followed.
package struct LinkTargets {
  package enum Target: Sendable {
    /// A file that is read by its own path.
    case read
    case folder(isSearched: Bool)
    /// `/dev/null`, by which systemd's units are turned off.
    case nothing
    /// A file that isn't read, or something that doesn't exist here.
    case unread
  }

  private let folders: Set<FileIdentity>
  private let files: Set<FileIdentity>
  private let nothing = FileIdentity(of: "/dev/null")

  package init(_ found: FoundFiles, read paths: [String]) {
    folders = found.folders
    files = Set(paths.compactMap { FileIdentity(of: $0) })
  }

  package subscript(link: String) -> Target {
    guard let target = FileIdentity(of: link) else { return .unread }
    if target.isFolder { return .folder(isSearched: folders.contains(target)) }
    if let nothing, target.device == nothing.device, target.inode == nothing.inode { return .nothing }
    return files.contains(target) ? .read : .unread
  }
}

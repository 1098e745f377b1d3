import PinPolicy
package import PinRelease

/// What a file of a policy repository is, by its path.
///
/// Every path is one of these.
package enum GatePath: Hashable, Sendable {
  /// A folder of releases or of keysets: that of an audience, of an epoch, or both.
  package struct Folder: Hashable, Sendable {
    var audience: String?
    var epoch: Int64?
  }

  /// A manifest that clients may have: `released/8.json`.
  case release(Folder)
  /// Why a release that isn't safe was made: `released/8.reason`, beside `released/8.json`.
  case reason(of: String)
  /// A serial that is withdrawn: `released/8.withdrawn`.
  case withdrawal(Folder, serial: Int64)
  /// A version of the keyset: `keysets/2.keyset.json`.
  case keyset(Folder, version: Int64)
  /// A draft or a signature.
  case event(EventPath)
  /// `.gitkeep` in one of these folders, which keeps it if it is empty.
  case placeholder
  /// Anything else in one of these folders.
  case stray
  /// A file of the policy.
  case policy
  /// What runs the checks, or decides who reviews: workflows, hooks, `ci`.
  case pipeline
  /// In `out`, which stages of `ci/pins` write and read: records of servers, reports.
  case result
  case other

  /// Whether people sign it, or it is a signature.
  var isSigned: Bool {
    switch self {
    case .release, .keyset, .event: true
    default: false
    }
  }

  /// The most bytes of a reason for a withdrawal.
  static let withdrawalLimit = 2_048

  /// Folders of which something runs; a file or a link in the place of one counts as well.
  static let pipelineFolders = [
    "ci", ".github", ".gitlab", ".githooks", ".circleci", ".pintle", ".forgejo", ".gitea", ".husky",
  ]
  private static let pipelineFiles = [
    ".gitlab-ci.yml", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", ".gitattributes", ".gitignore",
    ".gitmodules", "CODEOWNERS", "Jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", "action.yml",
    "pintle.yaml",
  ]

  /// - Parameter path: Relative to the folder that has `policies`; a path outside of it begins with `/`.
  package init(_ path: String) {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let isOutside = parts[0].isEmpty
    if isOutside { parts.removeFirst() }
    let first = parts[0]
    let isPipeline =
      Self.pipelineFolders.contains(first) || parts.last.map(Self.pipelineFiles.contains) ?? false
    guard !isOutside else {
      self = isPipeline ? .pipeline : .other
      return
    }
    // On some disks, this is the folder of the other name. A file or a link in the place of a folder would replace it.
    let lowercased = first.lowercased()
    let isNamedLikeOne = ["released", "keysets", EventPath.folder, "policies"].contains(lowercased)
    guard first != "out" else {
      self = parts.dropFirst().elementsEqual([".gitkeep"]) ? .other : .result
      return
    }
    guard parts.count > 1, !isNamedLikeOne || first == lowercased else {
      self = isNamedLikeOne ? .stray : isPipeline ? .pipeline : .other
      return
    }
    let rest = Array(parts.dropFirst())
    switch first {
    case "released": self = Self.released(rest)
    case "keysets": self = Self.keyset(rest)
    case EventPath.folder:
      self = EventPath(rest.joined(separator: "/")).map { .event($0) } ?? Self.rest(rest)
    case "policies": self = .policy
    default: self = isPipeline ? .pipeline : .other
    }
  }

  private static func released(_ parts: [String]) -> GatePath {
    var folder = Folder()
    var folders = parts.dropLast()
    if let last = folders.last, let epoch = EpochFolder.epoch(last) {
      folder.epoch = epoch
      folders.removeLast()
    }
    folder.audience = folders.first
    guard let name = parts.last, folders.count <= 1, parts.allSatisfy(EventPath.isPlain) else { return rest(parts) }
    if let serial = WithdrawnSerial.serial(name) { return .withdrawal(folder, serial: serial) }
    if name.hasSuffix(EventPath.reason) {
      return .reason(of: "released/" + parts.joined(separator: "/").dropLast(EventPath.reason.count) + ".json")
    }
    return name.hasSuffix(".json") ? .release(folder) : rest(parts)
  }

  private static func keyset(_ parts: [String]) -> GatePath {
    guard let name = parts.last, parts.count <= 2, parts.allSatisfy(EventPath.isPlain),
      let version = KeysetFiles.version(name)
    else { return rest(parts) }
    return .keyset(Folder(audience: parts.count == 2 ? parts[0] : nil), version: version)
  }

  /// A folder below is an audience, an epoch or a serial to other commands, even if it is empty.
  private static func rest(_ parts: [String]) -> GatePath { parts == [".gitkeep"] ? .placeholder : .stray }
}

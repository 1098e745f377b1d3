import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinValidator

/// The files that a repository for a policy begins with.
struct StarterFiles {
  struct File {
    /// Below the repository: `policies/manifest.yaml`.
    var path: String
    var bytes: [UInt8]
    var isProgram = false

    init(_ path: String, _ text: String, isProgram: Bool = false) {
      self.init(path, Array(text.utf8), isProgram: isProgram)
    }

    init(_ path: String, _ bytes: [UInt8], isProgram: Bool = false) {
      self.path = path
      self.bytes = bytes
      self.isProgram = isProgram
    }
  }

  /// What became of a file, or would.
  enum Fate: String {
    case written = "wrote"
    case planned = "would write"
    /// It was there, and is as it was.
    case kept
  }

  let files: [File]

  /// - Parameters:
  ///   - answers: What is wanted.
  ///   - isFresh: Whether there is no policy yet; to one that is there, no policy file is added.
  ///   - expires: When the first entries expire.
  init(_ answers: StarterAnswers, isFresh: Bool, expires: Instant) {
    var files: [File] = []
    if isFresh {
      files.append(File("policies/manifest.yaml", StarterText.manifest(answers)))
      files.append(File("policies/hosts.yaml", StarterText.hosts(answers, expires: expires)))
      if let tests = StarterText.tests(answers) { files.append(File("policies/hosts.test.yaml", tests)) }
      if !answers.hosts.isEmpty {
        for file in (answers.active + answers.backup).compactMap(\.file) {
          files.append(File("policies/" + file.path, file.bytes))
        }
      }
      if let file = answers.privateCA?.file, !files.contains(where: { $0.path == "policies/" + file.path }) {
        files.append(File("policies/" + file.path, file.bytes))
      }
    }
    files.append(File("schemas/policy.schema.json", FieldSchema.file))
    files.append(File("schemas/policy-test.schema.json", FieldSchema.testsFile))
    files.append(File(".gitignore", PackageResources.gitignore))
    if answers.service != .none {
      files.append(File("ci/pins", StarterText.stages(answers), isProgram: true))
      files.append(File("ci/install.sh", PackageResources.install_sh))
    }
    switch answers.service {
    case .github: files.append(File(".github/workflows/pins.yml", StarterText.github(answers)))
    case .gitlab: files.append(File(".gitlab-ci.yml", StarterText.gitlab(answers)))
    case .none: break
    }
    if answers.hasHook {
      files.append(File(".githooks/pre-commit", PackageResources.pre_commit, isProgram: true))
      files.append(File(".pre-commit-config.yaml", PackageResources.pre_commit_yaml))
    }
    if answers.editor == .vscode {
      files.append(File(".vscode/settings.json", PackageResources.vscode_json))
    }
    if answers.editor != .none { files.append(File(".editorconfig", PackageResources.editorconfig)) }
    self.files = files
  }

  /// The files that are there and say something else than these would.
  func others(in folder: String) -> [File] {
    files.filter { file in
      let path = Self.join(folder, file.path)
      return FileIdentity(ofLink: path) != nil && Self.bytes(path) != file.bytes
    }
  }

  /// What a `.gitignore` that is there lacks of the lines of ours.
  static func unignored(in folder: String) -> [String] {
    let lines = { (text: String) -> [String] in
      text.split(whereSeparator: \.isNewline).map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }
    let present = Set(lines(String(decoding: bytes(join(folder, ".gitignore")) ?? [], as: UTF8.self)))
    return lines(StarterText.text(PackageResources.gitignore)).filter { !$0.hasPrefix("#") && !present.contains($0) }
  }

  private static func bytes(_ path: String) -> [UInt8]? { try? Input.read(path, limit: .policy) }

  /// Writes the files that aren't there yet, and makes the folders that they need; or says what it would do.
  ///
  /// - Parameters:
  ///   - folder: The repository.
  ///   - isRehearsal: Writes nothing.
  ///   - tell: Called with each file's path as it is done.
  /// - Throws: What couldn't be written; the files before it are there.
  func write(
    into folder: String, isRehearsal: Bool, tell: (String, Fate) -> Void
  ) throws(CommandFailure) {
    for file in files {
      if isRehearsal, FileIdentity(ofLink: Self.join(folder, file.path)) == nil {
        tell(file.path, .planned)
      } else {
        try Self.write(file, into: folder, tell: tell)
      }
    }
  }

  /// Writes a file that isn't there yet.
  static func write(_ file: File, into folder: String, tell: (String, Fate) -> Void) throws(CommandFailure) {
    let path = join(folder, file.path)
    guard FileIdentity(ofLink: path) == nil else { return tell(file.path, .kept) }
    try makeFolders(above: file.path, in: folder)
    do {
      try WholeFile.write(file.bytes, to: path, permissions: file.isProgram ? 0o755 : nil, existing: .keep)
    } catch {
      throw CommandFailure(.failed, error.message, help: "What was written before it is there; run it again.")
    }
    tell(file.path, .written)
  }

  /// Makes the folders that a file needs; some may be there, but none as a link, which may lead out of the repository.
  static func makeFolders(above path: String, in folder: String) throws(CommandFailure) {
    var made = folder
    for part in [""] + path.split(separator: "/").dropLast().map(String.init) {
      if !part.isEmpty { made = join(made, part) }
      if mkdir(made, 0o777) == 0 { continue }
      guard errno == EEXIST else {
        let reason = String(cString: strerror(errno))
        throw CommandFailure(.failed, "can't make the folder '\(VisibleText.of(made))': \(reason)")
      }
      if !part.isEmpty, InputFile.isLink(made) {
        throw CommandFailure(
          .failed, "'\(VisibleText.of(made))' is a link, and nothing is written through links",
          help: "Replace it by a folder.")
      }
    }
  }

  static func join(_ folder: String, _ path: String) -> String {
    folder == "." ? path : folder.hasSuffix("/") ? folder + path : folder + "/" + path
  }
}

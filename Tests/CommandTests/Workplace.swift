import Foundation
import TestSupport

/// A folder of its own with the fixtures that transcripts use, and the tool on the path.
struct Workplace {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let tests = TranscriptTests.folder.deletingLastPathComponent()
    try Self.copy(tests.appending(path: "Fixtures"), into: directory.path)
    let keys = directory.path("policies/keys")
    try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: false)
    let shared = tests.deletingLastPathComponent().appending(path: "Fixtures")
    try Self.copy(shared.appending(path: "examples/keys"), into: keys)
    for (folder, place) in [
      ("evidence/valid", "evidence"), ("evidence/certificates", "fleet/keys"), ("incidents", "incidents"),
      ("mismatch-reports", "reports"),
    ] {
      try FileManager.default.createDirectory(atPath: directory.path(place), withIntermediateDirectories: true)
      try Self.copy(shared.appending(path: folder), into: directory.path(place))
    }
    let examples = tests.deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/examples")
    try Self.copy(examples, into: directory.path)
    // Git keeps only the executable bit of permissions.
    let people = try FileManager.default.contentsOfDirectory(atPath: directory.path("people"))
    let signing = ["release", "second", "third"].map { "signing/\($0).key" }
    for key in signing + people.map({ "people/" + $0 }) where key.hasSuffix(".key") {
      let path = directory.path(key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
  }

  /// A copy of the folder as it is now.
  func copy() throws -> Self {
    let copy = Self(directory: try TemporaryDirectory())
    _ = try TestSupport.run("/bin/cp", ["-a", path + "/.", copy.path])
    return copy
  }

  private init(directory: TemporaryDirectory) { self.directory = directory }

  private static func copy(_ folder: URL, into place: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path()) {
      try FileManager.default.copyItem(atPath: folder.appending(path: name).path(), toPath: place + "/" + name)
    }
  }

  /// Runs a shell command in the folder; nothing of the caller's environment but the path reaches it.
  func run(_ command: String) throws -> RunResult {
    try TestSupport.run("/bin/sh", ["-c", command], environment: environment, directory: directory.path)
  }

  /// Starts a program in the folder, whose output goes to a file of it; signals reach the program itself.
  func start(_ command: String, output: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // `nohup` makes its children ignore SIGHUP, also those of a test run.
    process.arguments = ["-c", "exec env --default-signal \(command) >\(output) 2>&1"]
    process.environment = environment
    process.currentDirectoryURL = URL(filePath: directory.path)
    try process.run()
    return process
  }

  var environment: [String: String] {
    ["PATH": Self.toolFolder + ":/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8", "HOME": directory.path]
  }

  /// The folder.
  var path: String { directory.path }

  func read(_ name: String) throws -> String { String(decoding: try directory.read(name), as: UTF8.self) }

  /// Writes a file of the folder, and the folders above it.
  func write(_ bytes: some Collection<UInt8>, to name: String) throws {
    let file = URL(filePath: directory.path(name))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  func write(_ text: String, to name: String) throws {
    try write(Array(text.utf8), to: name)
  }

  /// The text without what differs from run to run.
  func normalised(_ text: String) -> String {
    text.replacingOccurrences(of: directory.path, with: "/workplace")
  }

  /// The tool's path, for shells that aren't started here.
  var tool: String { Self.toolFolder + "/pintle" }

  /// A folder with the `pintle` that the build put beside the test bundle, and without the programs that it looks for.
  private static let toolFolder: String = {
    let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "pintle").path()
    let place = ownFolder.path("pintle")
    do {
      // A hard link if possible, because the program is large. With a symbolic link it would find the files beside the
      // original.
      try FileManager.default.linkItem(atPath: built, toPath: place)
    } catch {
      // Copied by another process: a program that is still open for writing, perhaps in a child that another test has
      // just forked, can't be run ("Text file busy").
      do { _ = try TestSupport.run("/bin/cp", [built, place]) } catch {
        preconditionFailure("can't copy \(built): \(error)")
      }
    }
    return ownFolder.path
  }()

  private static let ownFolder: TemporaryDirectory = {
    do { return try TemporaryDirectory() } catch { preconditionFailure("no temporary folder: \(error)") }
  }()
}

import Diagnostics
import Glibc
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRules

/// A file of default options that the command line or the environment names.
///
/// It is never searched for: a file that nobody named must not say what a policy is judged by.
struct DefaultsFile {
  static let variable = "PINTLE_DEFAULTS"

  let path: String
  let options: [(name: String, value: Located<String>)]

  /// Reads the file of `--defaults`, else of the environment.
  ///
  /// - Parameter arguments: The options of the command line.
  /// - Returns: The file; nil if neither names one.
  /// - Throws: ``CommandFailure`` if it can't be read or isn't such a file, or if it is in the repository around the
  ///   working directory.
  static func named(in arguments: ArraySlice<String>) throws(CommandFailure) -> DefaultsFile? {
    let option = "--defaults"
    var given: String?
    for (index, argument) in zip(arguments.indices, arguments) {
      if argument.hasPrefix(option + "=") { given = String(argument.dropFirst(option.count + 1)) }
      if argument == option, index + 1 < arguments.endIndex { given = arguments[index + 1] }
    }
    let path = given ?? getenv(variable).map { String(cString: $0) } ?? ""
    guard !path.isEmpty else { return nil }
    return try DefaultsFile(path)
  }

  private init(_ path: String) throws(CommandFailure) {
    self.path = path
    guard path != "-" else { throw CommandFailure(.usage, "the defaults can't be read from standard input") }
    let bytes = try Input.read(path, limit: .defaults)
    let sources = SourceSet([SourceSet.File(path: path, bytes: bytes)])
    let (defaults, problems) = ProjectDefaults.read(bytes, file: FileID(0))
    guard problems.isEmpty else {
      Console.say(try Self.text(problems, sources))
      throw CommandFailure(
        .usage, "the defaults file '\(path)' can't be used", help: "Fix the errors above, or don't use the file.")
    }
    options = defaults.options
    let repository = Self.real(".").flatMap { Self.nearest(to: $0, with: ".git") }
    if let repository { try require(outside: repository) }
  }

  private static func text(_ problems: [PolicyProblem], _ sources: SourceSet) throws(CommandFailure) -> String {
    let none: Policy
    do { none = try PolicyDirectory.empty.policy() } catch { throw CommandFailure(.failed, error.message) }
    return TextRenderer().render(
      Report(
        diagnostics: OtherFileFindings.diagnostics(of: problems, in: sources, none, at: TimeArgument.now),
        sources: sources, rules: [], tool: .pintle,
        instant: TimeArgument.now.description))
  }

  /// Rejects a file that a change of the policy could change as well.
  func requireOutside(_ policy: [String]) throws(CommandFailure) {
    for path in policy {
      // The command itself reports a path that doesn't exist.
      guard let real = Self.real(path) else { continue }
      let folder = InputFile.isFolder(real) ? real : Self.folder(of: real)
      let whole = Self.nearest(to: folder, with: ".git") ?? Self.nearest(to: folder, with: "manifest.yaml")
      try require(outside: whole ?? folder)
    }
  }

  private func require(outside folder: String) throws(CommandFailure) {
    guard isIn(folder) else { return }
    throw CommandFailure(
      .usage, "the defaults file '\(path)' is in '\(folder)', together with the policy",
      help: "A change of the policy could change what it is compared with. Keep the file outside of that directory.")
  }

  /// True if the file is in a directory, or a link or a directory that leads to it.
  private func isIn(_ folder: String) -> Bool {
    func contains(_ path: String) -> Bool { (path + "/").hasPrefix(folder == "/" ? "/" : folder + "/") }
    var parent = path.hasPrefix("/") ? "/" : "."
    for name in path.split(separator: "/") {
      if name != ".", name != "..", let real = Self.real(parent), contains(real) { return true }
      parent += "/" + name
    }
    return Self.real(path).map(contains) ?? false
  }

  /// The nearest directory from this one up that has such a file; nil if there is none.
  private static func nearest(to folder: String, with file: String) -> String? {
    var folder = folder
    while access(folder + "/" + file, F_OK) != 0 {
      guard folder != "/", !folder.isEmpty else { return nil }
      folder = Self.folder(of: folder)
    }
    return folder
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The absolute path without links; nil if nothing is there.
  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The value of an option, its path made one of the file's folder.
  func resolved(_ name: String, _ value: String) -> String {
    func path(_ text: String) -> String { text.hasPrefix("/") ? text : Self.folder(of: self.path) + "/" + text }
    switch name {
    case "against": return ReleasedSource(value).isSigned ? path(value) : value
    case "evidence": return path(value)
    case "trust-store":
      let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
      return parts[0] + "=" + path(parts[1])
    default: return value
    }
  }
}

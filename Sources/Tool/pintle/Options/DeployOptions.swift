import ArgumentParser
import Diagnostics
import Glibc
import PinPolicy
import PinProbe
import PinStudies

extension Policy.ClientKind: ExpressibleByArgument {}

/// What `decide` asks about a folder of releases.
struct DeployOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The chain that the server sends now (PEM), to say whether keeping it is better.", valueName: "file"),
    completion: .file())
  var served: String?

  @Option(
    help: ArgumentHelp(
      "With a folder: how long clients may run a release after the next one; 90d unless given, as in policies.",
      valueName: "duration"), transform: MaximumAgeArgument.read)
  var clientMaxAge: MaximumAgeArgument?

  @Option(
    help: ArgumentHelp(
      "With a folder: a kind of client, as in a policy's 'clients:'. Repeatable.", valueName: "kind"))
  var clients: [Policy.ClientKind] = []

  @Option(
    help: ArgumentHelp(
      "With a folder: succeed although clients are locked out, for this reason; requires --record.",
      valueName: "reason"))
  var acceptLockout: String?

  @Option(
    help: ArgumentHelp(
      "The file to which an accepted lockout is appended, one line of JSON each.", valueName: "file"),
    completion: .file())
  var record: String?

  func validate() throws {
    if (acceptLockout == nil) != (record == nil) {
      throw ValidationError("--accept-lockout and --record are given together.")
    }
    if let acceptLockout, acceptLockout.allSatisfy(\.isWhitespace) {
      throw ValidationError("--accept-lockout needs a reason.")
    }
  }

  /// The first option that is given, as it is written.
  var given: String? {
    let all = [
      ("--served", served != nil), ("--client-max-age", clientMaxAge != nil), ("--clients", !clients.isEmpty),
      ("--accept-lockout", acceptLockout != nil),
    ]
    return all.first(where: \.1)?.0
  }

  func servedChain() throws(CommandFailure) -> [[UInt8]]? {
    guard let served else { return nil }
    return try ChainFile(try Input.read(served, limit: .bundle), of: served).certificates
  }

  /// Appends a line to the record, whole, before the answer is printed.
  func append(_ line: String) throws(CommandFailure) {
    guard let record else { return }
    func fail() -> CommandFailure {
      CommandFailure(
        .failed, "can't write to '\(VisibleText.of(record))': \(String(cString: strerror(errno)))",
        help: "The lockout isn't accepted, because there is no record of it. Name a file that can be written.")
    }
    let descriptor = open(record, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw fail() }
    defer { close(descriptor) }
    let bytes = Array(line.utf8)
    let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    // Devices and pipes have no disk.
    guard written == bytes.count, fsync(descriptor) == 0 || errno == EINVAL else { throw fail() }
  }
}

/// A duration of policies on the command line, in seconds.
struct MaximumAgeArgument: ExplainedArgument {
  static let howTo = "Write a duration in days, hours or minutes: 90d, 12h or 30m."

  let seconds: Int64

  init?(argument: String) {
    guard let seconds = WrittenDuration.seconds(argument) else { return nil }
    self.seconds = seconds
  }
}

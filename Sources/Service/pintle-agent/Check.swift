#if Service
import ArgumentParser
import Glibc
import PinFormat
import PinValidator

/// Says whether what is in the folder is fresh: for people, monitoring and probes.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say whether the manifest in a folder is fresh.",
    discussion: """
      Reads the agent's status.json in the folder, and compares the manifest with it. Signatures are verified by the \
      agent and by each client, not here.

      EXIT STATUS:
        0   the manifest hasn't expired, and the last successful round isn't too old
        1   the agent doesn't run, or its status can't be read
        6   the manifest is missing, has expired or isn't what the agent wrote, or fetching has failed for too long
        64  wrong usage
      """)

  @Argument(help: ArgumentHelp("The folder that the agent writes to.", valueName: "folder"))
  var folder: String

  @Option(
    help: ArgumentHelp(
      "How many seconds old the last successful round may be. (default: three intervals of the agent)",
      valueName: "seconds"))
  var maxAge: Int64?

  @Flag(help: "Only check that the agent runs and has a manifest: for probes, because a restart doesn't end an outage.")
  var alive = false

  /// How old the status of an agent that runs may be, in seconds: four turns.
  private static let statusAge: Int64 = 60

  func validate() throws {
    if let maxAge, maxAge < 1 { throw ValidationError("--max-age is at least 1 second.") }
    if alive, maxAge != nil { throw ValidationError("--alive checks no age, so it can't be combined with --max-age.") }
  }

  func run() throws {
    let now = Instant(secondsSinceEpoch: Int64(time(nil)))
    let status: AgentStatus
    do throws(AgentError) { status = try AgentStatus.read(in: folder) } catch {
      throw PintleAgent.fail(error.message + "; does pintle-agent run with this folder?")
    }
    guard let age = Self.seconds(since: status.written, at: now), abs(age) <= Self.statusAge else {
      throw PintleAgent.fail("the agent's last status is of \(status.written): it doesn't run, or hangs")
    }
    let problems = try problems(of: status, at: now)
    print((problems.isEmpty ? [summary(of: status, at: now)] : problems).joined(separator: "\n"))
    for note in status.problems { print("note: \(note)") }
    if !problems.isEmpty { throw ExitCode(6) }
  }

  private func problems(of status: AgentStatus, at now: Instant) throws -> [String] {
    guard let manifest = status.manifest else { return ["the folder has no manifest yet"] }
    var problems: [String] = []
    if !isInPlace(manifest) { problems.append("'\(folder)/manifest.json' is not the file that the agent wrote") }
    guard !alive else { return problems }
    if Self.seconds(since: manifest.expires, at: now) ?? 0 >= 0 {
      problems.append("the manifest of serial \(manifest.serial) expired \(manifest.expires)")
    }
    guard let interval = status.interval else {
      guard maxAge == nil else {
        throw ValidationError("The agent only watches files, so leave --max-age out.")
      }
      return problems
    }
    let limit = maxAge ?? Int64(interval) * 3
    guard let age = status.lastRound.flatMap({ Self.seconds(since: $0, at: now) }) else {
      return problems + ["no round has succeeded yet"]
    }
    if age > limit { problems.append("the last successful round was \(age) seconds ago; the limit is \(limit)") }
    return problems
  }

  /// Whether the folder has the file; looks again if the agent may just be replacing it.
  private func isInPlace(_ manifest: AgentStatus.Mirrored) -> Bool {
    var expected = manifest
    for attempt in 0..<3 {
      if attempt > 0 {
        usleep(200_000)
        expected = (try? AgentStatus.read(in: folder))?.manifest ?? expected
      }
      let bytes = try? WholeFile.read(
        folder + "/" + MirrorFolder.manifestName, limit: LoadedManifest.defaultMaximumBytes, onlyRegular: true)
      if let bytes, AgentStatus.Mirrored.digest(of: bytes) == expected.sha256 { return true }
    }
    return false
  }

  private func summary(of status: AgentStatus, at now: Instant) -> String {
    guard let manifest = status.manifest else { return "" }
    var text = alive ? "alive" : "fresh"
    text += ": serial \(manifest.serial), issued \(manifest.issued), expires \(manifest.expires)"
    if let keyset = status.keyset { text += "; keyset \(keyset)" }
    if let age = status.lastRound.flatMap({ Self.seconds(since: $0, at: now) }) {
      text += "; last successful round \(max(0, age)) seconds ago"
    }
    return text
  }

  private static func seconds(since text: String, at now: Instant) -> Int64? {
    Instant(text.utf8).map { now.seconds(since: $0) }
  }
}
#endif

package import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

/// A store that a command reads and writes, as `exec:COMMAND` names it.
///
/// Its contract is in docs/ci.md. The command is started for each file. What it says it wrote is read again, so that
/// a command that does nothing isn't believed.
package struct CommandTarget: PublicationTarget {
  /// The exit status of `read` where there is no such file.
  ///
  /// No tool that such commands are made of ends with it by itself: a failure must not look like a missing file, or an
  /// older pointer could replace a newer one.
  static let absent: Int32 = 44

  private let command: UserCommand

  package init(_ command: UserCommand) {
    self.command = command
  }

  package var name: String { command.name }

  package func read(_ path: String, limit: Int) throws(WorkFailure) -> [UInt8]? {
    let answer = try run(["read", path], output: "the file", limit: limit, accepted: [0, Self.absent])
    guard answer.status == Self.absent else { return answer.output }
    guard answer.output.isEmpty else {
      throw WorkFailure(
        .failed, "'\(name) read \(path)' wrote \(counted(answer.output.count, "byte")) and ended with \(Self.absent)",
        help: "End with \(Self.absent) only if there is no such file, and write nothing then.")
    }
    return nil
  }

  package func create(_ bytes: [UInt8], at path: String) throws(WorkFailure) {
    do throws(WorkFailure) {
      _ = try run(["create", path], given: bytes)
    } catch {
      // Another publisher may have written the same file, or an earlier attempt arrived late.
      guard let found = try? read(path, limit: InputFile.manifestLimit), found == bytes else { throw error }
      return
    }
    guard try read(path, limit: InputFile.manifestLimit) == bytes else { throw notWritten(path) }
  }

  package func replace(_ path: String, holding old: [UInt8]?, with bytes: [UInt8]) throws(WorkFailure) {
    var digest = "none"
    do { if let old { digest = SHA256Digest(try SHA256.digest(of: old)).hex } } catch {
      throw WorkFailure(.failed, error.message)
    }
    _ = try run(["replace", path, digest], given: bytes)
    guard try read(path, limit: InputFile.manifestLimit) == bytes else { throw notWritten(path) }
  }

  package func tidy(beside paths: [String]) throws(WorkFailure) {}

  package func whileAlone<Answer>(_ body: () throws(WorkFailure) -> Answer) throws(WorkFailure) -> Answer {
    try body()
  }

  private func run(
    _ arguments: [String], given bytes: [UInt8] = [], output: String = "nothing", limit: Int = 4_096,
    accepted: Set<Int32> = [0]
  ) throws(WorkFailure) -> (status: Int32, output: [UInt8]) {
    do {
      return try command.run(arguments, given: bytes, output: output, outputLimit: limit, accepted: accepted)
    } catch {
      // The call, because a command that is right for one may be wrong for another.
      throw WorkFailure(error.kind, error.message + " (\(arguments[0]) \(arguments[1]))", help: error.help)
    }
  }

  private func notWritten(_ path: String) -> WorkFailure {
    WorkFailure(
      .failed, "'\(name)' said that it wrote '\(path)', and then read other bytes or none",
      help: "Check the command, and whether something else writes there, such as another publisher.")
  }
}

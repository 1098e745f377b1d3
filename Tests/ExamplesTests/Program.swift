#if GRPC && HTTPClient && AsyncHTTPClient && Hummingbird && Service
import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing
import TransportSupport

/// A program of examples/ that runs.
final class Program: Sendable {
  /// What it wrote, and how it ended.
  struct Outcome: Sendable {
    let output: String
    let status: Int32
  }

  private static let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  private let process: ChildProcess
  private let files: TemporaryDirectory
  /// How many lines were looked at.
  private let seen = NIOLockedValueBox(0)

  /// Options that name the fixtures' manifest, and the keyset that says who signed it.
  static let pins = pins(by: ["--keyset", TransportFixtures.path("1.keyset.json")])

  /// Options that name the fixtures' manifest.
  ///
  /// - Parameters:
  ///   - trust: What says who signs manifests.
  ///   - audience: The environment; theirs unless given.
  /// - Returns: The options.
  static func pins(by trust: [String], audience: String = "test") -> [String] {
    [
      "--manifest", TransportFixtures.path("manifest.json"), "--audience", audience, "--anchors",
      TransportFixtures.path("root.pem"),
    ] + trust
  }

  /// Starts a program.
  init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    files = try TemporaryDirectory()
    process = try ChildProcess(
      [Self.folder.appendingPathComponent(name).path] + arguments, adding: environment, stdout: files.path("output"))
  }

  /// Runs a program to its end.
  static func run(_ name: String, _ arguments: [String]) async throws -> Outcome {
    try await Program(name, arguments).ended()
  }

  /// Waits for a line with a text, and returns what follows it; nil if the program ended without it.
  func text(behind beginning: String) async -> String? {
    while !Task.isCancelled {
      let isRunning = process.isRunning
      let whole = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      for line in whole.dropFirst(seen.withLockedValue { $0 }) {
        seen.withLockedValue { $0 += 1 }
        if let found = line.range(of: beginning) { return String(line[found.upperBound...]) }
      }
      guard isRunning else { break }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }

  /// Waits until the program has ended.
  func ended() async throws -> Outcome {
    let status = try #require(try await process.ended(within: .seconds(60)), "it didn't end; it wrote: \(output)")
    return Outcome(output: output, status: status)
  }

  /// Asks the program to end, and waits until it has.
  func stop() async throws -> Outcome {
    process.signal(SIGTERM)
    return try await ended()
  }

  private var output: String { String(decoding: (try? files.read("output")) ?? [], as: UTF8.self) }
}
#endif

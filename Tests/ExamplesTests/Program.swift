#if GRPC && HTTPClient && AsyncHTTPClient && Hummingbird && Service
import Foundation
import NIOConcurrencyHelpers
import TransportSupport

/// A program of examples/ that runs.
final class Program: Sendable {
  /// What it wrote, and how it ended.
  struct Outcome: Sendable {
    let output: String
    let status: Int32
  }

  private static let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  private let process: Process
  private let lines: AsyncStream<String>
  private let output = NIOLockedValueBox("")

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
    process = Process()
    process.executableURL = Self.folder.appendingPathComponent(name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    let (lines, continuation) = AsyncStream<String>.makeStream()
    self.lines = lines
    try process.run()
    let file = pipe.fileHandleForReading
    Thread.detachNewThread { [output] in
      var rest = ""
      while true {
        let data = file.availableData
        guard !data.isEmpty else { break }
        let text = String(decoding: data, as: UTF8.self)
        output.withLockedValue { $0 += text }
        let parts = (rest + text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for line in parts.dropLast() { continuation.yield(line) }
        rest = parts.last ?? ""
      }
      continuation.finish()
    }
  }

  /// Runs a program to its end.
  static func run(_ name: String, _ arguments: [String]) async throws -> Outcome {
    try await Program(name, arguments).ended()
  }

  /// Waits for a line with a text, and answers what stands behind it; nil where the program ended without.
  func text(behind beginning: String) async -> String? {
    for await line in lines {
      if let found = line.range(of: beginning) { return String(line[found.upperBound...]) }
    }
    return nil
  }

  /// Waits until the program has ended.
  func ended() async -> Outcome {
    for await _ in lines {}
    process.waitUntilExit()
    return Outcome(output: output.withLockedValue { $0 }, status: process.terminationStatus)
  }

  /// Asks the program to end, and waits until it has.
  func stop() async -> Outcome {
    process.terminate()
    return await ended()
  }
}
#endif

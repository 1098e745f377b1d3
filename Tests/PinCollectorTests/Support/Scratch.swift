#if Collector
import Foundation
import Glibc
import TestSupport

/// A folder that is removed with all that it holds when the process ends, in whatever way a test did.
struct Scratch: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("pin-collector-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    _ = Self.registration
    Self.made.change { [path] in $0.append(path) }
  }

  private static let made = Locked<[String]>([])
  private static let registration: Void = {
    atexit {
      for path in Scratch.made.value { try? FileManager.default.removeItem(atPath: path) }
    }
  }()

  func file(_ name: String) -> String { path + "/" + name }

  func write(_ text: String, to name: String) throws -> String {
    try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    return file(name)
  }

  func read(_ name: String) -> String { (try? String(contentsOfFile: file(name), encoding: .utf8)) ?? "" }
}

/// Files of the repository.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func read(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}

/// A program in the background, ended with its owner.
final class Program: Sendable {
  private let process: ChildProcess
  let scratch: Scratch

  /// Starts a program with its output in the files `out` and `log` of a folder of its own.
  init(_ command: [String], environment: [String: String] = [:]) throws {
    scratch = try Scratch()
    process = try ChildProcess(
      command, adding: environment, directory: scratch.path, stdout: scratch.file("out"), stderr: scratch.file("log"))
  }

  deinit { end() }

  /// Asks it to end, and makes it.
  func end() {
    process.signal(SIGQUIT)
    for _ in 0..<500 where process.isRunning { usleep(10_000) }
    process.signal(SIGKILL)
  }

  var isRunning: Bool { process.isRunning }

  /// The most memory that it has had so far, in KiB.
  func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let line, let peak = Int(line.filter(\.isNumber)) else { throw ProgramError(output: status) }
    return peak
  }

  func signal(_ number: Int32) { process.signal(number) }

  /// Waits for its end and answers its status; nil where it doesn't end.
  func status() async throws -> Int32? { try await process.ended(within: .seconds(30)) }

  /// Waits until something holds, or it has ended.
  func wait(until isReady: () -> Bool) async throws {
    for _ in 0..<3_000 {
      if isReady() { return }
      guard process.isRunning else { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    if !isReady() { throw ProgramError(output: scratch.read("log")) }
  }
}

struct ProgramError: Error {
  var output: String
}
#endif

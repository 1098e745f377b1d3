#if Collector
import Foundation
import Glibc
import TestSupport

@testable import PinCollector

/// A real PostgreSQL server on loopback.
///
/// It refuses to be root: where the tests are, it becomes the user `postgres`.
final class PostgresServer: Sendable {
  let port: Int
  private let data: Scratch
  private let program: Locked<Program?>

  /// One for all tests that don't stop it; each test has a database of its own.
  static let shared: Result<PostgresServer, any Error> = {
    let server = Result { try PostgresServer() }
    if case .success(let server) = server { kept.set(server) }
    // Static properties are never destroyed, so the server is ended at exit.
    atexit { PostgresServer.kept.value?.program.value?.end() }
    return server
  }()

  private static let kept = Locked<PostgresServer?>(nil)

  init() throws {
    data = try Scratch()
    port = Int(try freePort())
    program = Locked(nil)
    if geteuid() == 0 { try Self.run(["chown", "postgres", data.path]) }
    try Self.run(
      Self.asUser + [
        Self.programs + "/initdb", "-D", data.file("data"), "--auth=trust", "--no-sync", "--no-instructions",
        "--locale=C", "--encoding=UTF8",
      ])
    try start()
  }

  /// What libpq needs to reach a new, empty database.
  func database() throws -> String {
    let name = "t" + UUID().uuidString.filter(\.isHexDigit).lowercased()
    let connection = try PostgresConnection.open(settings("postgres"))
    _ = try connection.execute("CREATE DATABASE \(name)")
    return settings(name)
  }

  func settings(_ database: String) -> String { "host=127.0.0.1 port=\(port) user=postgres dbname=\(database)" }

  func start() throws {
    let options = [
      "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=200",
      "shared_buffers=32MB",
    ]
    let started = try Program(
      Self.asUser + [Self.programs + "/postgres", "-D", data.file("data"), "-p", "\(port)"]
        + options.flatMap { ["-c", $0] })
    program.set(started)
    for _ in 0..<1_000 {
      if (try? PostgresConnection.open(settings("postgres"))) != nil { return }
      usleep(10_000)
    }
    throw ProgramError(output: started.scratch.read("log"))
  }

  /// Stops it at once, as a crash would; connections break.
  func stop() async throws {
    program.value?.signal(SIGQUIT)
    _ = try await program.value?.status()
    program.set(nil)
  }

  private static let asUser =
    geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []

  private static let programs: String = {
    let root = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
    return "\(root)/\(versions.max() ?? 0)/bin"
  }()

  private static func run(_ command: [String]) throws {
    let program = try Program(command)
    for _ in 0..<6_000 where program.isRunning { usleep(10_000) }
    guard !program.isRunning else { throw ProgramError(output: program.scratch.read("log")) }
  }
}

/// A value that several threads share.
final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value { lock.withLock { stored } }
  func set(_ value: Value) { lock.withLock { stored = value } }
  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}
#endif

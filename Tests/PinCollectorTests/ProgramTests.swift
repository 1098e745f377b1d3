#if Collector
import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@testable import PinCollector

/// The program as it is installed: arguments, output, signals, exit statuses.
@Suite struct ProgramTests {
  /// Where the build put it: beside the test bundle that is running.
  static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "pintle-collect").path()

  @Test(arguments: [SIGTERM, SIGINT])
  func itListensStoresAndStops(_ signal: Int32) async throws {
    let program = try Program([Self.path, "--listen", "127.0.0.1:0", "--forward", "-"])
    let port = try await Self.port(of: program)
    let client = RunningCollector(port: port, client: .shared)
    #expect(try await client.post(Samples.rfc7469()).status == 204)
    #expect(try await client.get("/").status == 200)
    program.signal(signal)
    #expect(try await program.status() == 0)
    #expect(program.scratch.read("out").hasPrefix("{\"certificates\":"))
    #expect(program.scratch.read("log") == "pintle-collect: listening on http://127.0.0.1:\(port)\n")
    let file = program.scratch.file("pintle-reports.sqlite")
    let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(permissions == 0o600)

    let again = try Program([Self.path, "--listen", "0", "--database", file, "--forward", "lines"])
    let second = RunningCollector(port: try await Self.port(of: again), client: .shared)
    #expect(try await second.get("/v1/hosts").body.contains("api.example.com"))
    try FileManager.default.moveItem(atPath: again.scratch.file("lines"), toPath: again.scratch.file("old"))
    again.signal(SIGHUP)
    try await again.wait { FileManager.default.fileExists(atPath: again.scratch.file("lines")) }
    #expect(try await second.post(Samples.rfc7469()).status == 204)
    #expect(again.scratch.read("old").isEmpty && !again.scratch.read("lines").isEmpty)
    again.signal(signal)
    #expect(try await again.status() == 0)
  }

  @Test func itIsKilledAndLosesNothingThatItAnswered() async throws {
    let scratch = try Scratch()
    let arguments = [Self.path, "--listen", "0", "--database", scratch.file("db")]
    let program = try Program(arguments)
    let client = RunningCollector(port: try await Self.port(of: program), client: .shared)
    for number in 0..<20 { #expect(try await client.post(Samples.rfc7469(host: "h\(number).test")).status == 204) }
    program.signal(SIGKILL)
    _ = try await program.status()
    let again = try Program(arguments)
    let second = RunningCollector(port: try await Self.port(of: again), client: .shared)
    #expect(try await second.get("/v1/status").body.contains(#""reports":20"#))
  }

  @Test func itServesHTTPS() async throws {
    let folder = Repository.root.appending(path: "Tests/Fixtures/transports")
    let program = try Program([
      Self.path, "--listen", "0", "--tls-certificate", folder.appending(path: "allowed.test/chain.pem").path(),
      "--tls-key", folder.appending(path: "allowed.test/key.pem").path(),
    ])
    try await program.wait { program.scratch.read("log").contains("listening on https://127.0.0.1:") }
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(folder.appending(path: "root.pem").path())
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.dnsOverride = ["allowed.test": "127.0.0.1"]
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let reply = try await client.execute(
      HTTPClientRequest(url: "https://allowed.test:\(try await Self.port(of: program))/healthz"), timeout: .seconds(20))
    #expect(reply.status.code == 200)
    try await client.shutdown()
  }

  static let failures: [([String], Int32, String)] = [
    (["--nothing"], 64, "Unknown option '--nothing'"),
    (["--listen", "nowhere"], 64, "The value 'nowhere' is invalid for '--listen"),
    (["--listen", "1.2.3.4:70000"], 64, "is invalid for '--listen"),
    (["--database", "a", "--postgres", "b"], 64, "Give --database or --postgres, not both."),
    (["--tls-key", "a"], 64, "--tls-certificate and --tls-key belong together."),
    (["--keep-days", "0"], 64, "--keep-days is from 1 to 3650."),
    (["--host-name", "pins.example.org:443"], 64, "--host-name is a name without a port"),
    (["--trusted-proxy", "10.0.0.0/33"], 64, "The value '10.0.0.0/33' is invalid for '--trusted-proxy"),
    (["--overall-rate", "1"], 64, "--overall-rate is from --rate to 1000000."),
    (["--burst", "60", "--overall-burst", "119"], 64, "--overall-burst is from twice --burst to 10000000."),
    (["--accept-host", ".example.com"], 64, "--accept-host is a domain in small letters"),
    (["--listen", "0", "--database", "/nowhere/at/all"], 1, "error: can't open '/nowhere/at/all'"),
    (["--listen", "0", "--database", "/etc/passwd"], 1, "error: can't open '/etc/passwd': file is not a database"),
    (["--listen", "0", "--postgres", "host=127.0.0.1 port=1"], 1, "error: PostgreSQL: "),
    (["--listen", "192.0.2.1:8464"], 1, "error: can't listen on 192.0.2.1 port 8464"),
    (["--listen", "0", "--token-file", "/nowhere"], 1, "error: can't read the token in '/nowhere'"),
    (["--listen", "0", "--token-file", "/etc/debian_version"], 1, "it needs 16 to 1024"),
    (["--listen", "0", "--forward", "/nowhere/x"], 1, "error: can't open '/nowhere/x'"),
    (
      ["--listen", "0", "--tls-certificate", "/dev/null", "--tls-key", "/dev/null"], 1,
      "error: can't use the certificate"
    ),
  ]

  @Test(arguments: failures)
  func whatCannotWorkSaysWhy(_ arguments: [String], _ status: Int32, _ message: String) async throws {
    let program = try Program([Self.path] + arguments)
    #expect(try await program.status() == status)
    #expect(program.scratch.read("log").contains(message), "\(program.scratch.read("log"))")
  }

  @Test func theHelpHasExamplesAndStatuses() async throws {
    let program = try Program([Self.path, "--help"])
    #expect(try await program.status() == 0)
    try Snapshot.check(program.scratch.read("out"), "help.txt")
  }

  /// The port that it says it listens on.
  static func port(of program: Program) async throws -> Int {
    try await program.wait { program.scratch.read("log").contains("listening on ") }
    let line = program.scratch.read("log").split(separator: "\n").first { $0.contains("listening on ") }
    return try #require(line?.split(separator: ":").last.flatMap { Int($0) })
  }
}
#endif

import Foundation
import Glibc

/// A real database server on loopback, PostgreSQL, that takes TLS after an SSLRequest.
///
/// It refuses to be root: where the tests are, it becomes the user `postgres`.
package final class PostgresServer: Sendable {
  package let port: UInt16
  private let program: BackgroundProgram
  private let directory: TemporaryDirectory

  /// Makes a database and starts a server; without a certificate it has TLS switched off.
  package init(certificate: TestCertificate?, chain: [TestCertificate] = []) throws {
    directory = try TemporaryDirectory()
    port = try freePort()
    let programs = try Self.programs()
    let data = directory.path("data")
    try directory.write("", to: "data/.keep")
    try FileManager.default.removeItem(atPath: directory.path("data/.keep"))
    var options = [
      "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=10",
      "ssl=\(certificate == nil ? "off" : "on")",
    ]
    if let certificate {
      let bundle = try directory.write(([certificate] + chain).flatMap(\.pem), to: "server.pem")
      let key = try directory.write(try readFile(certificate.keyPath), to: "server.key")
      try runSuccessfully("chmod", ["600", key])
      options += ["ssl_cert_file=\(bundle)", "ssl_key_file=\(key)"]
    }
    var asUser: [String] = []
    if geteuid() == 0 {
      try runSuccessfully("chown", ["-R", "postgres", directory.path])
      asUser = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    }
    let initdb = ["\(programs)/initdb", "-D", data, "--auth=trust", "--no-sync", "--no-instructions", "--locale=C"]
    try runSuccessfully("env", asUser + initdb)
    // At SIGQUIT it stops at once and frees its shared memory, which it can't if it is killed.
    program = try BackgroundProgram(
      asUser + ["\(programs)/postgres", "-D", data, "-p", "\(port)"] + options.flatMap { ["-c", $0] },
      ending: .group(asking: SIGQUIT))
    try program.waitUntilListening(on: port)
  }

  /// Debian keeps each version in a directory of its own; the newest is taken.
  private static func programs() throws -> String {
    let root = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
    guard let version = versions.max() else {
      throw RunError.notStarted(program: "postgres", reason: "there is no version in \(root)")
    }
    return "\(root)/\(version)/bin"
  }
}

import Foundation
import Glibc

/// A real mail server on loopback, postfix, that speaks SMTP with STARTTLS and takes no mail.
///
/// Its master starts the daemons from a configuration and a queue of their own; it has to be root.
package final class PostfixServer: Sendable {
  package let port: UInt16
  private let program: BackgroundProgram
  private let directory: TemporaryDirectory

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - certificate: What it proves itself with; without one it offers no STARTTLS.
  ///   - alternative: A second one, with an RSA key.
  ///   - chain: What is sent behind each of them.
  /// - Throws: `RunError` with what the server said, where it can't be started.
  package init(
    certificate: TestCertificate?, alternative: TestCertificate? = nil, chain: [TestCertificate] = []
  ) throws {
    directory = try TemporaryDirectory()
    port = try freePort()
    var lines = ["smtpd_tls_security_level = \(certificate == nil ? "none" : "may")"]
    let identities = [certificate, alternative].compactMap { $0 }
    var files: [String] = []
    for (number, identity) in identities.enumerated() {
      files.append(try directory.write(try readFile(identity.keyPath), to: "\(number).key"))
      files.append(try directory.write(([identity] + chain).flatMap(\.pem), to: "\(number).pem"))
    }
    if !files.isEmpty { lines.append("smtpd_tls_chain_files = \(files.joined(separator: ", "))") }
    try directory.write(Self.main(directory.path) + lines.joined(separator: "\n") + "\n", to: "etc/main.cf")
    try directory.write(Self.services(port), to: "etc/master.cf")
    for folder in Self.folders { try directory.write("", to: "\(folder)/.keep") }
    try runSuccessfully("chown", ["postfix", directory.path("data")] + Self.queues.map(directory.path))
    program = try BackgroundProgram(
      ["/usr/lib/postfix/sbin/master", "-d", "-c", directory.path("etc")], ending: .group(asking: SIGTERM))
    do {
      try program.waitUntilListening(on: port)
    } catch {
      // The daemons write their own log.
      let log = String(decoding: (try? directory.read("log")) ?? [], as: UTF8.self)
      throw RunError.failed(command: "postfix", status: -1, stderr: "\(error)\n\(log)")
    }
  }

  private static let queues = ["private", "public", "active", "incoming", "maildrop", "deferred", "defer", "bounce"]
    .map { "queue/\($0)" }

  private static let folders = queues + ["queue/pid", "data"]

  private static func main(_ place: String) -> String {
    """
    compatibility_level = 3.6
    queue_directory = \(place)/queue
    data_directory = \(place)/data
    command_directory = /usr/sbin
    daemon_directory = /usr/lib/postfix/sbin
    shlib_directory = /usr/lib/postfix
    maillog_file = \(place)/log
    maillog_file_prefixes = \(place)
    inet_interfaces = 127.0.0.1
    inet_protocols = ipv4
    myhostname = mail.example.com
    mydestination =
    alias_maps =
    local_recipient_maps =
    smtpd_peername_lookup = no

    """
  }

  private static func services(_ port: UInt16) -> String {
    """
    127.0.0.1:\(port) inet n - n - - smtpd
    anvil unix - - n - 1 anvil
    proxymap unix - - n - - proxymap
    tlsmgr unix - - n 1000? 1 tlsmgr
    postlog unix-dgram n - n - 1 postlogd

    """
  }
}

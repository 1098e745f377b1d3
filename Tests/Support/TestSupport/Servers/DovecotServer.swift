import Glibc

/// A real mail store on loopback, dovecot, that speaks IMAP and POP3 with STARTTLS.
package final class DovecotServer: Sendable {
  package let imapPort: UInt16
  package let pop3Port: UInt16
  private let program: BackgroundProgram
  private let directory: TemporaryDirectory

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - certificate: What it proves itself with; without one it offers no TLS.
  ///   - alternative: A second one, for another type of key.
  ///   - chain: What is sent behind each of them.
  /// - Throws: `RunError` with what the server said, where it can't be started.
  package init(
    certificate: TestCertificate?, alternative: TestCertificate? = nil, chain: [TestCertificate] = []
  ) throws {
    directory = try TemporaryDirectory()
    imapPort = try freePort()
    pop3Port = try freePort()
    var lines = certificate == nil ? ["ssl = no"] : ["ssl = yes", "ssl_min_protocol = TLSv1.2"]
    for (option, identity) in [("ssl", certificate), ("ssl_alt", alternative)] {
      guard let identity else { continue }
      let bundle = try directory.write(([identity] + chain).flatMap(\.pem), to: "\(option).pem")
      lines += ["\(option)_cert = <\(bundle)", "\(option)_key = <\(identity.keyPath)"]
    }
    let text = Self.configuration(directory.path, imap: imapPort, pop3: pop3Port) + lines.joined(separator: "\n") + "\n"
    let configuration = try directory.write(text, to: "dovecot.conf")
    program = try BackgroundProgram(
      ["/usr/sbin/dovecot", "-F", "-c", configuration], ending: .group(asking: SIGTERM))
    try program.waitUntilListening(on: imapPort)
    try program.waitUntilListening(on: pop3Port)
  }

  /// Nobody can log in, and no directory of the system's is used.
  private static func configuration(_ place: String, imap: UInt16, pop3: UInt16) -> String {
    """
    base_dir = \(place)/run
    state_dir = \(place)/run
    log_path = /dev/stderr
    protocols = imap pop3
    listen = 127.0.0.1
    default_login_user = nobody
    default_internal_user = nobody
    default_internal_group = nogroup
    passdb {
      driver = passwd-file
      args = /dev/null
    }
    userdb {
      driver = passwd-file
      args = /dev/null
    }
    service anvil {
      chroot =
    }
    service stats {
      chroot =
    }
    service imap-login {
      chroot =
      inet_listener imap {
        port = \(imap)
      }
      inet_listener imaps {
        port = 0
      }
    }
    service pop3-login {
      chroot =
      inet_listener pop3 {
        port = \(pop3)
      }
      inet_listener pop3s {
        port = 0
      }
    }

    """
  }
}

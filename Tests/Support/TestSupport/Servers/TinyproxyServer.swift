/// A real HTTP proxy on loopback, tinyproxy, that connects wherever it is asked to.
package final class TinyproxyServer: Sendable {
  package let port: UInt16
  private let program: BackgroundProgram
  private let directory: TemporaryDirectory

  /// Starts a proxy and waits until it listens; it lets connections to one port through and refuses all others.
  ///
  /// With a user it asks for the password.
  package init(connectingTo allowed: UInt16, user: String? = nil, password: String = "") throws {
    directory = try TemporaryDirectory()
    port = try freePort()
    let configuration = try directory.write(
      """
      Port \(port)
      Listen 127.0.0.1
      Timeout 60
      MaxClients 64
      Allow 127.0.0.1
      ConnectPort \(allowed)
      \(user.map { "BasicAuth \($0) \(password)" } ?? "")

      """, to: "tinyproxy.conf")
    program = try BackgroundProgram(["/usr/bin/tinyproxy", "-d", "-c", configuration])
    try program.waitUntilListening(on: port)
  }
}

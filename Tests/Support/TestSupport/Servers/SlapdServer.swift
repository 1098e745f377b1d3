/// A real directory server on loopback, OpenLDAP's slapd, that speaks LDAP with StartTLS and holds nothing.
package final class SlapdServer: Sendable {
  package let port: UInt16
  private let program: BackgroundProgram
  private let directory: TemporaryDirectory

  /// Starts a server and waits until it listens; without a certificate it offers no StartTLS.
  package init(certificate: TestCertificate?, chain: [TestCertificate] = []) throws {
    directory = try TemporaryDirectory()
    port = try freePort()
    var lines = ["include /etc/ldap/schema/core.schema", "pidfile \(directory.path("pid"))"]
    if let certificate {
      let bundle = try directory.write(([certificate] + chain).flatMap(\.pem), to: "server.pem")
      lines += ["TLSCertificateFile \(bundle)", "TLSCertificateKeyFile \(certificate.keyPath)"]
    }
    let configuration = try directory.write(lines.joined(separator: "\n") + "\n", to: "slapd.conf")
    program = try BackgroundProgram(
      ["/usr/sbin/slapd", "-d", "0", "-f", configuration, "-h", "ldap://127.0.0.1:\(port)"])
    try program.waitUntilListening(on: port)
  }
}

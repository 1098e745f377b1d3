import Foundation

/// A real nginx on loopback, one process in the foreground, with one server block for each site.
package final class NginxServer: Sendable {
  /// The port of all sites that ask for none of their own.
  package let port: UInt16
  private let program: BackgroundProgram
  private let directory: TemporaryDirectory

  /// What one name is answered with.
  package struct Site: Sendable {
    /// What the server proves itself with: certificates in the order of sending, the first with its key.
    package struct Identity: Sendable {
      package var certificates: [TestCertificate]

      package init(_ certificates: [TestCertificate]) {
        self.certificates = certificates
      }
    }

    /// The name that a client asks for (SNI).
    package var name: String
    /// One for each type of key; none for a site without TLS.
    package var identities: [Identity]
    package var address: String
    /// A port of its own, as for other versions of TLS, which nginx takes from a port's first site; nil for the
    /// shared one, where a name that no site has is refused with an alert.
    package var port: UInt16?
    /// Further lines of the server block.
    package var directives: [String]
    /// The folder of the files that are served; without one, each answer is empty.
    package var root: String?

    package init(
      _ name: String, _ identities: [Identity], address: String = "127.0.0.1", port: UInt16? = nil,
      directives: [String] = [], root: String? = nil
    ) {
      self.name = name
      self.identities = identities
      self.address = address
      self.port = port
      self.directives = directives
      self.root = root
    }
  }

  /// Starts nginx and waits until it listens.
  ///
  /// It serves whatever it is given, also what OpenSSL would call too weak. With a clock ahead, such as `+2d`, it
  /// runs under libfaketime, and so does its `Date` field.
  package init(_ sites: [Site], clockAhead: String? = nil) throws {
    directory = try TemporaryDirectory()
    port = try freePort()
    try directory.write(Self.opensslConfiguration, to: "openssl.cnf")
    var blocks: [String] = []
    for address in Set(sites.filter { $0.port == nil }.map(\.address)).sorted() {
      blocks.append("server { listen \(address):\(port) ssl default_server; ssl_reject_handshake on; }")
    }
    for (number, site) in sites.enumerated() {
      blocks.append(try Self.block(of: site, number: number, sharedPort: port, in: directory))
    }
    let configuration = try directory.write(
      Self.configuration(blocks, in: directory.path), to: "nginx.conf")
    var variables = ["OPENSSL_CONF": directory.path("openssl.cnf")]
    if let clockAhead {
      variables["LD_PRELOAD"] = Self.libfaketime
      variables["FAKETIME"] = clockAhead
      variables["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
      // Otherwise it reads FAKETIME only every ten seconds, and a lost variable would show only in slow runs.
      variables["FAKETIME_NO_CACHE"] = "1"
    }
    program = try BackgroundProgram(
      ["/usr/sbin/nginx", "-p", directory.path, "-c", configuration, "-e", "stderr"], adding: variables)
    for (address, port) in sites.map({ ($0.address, $0.port ?? port) }) {
      try program.waitUntilListening(on: port, of: address)
    }
  }

  private static func block(
    of site: Site, number: Int, sharedPort: UInt16, in directory: TemporaryDirectory
  ) throws -> String {
    let address = site.address.contains(":") ? "[\(site.address)]" : site.address
    var lines = ["listen \(address):\(site.port ?? sharedPort)\(site.identities.isEmpty ? "" : " ssl");"]
    lines.append("server_name \(site.name);")
    for (place, identity) in site.identities.enumerated() {
      guard let leaf = identity.certificates.first else { continue }
      let bundle = try directory.write(identity.certificates.flatMap(\.pem), to: "\(number)-\(place).pem")
      lines += ["ssl_certificate \(bundle);", "ssl_certificate_key \(leaf.keyPath);"]
    }
    lines += site.directives + [site.root.map { "root \($0);" } ?? "return 200;"]
    return "server {\n" + lines.map { "    \($0)\n" }.joined() + "  }"
  }

  private static func configuration(_ blocks: [String], in place: String) -> String {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(place)/\($0);" }
    return """
      # nginx drops its environment once it has begun, and libfaketime looks there again.
      env FAKETIME;
      daemon off; master_process off; pid \(place)/pid; error_log stderr;
      events { worker_connections 4096; }
      http {
        access_log off;
        \(temporary.joined(separator: " "))
        server_names_hash_bucket_size 128;
        ssl_protocols TLSv1.2 TLSv1.3;
        \(blocks.joined(separator: "\n  "))
      }

      """
  }

  private static let opensslConfiguration = """
    openssl_conf = all
    [all]
    ssl_conf = tls
    [tls]
    system_default = lenient
    [lenient]
    MinProtocol = TLSv1
    CipherString = DEFAULT@SECLEVEL=0

    """

  private static var libfaketime: String {
    #if arch(x86_64)
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
    #else
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"
    #endif
  }
}

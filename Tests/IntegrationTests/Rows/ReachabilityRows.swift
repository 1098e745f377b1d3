import TestSupport

extension Setup {
  /// Real servers that can't be asked.
  static let reachabilityRows: [Setup] = [
    Setup("refused", "nothing listens on the port", expects: [.error("P531", "refused.test:443")]) { _ in
      [.listening(port: try freePort(), owner: nil)]
    },
    Setup("unknown-to-server", "nginx refuses a name that it doesn't serve", expects: [.error("P533", "unrecognized")])
    {
      scene in
      [.unknownToNginx]
    },
    Setup("plain-http", "a web server without TLS", expects: [.error("P534")]) { _ in
      [.nginxPort(try freePort(), [])]
    },
    Setup("old-version", "TLS 1.1 is all that the server speaks", expects: [.error("P534", "1.2")]) { scene in
      let leaf = try scene.leaf()
      return [
        .nginxPort(try freePort(), [.init([leaf, scene.shared.issuing])], directives: ["ssl_protocols TLSv1.1;"])
      ]
    },
  ]
}

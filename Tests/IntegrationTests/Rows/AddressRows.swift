import TestSupport

extension Setup {
  /// Names with several addresses or none, from a real name server, and proxies.
  static let addressRows: [Setup] = [
    Setup("two-addresses", "a name with two addresses, both with a pinned key", expects: []) { scene in
      let port = try scene.resolved()
      let leaf = try scene.leaf()
      return ["127.0.0.1", "127.0.0.2"].map {
        .nginxPort(port, [.init([leaf, scene.shared.issuing])], address: $0)
      }
    },
    Setup(
      "one-address-unpinned", "a name with two addresses, of which one serves a key that isn't pinned",
      policy: SetupPolicy(active: ["leaf"]), expects: [.error("P520", "127.0.0.2")]
    ) { scene in
      let port = try scene.resolved()
      let pinned = try scene.leaf()
      let other = try scene.leaf(as: "other")
      return [
        .nginxPort(port, [.init([pinned, scene.shared.issuing])]),
        .nginxPort(port, [.init([other, scene.shared.issuing])], address: "127.0.0.2"),
      ]
    },
    Setup(
      "both-families", "a name with an IPv4 and an IPv6 address, of which the second serves an unpinned key",
      policy: SetupPolicy(active: ["leaf"]), expects: [.error("P520", "::1")]
    ) { scene in
      let port = try scene.resolved()
      let pinned = try scene.leaf()
      let other = try scene.leaf(as: "other")
      return [
        .nginxPort(port, [.init([pinned, scene.shared.issuing])]),
        .nginxPort(port, [.init([other, scene.shared.issuing])], address: "::1"),
      ]
    },
    Setup(
      "one-address-expired", "a name with two addresses, of which one has an expired leaf",
      expects: [.error("P504", "127.0.0.2")]
    ) { scene in
      let port = try scene.resolved()
      return [
        .nginxPort(port, [.init([try scene.leaf(), scene.shared.issuing])]),
        .nginxPort(
          port, [.init([try scene.leaf { $0.notAfter = "2024-01-01" }, scene.shared.issuing])], address: "127.0.0.2"),
      ]
    },
    Setup(
      "one-address-down", "a name with two addresses, of which one refuses connections",
      expects: [.warning("P531", "127.0.0.2")]
    ) { scene in
      let port = try scene.resolved()
      return [.nginxPort(port, [.init([try scene.leaf(), scene.shared.issuing])])]
    },
    Setup(
      "one-family-unknown", "the DNS server answers for A and refuses to for AAAA",
      expects: [.warning("P530", "was probed only at 127.0.0.1: its IPv6 addresses could not be looked up")]
    ) { scene in
      let port = try scene.resolved()
      return [.nginxPort(port, [.init([try scene.leaf(), scene.shared.issuing])])]
    },
    Setup("unknown-name", "the name doesn't exist", expects: [.error("P530", "unknown-name.test")]) { scene in
      _ = try scene.resolved()
      return []
    },
    Setup("no-address", "the name exists and has no address", expects: [.error("P530", "no-address.test")]) { scene in
      _ = try scene.resolved()
      return []
    },
    Setup("proxied", "through tinyproxy", expects: []) { scene in
      let server = try TestServer(certificate: try scene.leaf(), chain: scene.shared.issuing.path)
      let proxy = try TinyproxyServer(connectingTo: server.port)
      scene.environment["HTTPS_PROXY"] = "http://127.0.0.1:\(proxy.port)"
      return [.listening(port: server.port, owner: [server, proxy] as [any Sendable])]
    },
    Setup(
      "proxy-refuses", "tinyproxy doesn't let connections to this port through", expects: [.error("P536", "403")]
    ) { scene in
      let server = try TestServer(certificate: try scene.leaf(), chain: scene.shared.issuing.path)
      let proxy = try TinyproxyServer(connectingTo: 1)
      scene.environment["HTTPS_PROXY"] = "http://127.0.0.1:\(proxy.port)"
      return [.listening(port: server.port, owner: [server, proxy] as [any Sendable])]
    },
    Setup("not-proxied", "the host is excepted from the proxy", expects: []) { scene in
      scene.environment["HTTPS_PROXY"] = "http://127.0.0.1:1"
      scene.environment["NO_PROXY"] = ".test"
      return [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
  ]
}

extension Scene {
  /// Has the host's addresses looked up, in the name server that all set-ups share, and answers the port of its servers.
  fileprivate mutating func resolved() throws -> UInt16 {
    let port = try freePort()
    policyPort = "\(port)"
    options = ["--resolver", "127.0.0.1:\(shared.names.port)"]
    resolvesHost = true
    return port
  }
}

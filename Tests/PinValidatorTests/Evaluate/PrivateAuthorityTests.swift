import Foundation
import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// A private authority as its tool makes it by default works as an anchor that the policy names.
@Suite struct PrivateAuthorityTests {
  enum Tool: String, CaseIterable {
    case opensslReq = "openssl req -x509"
    case easyRSA = "easy-rsa"
    case certtool
  }

  @Test("works as a named anchor, as made by", arguments: Tool.allCases)
  func worksAsANamedAnchor(_ tool: Tool) throws {
    let made = try Self.make(by: tool)
    let root = try Certificate(der: made.root)
    let request = TrustRequest(
      peer: .server("example.com"), at: Self.today, tlsVersion: .tls13,
      trust: Manifest.Trust(systemAnchors: false, anchors: [SHA256Digest(root.fingerprint)]))
    let evaluator = TrustEvaluator(anchors: try TrustAnchors([]))
    let evaluation = evaluator.evaluate(try ServedChain([made.leaf]), for: request) { _ in made.root }
    guard case .trusted(let chain, _) = evaluation else {
      Issue.record("\(tool.rawValue): \(evaluation)")
      return
    }
    #expect(chain.certificates == [made.leaf, made.root])
  }

  /// The dates are the tools' own, so this is one of the few tests that look at the clock.
  private static var today: Instant { Instant(secondsSinceEpoch: Int64(Date().timeIntervalSince1970) + 60) }

  private static func make(by tool: Tool) throws -> (root: [UInt8], leaf: [UInt8]) {
    let folder = try TemporaryDirectory()
    func run(_ command: String) throws {
      try runSuccessfully("/bin/sh", ["-ec", command], directory: folder.path)
    }
    var root = "root.pem"
    var leaf = "leaf.pem"
    switch tool {
    case .opensslReq:
      try run(
        """
        openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -subj /CN=Corp -days 3650
        openssl req -new -newkey rsa:2048 -nodes -keyout leaf.key -out leaf.csr -subj /CN=example.com
        printf 'subjectAltName=DNS:example.com\\nauthorityKeyIdentifier=keyid\\n' >leaf.ext
        openssl x509 -req -in leaf.csr -CA root.pem -CAkey root.key -out leaf.pem -days 90 -extfile leaf.ext
        """)
    case .easyRSA:
      try run(
        """
        easyrsa() { /usr/share/easy-rsa/easyrsa --batch "$@"; }
        easyrsa init-pki
        EASYRSA_REQ_CN=Corp easyrsa build-ca nopass
        easyrsa --subject-alt-name=DNS:example.com build-server-full example.com nopass
        """)
      root = "pki/ca.crt"
      leaf = "pki/issued/example.com.crt"
    case .certtool:
      try run(
        """
        printf 'cn = Corp\\nca\\ncert_signing_key\\nexpiration_days = 3650\\n' >root.template
        printf 'cn = example.com\\ndns_name = example.com\\ntls_www_server\\nsigning_key\\nexpiration_days = 90\\n' >leaf.template
        certtool --generate-privkey --key-type rsa --outfile root.key
        certtool --generate-self-signed --load-privkey root.key --template root.template --outfile root.pem
        certtool --generate-privkey --key-type rsa --outfile leaf.key
        certtool --generate-certificate --load-privkey leaf.key --load-ca-certificate root.pem \\
          --load-ca-privkey root.key --template leaf.template --outfile leaf.pem
        """)
    }
    func der(_ name: String) throws -> [UInt8] {
      try runSuccessfully("openssl", ["x509", "-in", folder.path(name), "-outform", "DER"])
    }
    return (try der(root), try der(leaf))
  }
}

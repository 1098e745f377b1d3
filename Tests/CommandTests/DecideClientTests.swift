import TestSupport
import Testing

/// `pintle decide --role client`: what a service decides about a client's certificate.
struct DecideClientTests {
  private static let script = """
    mkdir -p mtls/policies/keys && cd mtls/policies/keys
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ../../ca.key -out ca.pem -subj '/CN=Clients CA' -set_serial 1 \\
      -days 3650 -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign 2>&1
    cd ../..
    for use in clientAuth serverAuth; do
      openssl req -new -newkey rsa:2048 -nodes -keyout $use.key -out $use.csr -subj /CN=payments 2>&1
      printf 'extendedKeyUsage=%s\\nsubjectAltName=URI:spiffe://example.org/payments\\n' $use > $use.ext
      openssl x509 -req -in $use.csr -CA policies/keys/ca.pem -CAkey ca.key -set_serial 2 -days 3650 -extfile $use.ext \\
        -out $use.pem 2>&1
    done
    cat policies/keys/ca.pem clientAuth.pem > reversed.pem
    cat > policies/policy.yaml <<END
    version: 1
    owner: sec@example.com
    manifest: { audience: test }
    keys:
      ca: { file: keys/ca.pem, position: root }
      spare: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc= }
    hosts:
      - host: clients.example.com
        keys: { active: [ca], backup: [spare] }
        trust: { anchors: [keys/ca.pem], reason: our own CA }
    END
    pintle key release.key >/dev/null
    pintle build policies -o m.json --sign-key release.key --serial 1 --issued-at now 2>&1
    """

  /// A workload's certificate with a URI name only, for clients and for servers.
  @Test func clientsOfAnEntry() throws {
    let place = try Workplace()
    #expect(try place.run(Self.script).status == 0)
    let rows: [(arguments: String, status: Int32, words: [String])] = [
      (
        "clients.example.com --role client --chain clientAuth.pem", 0, ["ALLOW     a client of clients.example.com:443"]
      ),
      (
        "clients.example.com --role client --chain serverAuth.pem", 4,
        [
          "wrong-usage", "has serverAuth and not clientAuth",
          "needs clientAuth in its Extended Key Usage. Public CAs stop",
        ]
      ),
      (
        "clients.example.com --role client --chain reversed.pem", 4,
        ["the client sends its chain in the wrong order: ", "Servers treat the first certificate as the client's own"]
      ),
      (
        "payments.example.com --role client --chain clientAuth.pem", 4,
        ["REFUSED", "no entry pins the clients", "help: Write an entry named 'payments.example.com'"]
      ),
      // As a server's, it is for another use and has no name of a host.
      (
        "clients.example.com --chain serverAuth.pem", 4,
        [
          "name-mismatch", "its only names are URIs: 'spiffe://example.org/payments'",
          "A server is accepted by a DNS name or an address",
        ]
      ),
      ("clients.example.com --chain clientAuth.pem", 4, ["wrong-usage"]),
    ]
    for row in rows {
      let result = try place.run("cd mtls && pintle decide \(row.arguments) --manifest m.json --key release.key.pub")
      #expect(result.status == row.status, "\(row.arguments): \(result.stdoutText)\(result.stderrText)")
      for word in row.words { #expect(result.stdoutText.contains(word), "\(row.arguments): \(result.stdoutText)") }
    }
  }
}

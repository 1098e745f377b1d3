import TestSupport
import Testing

/// `pintle decide` with files that aren't what a server sends.
struct DecideChainTests {
  private static let script = """
    mkdir -p d/policies/keys && cd d
    ca() {
      name=$1; shift
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.pem -set_serial 1 \\
        -subj "/CN=$name" -days 3650 -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign "$@" 2>&1
    }
    ca root && ca middle -CA root.pem -CAkey root.key
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout leaf.key -out leaf.csr -subj /CN=leaf 2>&1
    printf 'subjectAltName=DNS:api.example.com\\n' > leaf.ext
    openssl x509 -req -in leaf.csr -CA middle.pem -CAkey middle.key -set_serial 2 -days 3650 -extfile leaf.ext \\
      -out leaf.pem 2>&1
    cp root.pem policies/keys
    openssl x509 -in leaf.pem -outform DER -out leaf.der
    cat leaf.pem middle.pem > chain.pem; cat chain.pem leaf.key > both.pem
    { cat leaf.pem; printf '%s\\n' '-----BEGIN CERTIFICATE-----' AAAA '-----END CERTIFICATE-----'; cat middle.pem; } > gap.pem
    cat middle.pem leaf.pem > reversed.pem; sed '3s/./*/' leaf.pem > damaged.pem
    openssl x509 -in root.pem -outform DER | base64 -w 0 > root.b64; base64 root.pem > secret.b64
    openssl x509 -in root.pem -pubkey -noout > public.pem; cat root.pem > bundle.pem
    printf '%s\\n' '-----BEGIN CERTIFICATE-----' AAAA '-----END CERTIFICATE-----' >> bundle.pem
    cat > policies/policy.yaml <<END
    version: 1
    owner: sec@example.com
    manifest: { audience: test }
    keys:
      root: { file: keys/root.pem, position: root }
      spare: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc= }
    hosts:
      - host: api.example.com
        keys: { active: [root], backup: [spare] }
    END
    pintle key release.key >/dev/null
    pintle build policies -o m.json --sign-key release.key --serial 1 --issued-at now 2>&1
    """

  @Test func filesOfTheWrongKindOrOrder() throws {
    let place = try Workplace()
    let made = try place.run(Self.script)
    #expect(made.status == 0, "\(made.stdoutText)\(made.stderrText)")
    let rows: [(arguments: String, status: Int32, words: String)] = [
      ("--chain chain.pem --anchors root.pem", 0, "ALLOW"),
      (
        "--chain reversed.pem --anchors root.pem", 4,
        "the server sends its chain in the wrong order: 'middle' and 'leaf'. Clients treat the first certificate"
      ),
      ("--chain reversed.pem --anchors root.pem", 4, "have it send 'leaf' and 'middle', in this order"),
      ("--chain leaf.pem --anchors root.pem", 4, "the server doesn't send the certificate of 'middle'"),
      ("--chain chain.pem --anchors root.pem --anchors root.b64", 1, "'root.b64' is Base64 without PEM's"),
      ("--chain chain.pem --anchors secret.b64", 1, "'base64 -d secret.b64 > certificate.pem' decodes it"),
      ("--chain chain.pem --anchors public.pem", 1, "'public.pem' is a public key, not a certificate"),
      ("--chain chain.pem --anchors bundle.pem", 1, "'bundle.pem' can't be used: certificate 2: "),
      ("--chain root.b64 --anchors root.pem", 1, "'root.b64' is Base64 without PEM's"),
      ("--chain leaf.der --anchors root.pem", 4, "the server doesn't send the certificate of 'middle'"),
      ("--chain both.pem --anchors root.pem", 1, "'both.pem' has a private key beside its certificates"),
      (
        "--chain gap.pem --anchors root.pem", 4,
        "the server sends a certificate that can't be read, number 2 of its chain: the bytes are not a certificate"
      ),
      ("--chain gap.pem --anchors root.pem", 4, "the server operator has to act"),
      ("--chain damaged.pem --anchors root.pem", 1, "'damaged.pem' can't be read: it is PEM that is damaged in line 3"),
    ]
    for row in rows {
      let result = try place.run(
        "cd d && pintle decide api.example.com --manifest m.json --key release.key.pub \(row.arguments)")
      let output = result.stdoutText + result.stderrText
      #expect(result.status == row.status && output.contains(row.words), "\(row.arguments): \(output)")
      // What can't be read is in the JSON too.
      guard row.status == 1 || row.words.contains("can't be read") else { continue }
      let json = try place.run(
        "cd d && pintle decide api.example.com --manifest m.json --key release.key.pub \(row.arguments) --format json")
      let text = json.stdoutText + json.stderrText
      #expect(json.status == row.status && text.contains(row.words), "\(row.arguments): \(text)")
    }
  }
}

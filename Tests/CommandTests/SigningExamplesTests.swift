import Foundation
import TestSupport
import Testing

/// The scripts of `examples/signing`, run as their readers would run them.
struct SigningExamplesTests {
  private static let repository = TranscriptTests.folder
    .appending(path: "../../..").standardizedFileURL.path()
  private static let examples = repository + "examples/signing/"

  /// A place with a manifest that somebody has signed with a file.
  private static func place() throws -> Workplace {
    let place = try Workplace()
    let built = try place.run(
      "pintle build policies -o manifest.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21")
    try #require(built.status == 0, "\(built.stderrText)")
    // Longer than a message that pkcs11-tool and AWS KMS accept.
    try #require(try place.read("manifest.json").utf8.count > 1_024)
    return place
  }

  /// Signs with a script, and has the result verified as clients would.
  private static func expectSignature(
    _ place: Workplace, by script: String, _ variables: String, of publicKey: String,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let result = try place.run(
      """
      cp manifest.json signed.json; \(variables) pintle sign signed.json --at 2026-11-22 --sign-key 'exec:\(examples)\(script)' \
        --public-key signing/release.key.pub --public-key \(publicKey)
      """)
    #expect(result.status == 0, "\(result.stderrText)", sourceLocation: location)
    let verified = try place.run(
      """
      pintle verify signed.json --key signing/release.key.pub --key \(publicKey) --threshold 2 --at 2026-11-22
      """)
    #expect(verified.status == 0, "\(verified.stderrText)", sourceLocation: location)
  }

  /// A token of SoftHSM with one key of each kind; no PIN is on a command line.
  private static let token = """
    mkdir tokens && echo "directories.tokendir = $PWD/tokens" >softhsm2.conf && printf '271828\\n' >pin && chmod 600 pin
    module=/usr/lib/softhsm/libsofthsm2.so
    export SOFTHSM2_CONF=$PWD/softhsm2.conf SO_PIN=314159 PIN=271828
    tool() { pkcs11-tool --module $module "$@"; }
    tool --slot-index 0 --init-token --label pins --so-pin env:SO_PIN
    tool --token-label pins --init-pin --login --login-type so --so-pin env:SO_PIN --new-pin env:PIN
    tool --token-label pins --login --pin env:PIN --keypairgen --key-type EC:prime256v1 --usage-sign --id 01
    tool --token-label pins --login --pin env:PIN --keypairgen --key-type EC:edwards25519 --usage-sign --id 02
    tool --token-label pins --read-object --type pubkey --id 01 | openssl pkey -pubin -inform DER -out p256.pub
    tool --token-label pins --read-object --type pubkey --id 02 | openssl pkey -pubin -out ed25519.pub
    """

  private static let softHSM =
    "SOFTHSM2_CONF=$PWD/softhsm2.conf PKCS11_MODULE=/usr/lib/softhsm/libsofthsm2.so PKCS11_TOKEN=pins"

  @Test func aTokenByPKCS11Tool() throws {
    let place = try Self.place()
    let made = try place.run("set -e; " + Self.token)
    try #require(made.status == 0, "\(made.stderrText)")
    let token = Self.softHSM + " PKCS11_KEY=01"
    // r and s, and DER.
    for format in ["", "PKCS11_FORMAT=rs", "PKCS11_FORMAT=openssl"] {
      try Self.expectSignature(place, by: "pkcs11", "\(token) PKCS11_PIN_FILE=pin \(format)", of: "p256.pub")
    }
    try Self.expectSignature(place, by: "pkcs11", "\(token) PKCS11_PIN=271828", of: "p256.pub")
    let ed25519 = Self.softHSM + " PKCS11_KEY=02"
    try Self.expectSignature(place, by: "pkcs11-ed25519", "\(ed25519) PKCS11_PIN_FILE=pin", of: "ed25519.pub")
    try Self.expectSignature(place, by: "pkcs11-ed25519", "\(ed25519) PKCS11_PIN=271828", of: "ed25519.pub")

    // A wrong PIN, a key that doesn't exist, and the public key of another key.
    for (variables, script, publicKey, says) in [
      ("\(token) PKCS11_PIN=1", "pkcs11", "p256.pub", "CKR_PIN_INCORRECT"),
      ("\(ed25519) PKCS11_PIN=1", "pkcs11-ed25519", "ed25519.pub", "the PIN is wrong"),
      ("\(Self.softHSM) PKCS11_KEY=77 PKCS11_PIN_FILE=pin", "pkcs11-ed25519", "ed25519.pub", "no key 77"),
      ("\(token) PKCS11_PIN_FILE=none", "pkcs11", "p256.pub", "none: No such file"),
      ("\(token) PKCS11_PIN_FILE=pin", "pkcs11", "ed25519.pub", "It may be of another key"),
    ] {
      let result = try place.run(
        """
        \(variables) pintle sign manifest.json --at 2026-11-22 --sign-key exec:\(Self.examples)\(script) --public-key \(publicKey)
        """)
      #expect(result.status == 1 && result.stderrText.contains(says), "\(says): \(result.stderrText)")
    }
  }

  /// What pkcs11-tool is called with can be seen by anybody on the machine.
  @Test func thePINStandsOnNoCommandLine() throws {
    let place = try Self.place()
    try #require(try place.run("set -e; " + Self.token).status == 0)
    try place.write("#!/bin/sh\necho \"$*\" >>called\nexec /usr/bin/pkcs11-tool \"$@\"\n", to: "spy/text")
    // If this process wrote it, a child of another test might still have it open, and nobody could run it then.
    try #require(try place.run("cp spy/text spy/pkcs11-tool; chmod +x spy/pkcs11-tool").status == 0)
    let variables = "\(Self.softHSM) PKCS11_KEY=01 PKCS11_PIN_FILE=pin PATH=$PWD/spy:$PATH"
    try Self.expectSignature(place, by: "pkcs11", variables, of: "p256.pub")
    let called = try place.read("called")
    #expect(called.contains("--sign") && called.contains("--pin env:PKCS11_PIN") && !called.contains("271828"))
  }

  @Test func openSSL() throws {
    let place = try Self.place()
    try #require(
      try place.run(
        """
        for key in p256:ecdsa-p256 ed25519:ed25519; do
          pintle key ${key%:*}.key --algorithm ${key#*:} >/dev/null 2>&1 || exit
        done
        """
      ).status == 0)
    try Self.expectSignature(place, by: "openssl", "OPENSSL_KEY=p256.key", of: "p256.key.pub")
    try Self.expectSignature(
      place, by: "openssl", "OPENSSL_KEY=ed25519.key OPENSSL_ALGORITHM=ed25519", of: "ed25519.key.pub")
  }

  /// Programs that take the command lines of the services' own, with a key in a file.
  @Test func cloudServices() throws {
    let place = try Self.place()
    let local = "PATH=\(Self.repository)Tests/Fixtures/kms:$PATH KMS_KEY_FILE=signing/second.key"
    let key = "signing/second.key.pub"
    try Self.expectSignature(place, by: "aws-kms", "\(local) AWS_KMS_KEY=alias/pintle", of: key)
    let version = "GCLOUD_KMS_VERSION=projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1"
    try Self.expectSignature(place, by: "gcloud-kms", "\(local) \(version)", of: key)
    try Self.expectSignature(place, by: "gcloud-kms", "\(local) \(version) GCLOUD_ANSWER=base64", of: key)

    // The services' own errors are shown, and nothing is signed.
    for (variables, script, says) in [
      ("AWS_KMS_KEY=alias/other", "aws-kms", "NotFoundException"),
      ("GCLOUD_KMS_VERSION=1", "gcloud-kms", "argument --version"),
      ("", "aws-kms", "AWS_KMS_KEY: is the id or alias of the key"),
    ] {
      let result = try place.run(
        """
        \(local) \(variables) pintle sign manifest.json --at 2026-11-22 \
          --sign-key exec:\(Self.examples)\(script) --public-key \(key)
        """)
      #expect(result.status == 1 && result.stderrText.contains(says), "\(result.stderrText)")
    }
    // The service's whole answer instead of the signature in it.
    let whole = try place.run(
      """
      \(local) pintle sign manifest.json --at 2026-11-22 --public-key \(key) --sign-key 'exec:openssl dgst -sha256 -binary >digest; \
      aws kms sign --key-id alias/pintle --message fileb://digest --message-type DIGEST \
      --signing-algorithm ECDSA_SHA_256'
      """)
    #expect(whole.status == 1 && whole.stderrText.contains("It looks like JSON"), "\(whole.stderrText)")
  }
}

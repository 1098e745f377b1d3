import Foundation
import TestSupport
import Testing

/// `--sign-key exec:COMMAND`: how a command is run, and how it ends, whatever it does.
struct SigningCommandTests {
  private static let second = "--public-key signing/second.key.pub"
  private static let signs = "openssl dgst -sha256 -sign signing/second.key"

  /// Signs a manifest of the fixtures.
  private static func sign(_ place: Workplace, _ command: String, _ options: String = second) throws -> RunResult {
    try place.run("pintle sign manifest.json --at 2026-11-22 --sign-key 'exec:\(command)' \(options)")
  }

  private static func manifest(in place: Workplace, policy: String = "policies") throws {
    let built = try place.run(
      "pintle build \(policy) -o manifest.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21")
    try #require(built.status == 0, "\(built.stderrText)")
  }

  private static func isSignedBySecond(_ place: Workplace) throws -> Bool {
    try place.run("pintle verify manifest.json --key signing/second.key.pub --at 2026-11-22").status == 0
  }

  /// More than the pipes to and from the command hold.
  @Test func aLargeManifestIsHandedOverWhatTheCommandDoes() throws {
    let place = try Workplace()
    var hosts = ""
    for number in 0..<2_500 {
      hosts += """
          - host: service-\(number).example.com
            keys: { active: [api], backup: [spare] }
            expires: 2027-06-01
            on-expiry: block

        """
    }
    try place.write(
      """
      version: 1
      manifest: { audience: test }
      keys:
        api: { file: api.pem, position: leaf }
        spare: { file: spare.pem, custody: "HSM A", created: 2026-09-01 }
      hosts:
      \(hosts)
      """, to: "large/policy.yaml")
    let keys = try place.run(
      "for key in api spare; do openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out large/$key.pem; done")
    #expect(keys.status == 0)
    try Self.manifest(in: place, policy: "large")
    #expect(try place.read("manifest.json").utf8.count > 3 * 65_536)
    let commands = [
      // Late, with much output on standard error.
      "head -c 400000 /dev/zero >&2; sleep 0.3; \(Self.signs)",
      // Doesn't read the bytes: the digest is enough.
      """
      python3 -c "import os, sys; sys.stdout.buffer.write(bytes.fromhex(os.environ[\\"PINTLE_SIGN_SHA256\\"]))" | \
      openssl pkeyutl -sign -inkey signing/second.key -pkeyopt digest:sha256
      """,
      // It closes its standard input.
      "\(Self.signs) >signature; exec <&-; sleep 0.1; cat signature",
    ]
    for command in commands {
      let before = try place.read("manifest.json")
      let result = try Self.sign(place, command)
      #expect(result.status == 0, "\(command): \(result.stderrText.suffix(500))")
      #expect(try Self.isSignedBySecond(place))
      try place.write(before, to: "manifest.json")
    }
  }

  /// Nothing that a command started is left, however it ended.
  @Test(
    arguments: [
      ("sleep 1000 & echo $! >other; echo $$ >pid; sleep 1000", 1, "took more than 1 second and was ended"),
      ("trap '' TERM; sleep 1000 & echo $! >other; echo $$ >pid; while :; do sleep 1; done", 1, "was ended"),
      ("sleep 1000 & echo $! >other; echo $$ >pid; exit 7", 1, "failed with status 7"),
      ("sleep 1000 & echo $! >other; echo $$ >pid; \(signs)", 0, "2 signatures in all"),
      ("sleep 1000 & echo $! >other; echo $$ >pid; yes", 1, "wrote more than 4096 bytes"),
      ("sleep 1000 & echo $! >other; echo $$ >pid; exec >&-; sleep 1000", 1, "took more than 1 second"),
      ("sleep 1000 & echo $! >other; echo $$ >pid; kill -SEGV $$", 1, "was ended by signal 11"),
      ("sleep 1000 & echo $! >other; echo $$ >pid; kill -STOP $$", 1, "took more than 1 second and was ended"),
    ])
  func nothingIsLeftOfACommand(_ command: String, _ status: Int32, _ says: String) throws {
    let place = try Workplace()
    try Self.manifest(in: place)
    let before = try place.read("manifest.json")
    let quoted = command.replacingOccurrences(of: "'", with: #"'\''"#)
    let result = try Self.sign(place, quoted, Self.second + " --timeout 1")
    #expect(result.status == status, "\(result.stderrText)")
    #expect(result.stderrText.contains(says), "\(result.stderrText)")
    for file in ["pid", "other"] { #expect(try Self.isGone(try place.read(file)), "\(file)") }
    if status != 0 { #expect(try place.read("manifest.json") == before) }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func anInterruptionEndsTheCommandToo(_ signal: Int32) throws {
    let place = try Workplace()
    try Self.manifest(in: place)
    let before = try place.read("manifest.json")
    let tool = try place.start(
      "pintle sign manifest.json --at 2026-11-22 --sign-key 'exec:sleep 1000 & echo $! >other; echo $$ >pid.new; mv pid.new pid; wait' "
        + Self.second, output: "said")
    for _ in 0..<1_500 where (try? place.read("pid")) == nil { usleep(20_000) }
    #expect(kill(tool.processIdentifier, signal) == 0)
    tool.waitUntilExit()
    #expect(tool.terminationReason == .uncaughtSignal && tool.terminationStatus == signal)
    #expect(try place.read("said").contains("pintle: 'exec:sleep …' was interrupted; nothing was signed"))
    for file in ["pid", "other"] { #expect(try Self.isGone(try place.read(file)), "\(file)") }
    #expect(try place.read("manifest.json") == before)
  }

  /// The file with the passphrase is nobody else's.
  @Test func commandsDoNotInheritThePassphrase() throws {
    let place = try Workplace()
    try Self.manifest(in: place)
    let made = try place.run(
      "printf 'secret\\n' >p; pintle key closed.key --encrypt --passphrase-fd 3 3<p >/dev/null 2>&1")
    #expect(made.status == 0)
    let result = try place.run(
      """
      pintle sign manifest.json --at 2026-11-22 --sign-key closed.key --passphrase-fd 3 3<p \
        --sign-key 'exec:: >stolen; cat <&3 >>stolen; ls -l /proc/self/fd >files; \(Self.signs)' \(Self.second)
      """)
    #expect(result.status == 0, "\(result.stderrText)")
    #expect(try place.read("stolen").isEmpty)
    #expect(try !place.read("files").contains("/p\n"))
  }

  /// A PIN may have been typed on a machine with another encoding.
  @Test func commandsSeeVariablesByteForByte() throws {
    let place = try Workplace()
    try Self.manifest(in: place)
    let result = try place.run(
      """
      export PIN="$(printf 'gr\\374n')" PINTLE_SIGN_SHA256=another
      pintle sign manifest.json --at 2026-11-22 --sign-key 'exec:printf %s "$PIN" | od -An -tx1 >pin; \
      printf %s "$PINTLE_SIGN_SHA256" >digest; env | grep -c ^PINTLE_SIGN_SHA256= >count; \(Self.signs)' \(Self.second)
      """)
    #expect(result.status == 0, "\(result.stderrText)")
    #expect(try place.read("pin") == " 67 72 fc 6e\n")
    #expect(try place.read("digest").utf8.count == 64)
    #expect(try place.read("count") == "1\n")
  }

  /// True where a process has ended; nobody may have taken note of it yet.
  static func isGone(_ id: String) throws -> Bool {
    let id = id.trimmingCharacters(in: .whitespacesAndNewlines)
    try #require(Int(id) != nil)
    for _ in 0..<100 {
      guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return true }
      if status.split(separator: ")").last?.hasPrefix(" Z") == true { return true }
      usleep(20_000)
    }
    return false
  }
}

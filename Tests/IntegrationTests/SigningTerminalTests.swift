import Foundation
import TestSupport
import Testing

/// Secrets that are asked for on a real terminal, and what becomes of the terminal.
struct SigningTerminalTests {
  private let folder: TemporaryDirectory
  private let terminal: Terminal

  init() throws {
    folder = try TemporaryDirectory()
    terminal = try Terminal(columns: 160, in: folder.path)
    try folder.write(
      """
      version: 1
      manifest: { audience: test }
      keys:
        one: { file: one.pem, position: root }
        two: { file: two.pem, position: root }
      hosts:
        - host: api.example.com
          keys: { active: [one], backup: [two] }
          expires: 2027-03-01
          on-expiry: report-only
      """, to: "policies/policy.yaml")
    for name in ["one", "two"] {
      let key = try runSuccessfully("openssl", ["genpkey", "-algorithm", "ed25519"])
      try folder.write(try runSuccessfully("openssl", ["pkey", "-pubout"], stdin: key), to: "policies/\(name).pem")
    }
    try runSuccessfully(toolPath, ["key", "file.key"], directory: folder.path)
    let build = "build policies -o manifest.json --sign-key file.key --serial 1 --issued-at 2026-11-21 --at 2026-11-21"
    try runSuccessfully(toolPath, build.split(separator: " ").map(String.init), directory: folder.path)
  }

  /// Shown behind a command: its status, and whether the terminal shows again what is typed.
  private static let end = #"; echo "status $?, $(stty -a | grep -ow -- '-\?echo')""#

  private func waitForPrompt(_ prompt: String) throws {
    // Nothing follows the prompt: what was typed before it is dropped.
    _ = try terminal.wait { screen in
      let lines = screen.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
      return lines.last?.hasPrefix(prompt) == true
    }
  }

  /// A key with a passphrase: made, refused to the wrong one, and used.
  @Test func passphrasesAreAskedForAndNotShown() throws {
    try terminal.run(
      "\(toolPath) key closed.key --encrypt >id </dev/null\(Self.end); "
        + "\(toolPath) sign manifest.json --at 2026-11-22 --sign-key closed.key </dev/null >/dev/null\(Self.end)")
    try waitForPrompt("New passphrase for closed.key:")
    try terminal.type("Very secret", "Enter")
    try waitForPrompt("The same passphrase again:")
    try terminal.type("Very secret", "Enter")
    try waitForPrompt("Passphrase for closed.key:")
    try terminal.type("Very wrong", "Enter")
    _ = try terminal.wait { $0.contains("that passphrase doesn't open 'closed.key'; try again") }
    try waitForPrompt("Passphrase for closed.key:")
    try terminal.type("Very secret", "Enter")
    let screen = try terminal.wait { $0.components(separatedBy: "status 0, echo").count == 3 }
    #expect(screen.contains("2 signatures in all") && !screen.contains("Very"), "\(screen)")
    let verify = "verify manifest.json --key closed.key.pub --key file.key.pub --threshold 2 --at 2026-11-22"
    let verified = try run(toolPath, verify.split(separator: " ").map(String.init), directory: folder.path)
    #expect(verified.status == 0, "\(verified.stderrText)")
  }

  @Test func twoDifferentPassphrasesMakeNoKey() throws {
    try terminal.run("\(toolPath) key closed.key --encrypt\(Self.end)")
    try waitForPrompt("New passphrase for closed.key:")
    try terminal.type("one", "Enter")
    try waitForPrompt("The same passphrase again:")
    try terminal.type("two", "Enter")
    let screen = try terminal.wait { $0.contains("status ") }
    #expect(screen.contains("the two passphrases are not the same") && screen.contains("status 1, echo"), "\(screen)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("closed.key")))
  }

  @Test(arguments: ["C-c", "C-\\"])
  func anInterruptedQuestionLeavesTheTerminalAsItWas(_ key: String) throws {
    try terminal.run("ulimit -c 0; \(toolPath) key closed.key --encrypt\(Self.end)")
    try waitForPrompt("New passphrase for closed.key:")
    try terminal.type("half of", key)
    let screen = try terminal.wait { $0.contains("status ") }
    #expect(screen.contains(key == "C-c" ? "status 130, echo" : "status 131, echo"), "\(screen)")
    #expect(!screen.contains("half"), "\(screen)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("closed.key")))
  }

  /// A command that signs asks on the terminal for a PIN, while its standard input has the bytes to sign.
  private static let asks = """
    exec:stty -echo </dev/tty; printf "PIN: " >/dev/tty; read -r pin </dev/tty; stty echo </dev/tty; \
    test "$pin" = 271828 && cat >bytes && openssl pkeyutl -sign -rawin -inkey file.key -in bytes
    """

  private func sign(_ options: String = "") throws {
    let command = "\(toolPath) sign manifest.json --yes --at 2026-11-22 --sign-key '\(Self.asks)'"
    try terminal.run("\(command) --public-key file.key.pub \(options) >/dev/null\(Self.end)")
    try waitForPrompt("PIN:")
  }

  @Test func commandsCanAskForAPIN() throws {
    try sign()
    try terminal.type("271828", "Enter")
    let screen = try terminal.wait { $0.contains("status ") }
    #expect(screen.contains("1 signature in all") && screen.contains("status 0, echo"), "\(screen)")
    #expect(!screen.contains("271828"), "\(screen)")
  }

  @Test func controlCEndsACommandThatAsks() throws {
    try sign()
    try terminal.type("C-c")
    let screen = try terminal.wait { $0.contains("status ") }
    #expect(screen.contains("was interrupted; nothing was signed") && screen.contains("status 130, echo"), "\(screen)")
  }

  @Test func aCommandThatIsKilledWhileItAsksLeavesTheTerminalAsItWas() throws {
    try sign("--timeout 1")
    let screen = try terminal.wait { $0.contains("status ") }
    #expect(screen.contains("took more than 1 second") && screen.contains("status 1, echo"), "\(screen)")
    // The shell can read from the terminal again.
    try terminal.type("x", "Enter")
  }
}

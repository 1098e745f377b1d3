import Foundation

/// A command of the tool that an output proposes: in quotes, in a sentence, or on indented lines of its own.
struct Proposal: Hashable {
  /// The command, as a reader would paste it into a shell.
  let command: String
  /// The sentence around it.
  let context: String

  /// The commands in an output, each once, in their order.
  static func all(in lines: [String]) -> [Self] {
    // What `--help` prints has tests of its own.
    guard lines.first?.hasPrefix("OVERVIEW:") != true else { return [] }
    var found: [Self] = []
    var rest = lines[...]
    while var line = rest.popFirst() {
      // JSON has the texts of the messages.
      guard line.firstMatch(of: /^\ *["{]/) == nil else { continue }
      // A quotation that goes on in the next line.
      while line.matches(of: /'pintle\ /).count > line.matches(of: /'pintle\ [^']*'/).count,
        let next = rest.popFirst()
      {
        line += " " + next.trimmingPrefix("!").trimmingPrefix { $0 == " " }
      }
      // Not "pintle reads", and not "pintle diff: unsafe".
      for match in line.matches(of: /\bpintle ([a-z]+)(?![\w:-])/) where commands.contains(String(match.1)) {
        let before = line[..<match.range.lowerBound]
        var command = String(line[match.range.lowerBound...])
        if let quote = before.last, quote == "'" || quote == "`" {
          command = String(command.prefix { $0 != quote })
        } else if before.allSatisfy({ $0 == " " }), !before.isEmpty {
          while command.hasSuffix("\\"), let next = rest.popFirst() { command += "\n" + next }
        } else if before.hasSuffix("# ") {
          continue
        } else if let end = command.firstMatch(of: /[.;,)]+(:| |$)/) {
          command = String(command[..<end.range.lowerBound])
        }
        if !found.contains(where: { $0.command == command }) { found.append(Self(command: command, context: line)) }
      }
    }
    return found
  }

  private static let commands: Set = [
    "authorities", "build", "check", "decide", "deny", "diff", "event", "evidence", "explain", "export", "find", "fmt",
    "gate",
    "help", "import", "init", "key", "keyset", "lsp", "pin", "probe", "publish", "rotate", "show", "sign", "simulate",
    "verify", "why",
  ]

  /// Whether the sentence only names the command, to say what it does or what wrote a file.
  var isName: Bool { Self.names.contains(where: context.contains) }

  static let names = [
    "'pintle build' or 'pintle sign' wrote", "'pintle keyset init' or 'pintle keyset next' wrote",
    "'pintle probe --record' or 'pintle evidence merge'", "'pintle key PATH' wrote", "'pintle key' wrote",
    "'pintle key' makes one", "a manifest of 'pintle build' or a keyset of 'pintle keyset'",
    "as 'pintle export' writes it",
    "there is no command 'pintle ",
    "Did you mean 'pintle ", "no format of `pintle export`", "of 'pintle export' can say",
    "'pintle build' can't make a manifest", "'pintle build' compiles", "'pintle check' checks policies",
    "'pintle diff' rejects the policy", "'pintle fmt' lays out", "(not checked here: 'pintle diff' says",
    "verdicts: 'pintle diff' of", "next: commit this, then run 'pintle event assemble'",
  ]

  /// Whether the reader has to change it: an example of `--help`, or a command that reads what another one writes.
  var isExample: Bool { context.contains("Example: " + command) || context.contains("| " + command) }

  /// Commands that can't do their work in the folder of the transcript, and why.
  static let exceptions = [
    "pintle verify odd/1.json --keyset keysets --source git::policies":
      "it shows what differs, and the status says that something does",
    "pintle build -o NEXT.json --against manifest.json --key signing/release.key.pub --sign-key KEY --issued-at now":
      "a year later, the policy has an expired entry",
    "pintle build policies --unsigned --against released --keyset keysets --issued-at 2026-11-22 -o event --at 2026-11-22":
      "an owner of the policy is not a signer yet, as the status says",
    "pintle build stolen -o NEXT.json --sign-key KEY --against released --key ../signing/release.key.pub --evidence before.json --issued-at now":
      "it is for a later step of the plan, and safe only then",
    "pintle find CertificatePins.kt": "the transcript has no such file",
    "pintle find pins.xls": "the transcript has no such file",
    "pintle gate --base main --first-release": "a new folder is not a repository yet",
    "pintle init --authority NAME --host HOST": "the folder of the transcripts has a policy",
  ]

  /// Words in capitals, which the reader replaces, and what the tests put there.
  ///
  /// `KEY` is any private key of the folder with which the command succeeds.
  static let standIns = [
    "BASELINE": "BASELINE", "CERTIFICATE.pem": "CERTIFICATE.pem", "CODE": "P313", "DATE": "2028-06-01", "FILE": "FILE",
    "HOST": "www.example.com", "KEY.pub": "KEY.pub", "KEYSET": "KEYSET", "NAME": "lets-encrypt",
    "NAME=FILE": "NAME=FILE",
    "NEWEST.json": "NEWEST.json", "PATH": "PATH", "REASON": "REASON", "KEY": "KEY", "TARGET": "TARGET",
    "YOUR.key": "KEY",
  ]

  /// The words in capitals of the command; not those of its comment.
  var placeholders: [String] {
    command.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
      .filter { $0.wholeMatch(of: /[A-Z][A-Z]+([.=]\w+)?/) != nil }
      // A draft's name is free to choose.
      .filter { !$0.hasPrefix("NEXT.") }
  }

  /// How a command may end where it does what it was proposed for.
  var statuses: Set<Int32> {
    // There is no network, so a server can't be reached.
    switch command.split(separator: " ").dropFirst().first {
    case "check": [0, 2]
    case "diff": [0, 2, 3]
    case "simulate", "rotate": [0, 3]
    case "probe": [0, 2, 5]
    case "pin", "why": [0, 5]
    default: [0]
    }
  }
}

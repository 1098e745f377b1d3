import ArgumentParser
import Diagnostics
import Glibc
import PinExchange
import PinPolicy
import PinRules

/// `pintle find`: the pins in any files, and what the policy says of them.
struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find pins in source code and other text.",
    discussion: """
      Reads any text (XML, property lists, Swift, Kotlin, Java, JavaScript, PHP, shell, YAML, nginx) and lists what looks \
      like a pin: 'sha256/' and Base64, 44 characters of Base64, 64 hexadecimal digits, 32 bytes. For each it shows \
      the file and line, and whether the policy has it as active, backup, unused or denied, or doesn't know it. It also \
      lists what looks like a pin and can't be read, and the pins of the policy that are in none of the files.

      Folders are searched recursively, except hidden files and folders and node_modules; links aren't followed. The \
      policy's own files and certificates in PEM aren't searched, nor are binary files; it says how many were passed \
      over. Digests of scripts and containers ('sha256-…', 'sha256:…') are listed only if the policy has them.

      EXAMPLES:
        pintle find app/src
        pintle find . --fail-on unknown
        pintle find ios android --policy pins/policies --format sarif -o pins.sarif
      """)

  /// How pins are shown.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case sarif
  }

  /// The first finding that fails the command; each fails by what those before it fail by.
  enum FailLevel: Int, ExpressibleByArgument, CaseIterable {
    case never
    case denied
    case unknown
    case nowhere

    init?(argument: String) {
      guard let level = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
      self = level
    }

    static var allValueStrings: [String] { allCases.map { "\($0)" } }

    var defaultValueDescription: String { "\(self)" }
  }

  @Argument(help: ArgumentHelp("Files, or folders to search.", valueName: "path"), completion: .file())
  var paths: [String]

  @Option(
    help: ArgumentHelp("The policy directory; 'policies' unless given.", valueName: "path"), completion: .directory)
  var policy: String?

  @Option(help: .oneAudience)
  var audience: String?

  @Option(help: "text, json or sarif.")
  var format = Format.text

  @Option(
    help: ArgumentHelp(
      "Exit with status 2 for: denied pins; unknown, unreadable or denied pins; or (nowhere) also pins of the policy that no file has.",
      valueName: "level"))
  var failOn = FailLevel.never

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write the list; standard output unless given.", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var time: TimeOption

  func run() throws {
    let policy = try loadPolicy()
    let search = try PinSearch(in: paths, for: policy)
    let text =
      switch format {
      case .text: search.text
      case .json: search.json
      case .sarif: ReportFormat.sarif.render(search.report(at: time.instant))
      }
    try Output.write(Array(text.utf8), to: output ?? "-")
    if !search.passedOver.isEmpty {
      Console.say("not searched: \(FoundFiles.counts(search.passedOver))")
    }
    let unread = policy.keys.filter { $0.pin == nil }
    if let first = unread.first {
      Console.warn(
        "the policy's key '\(first.name.value)'\(unread.count > 1 ? " and \(unread.count - 1) more" : "") can't be read, "
          + "so its pin isn't known",
        help: "Run 'pintle check' to see what is wrong.")
    }
    try status(of: search).exit()
  }

  /// The policy; none where nobody has begun one yet, for which the list is a beginning.
  private func loadPolicy() throws -> Policy {
    if policy == nil, access("policies", F_OK) != 0 {
      Console.say("there is no policy in 'policies', so every pin is unknown; run 'pintle init' to create one")
      return try PolicyDirectory.empty.policy()
    }
    return try LoadedPolicy.load(
      wholeOf: policy ?? "policies", audience: audience,
      for: "Pins are compared with a whole policy: give its directory."
    ).policy
  }

  private func status(of search: PinSearch) -> ExitStatus {
    let isFailing = FailLevel.allCases.contains { level in
      guard level.rawValue <= failOn.rawValue else { return false }
      return switch level {
      case .never: false
      case .denied: search.count(of: .denied) > 0
      case .unknown: search.count(of: .unknown) > 0 || !search.unread.isEmpty
      case .nowhere: !search.missing.isEmpty
      }
    }
    return isFailing ? .findings : .fine
  }
}

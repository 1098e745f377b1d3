import ArgumentParser
import Diagnostics
import Glibc
import PinExchange
import PinPolicy
import PinRules
import PinStudies

/// `pintle find`: the pins in any files, and what the policy says of them.
struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find pins in source code and other text.",
    discussion: """
      Searches text of any kind, such as source code, XML, property lists, YAML and shell scripts. It looks for \
      'sha256/' and Base64, 44 characters of Base64, 64 hexadecimal digits, 32 bytes and other \
      spellings.\(Citation.see("docs/import.md")) For each pin it shows the file and line, and whether the policy has it as active, backup, unused \
      or denied, or doesn't know it. It also lists what looks like a pin and can't be read, compressed and binary files, \
      and the pins of the policy that are in none of the files.

      Folders are searched recursively, except hidden files and folders and node_modules. Links aren't followed. A \
      link to a file or folder that isn't searched is listed as unreadable. Images, certificates and Pintle's own files \
      (the policy, its schema, keysets and detached signatures) aren't searched. In a manifest, each key counts that it \
      doesn't deny itself; manifests in the folders 'released' and 'event' beside the policy are searched only if you \
      name them, or their folder. The number of files that weren't searched is shown, without the policy's files. Values that begin with 'sha256-' or 'sha256:' are often \
      digests of scripts and containers. Unless they are the value of a name such as 'pin', they are listed only if the \
      policy has them.

      Each file has one line for each of its pins. Hosts that the same lines name between quotes, or in a URL or an XML \
      element, are shown as well.

      EXAMPLES:
        pintle find app/src
        pintle find . --exclude gradle --fail-on unknown
        pintle find ios android --policy pins/policies --format sarif -o pins.sarif
      """)

  /// How pins are shown.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case sarif
  }

  /// The first finding that fails the command; each fails by what those before it fail by.
  enum FailLevel: String, ExpressibleByArgument, CaseIterable {
    case never
    case denied
    case unknown
    case nowhere
  }

  @Argument(help: ArgumentHelp("Files, or folders to search.", valueName: "path"), completion: .file())
  var paths: [String]

  @Option(
    help: ArgumentHelp("The policy directory; 'policies' unless given.", valueName: "path"), completion: .directory)
  var policy: String?

  @Option(
    help: ArgumentHelp("A file or folder that isn't searched. Repeatable.", valueName: "path"), completion: .file())
  var exclude: [String] = []

  @Option(help: .oneAudience)
  var audience: String?

  @Option(help: "text, json or sarif.")
  var format = Format.text

  @Option(
    help: ArgumentHelp(
      "The lowest level that fails the command: never, denied (denied pins), unknown (also unknown and unreadable pins, or "
        + "if no file was searched) or nowhere (also pins of the policy that no file has).",
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
    let search = try PinSearch(in: paths, except: exclude, for: policy, in: self.policy ?? "policies")
    let text =
      switch format {
      case .text: search.text
      case .json: search.json
      case .sarif: FindingsFormat.sarif.render(search.report(at: time.instant))
      }
    try Output.write(Array(text.utf8), to: output ?? "-")
    if let rest = search.notSearched { Console.say("not searched: " + rest) }
    if search.files == 0 {
      Console.warn(
        "no file was searched, so nothing is known about pins in them",
        help: "Give files with text, or folders that have some. A hidden file or folder is searched if you name it.")
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
    let levels = FailLevel.allCases.prefix(through: FailLevel.allCases.firstIndex(of: failOn) ?? 0)
    let isFailing = levels.contains { level in
      switch level {
      case .never: false
      case .denied: search.count(of: .denied) > 0
      case .unknown: search.hasUnknowns
      case .nowhere: !search.missing.isEmpty
      }
    }
    return isFailing ? .findings : .fine
  }
}

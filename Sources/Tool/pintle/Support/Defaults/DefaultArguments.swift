import Diagnostics
import PinPolicy
import PinRelease

/// A command line with the defaults that it takes; what it gives itself always counts.
struct DefaultArguments {
  /// One default, and why the command line doesn't take it where it doesn't.
  struct Default {
    var option: String
    var place: Place
    var obstacle: String?
  }

  private(set) var arguments: [String]
  private(set) var defaults: [Default] = []

  /// The options that each command takes from a file; those of other commands are ignored.
  static let taken: [String: Set<String>] = {
    let judging: Set = ["against", "evidence", "trust-store", "format"]
    return [
      "check": ["evidence", "trust-store", "format"],
      "probe": ["trust-store", "format", "jobs", "retries", "timeout"],
      "diff": judging, "simulate": judging, "rotate": judging, "adoption": ["against", "format"],
      "sign": ["against"], "find": ["format"],
      "verify": ["format"], "inspect": ["format"], "decide": ["format", "timeout"], "pin": ["format", "timeout"],
      "keys show": ["format"], "keyset show": ["format"], "keyset verify": ["format"], "evidence show": ["format"],
      "evidence diff": ["format"], "authorities check": ["format"], "authorities list": ["format"],
      "authorities show": ["format"], "acme check": ["format"],
    ]
  }()

  /// The formats of commands that have more than text and JSON.
  private static let formats: [String: Set<String>] = {
    let reports = Set(ReportFormat.allCases.map(\.rawValue))
    return [
      "check": reports, "probe": reports, "diff": reports, "authorities check": reports, "acme check": reports,
      "find": ["text", "json", "sarif"],
    ]
  }()

  /// Adds the defaults of the file that the command line or the environment names, for the commands that take some.
  ///
  /// - Parameter arguments: The command line without the program's name.
  /// - Returns: The command line to parse, and the file; with `--verbose`, standard error says what came from it.
  /// - Throws: ``CommandFailure`` if the file can't be used.
  static func adding(
    to arguments: ArraySlice<String>
  ) throws(CommandFailure) -> (arguments: [String], file: DefaultsFile?) {
    let words = arguments.prefix(2)
    let command = [words.joined(separator: " "), words.first ?? ""].first { taken[$0] != nil }
    let options = arguments.prefix { $0 != "--" }
    guard let command, !options.contains("--help"), !options.contains("-h"),
      let file = try DefaultsFile.named(in: options)
    else { return (Array(arguments), nil) }
    let all = DefaultArguments(Array(arguments), of: command, file)
    if options.contains("--verbose") || options.contains("-v") {
      for line in all.lines(of: file) { Console.say(line) }
    }
    return (all.arguments, file)
  }

  private init(_ arguments: [String], of command: String, _ file: DefaultsFile) {
    self.arguments = arguments
    let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }.map { argument in
      argument.split(separator: "=", maxSplits: 1).first.map(String.init) ?? argument
    }
    let names = Set(file.options.map(\.name))
    let line = Line(
      command: command, given: Set(given), hasEvidence: names.contains("evidence") || given.contains("--evidence"))
    var added: [String] = []
    for (name, value) in file.options where Self.taken[command]?.contains(name) == true {
      let text = "--\(name)=\(file.resolved(name, value.value))"
      let obstacle = line.obstacle(to: name, value.value)
      defaults.append(Default(option: text, place: value.place, obstacle: obstacle))
      if obstacle == nil { added.append(text) }
    }
    // Right after the command's name, so before anything that ends the options.
    self.arguments.insert(contentsOf: added, at: command.split(separator: " ").count)
  }

  private func lines(of file: DefaultsFile) -> [String] {
    defaults.map { entry in
      let origin = "'\(VisibleText.of(file.path))', line \(entry.place.start.line)"
      let used = entry.obstacle.map { "not used, because \($0)" } ?? "used"
      return "pintle: default \(VisibleText.of(entry.option)) from \(origin): \(used)"
    }
  }

  /// What the command line says itself.
  private struct Line {
    let command: String
    /// Options by their names.
    let given: Set<String>
    let hasEvidence: Bool

    /// Why a default isn't used; nil if it is.
    func obstacle(to name: String, _ value: String) -> String? {
      if let own = (["--" + name] + rivals(of: name, value)).first(where: given.contains) {
        return "the command line has \(own)"
      }
      switch name {
      case "format":
        let isOffered = formats[command, default: ["text", "json"]].contains(value)
        return isOffered ? nil : "'pintle \(command)' doesn't have this format"
      case "against": return command == "sign" && !ReleasedSource(value).isSigned ? "a commit isn't signed" : nil
      case "trust-store": return command != "probe" && !hasEvidence ? "there is no evidence" : nil
      default: return nil
      }
    }

    /// Other options that don't go with the default.
    private func rivals(of name: String, _ value: String) -> [String] {
      switch (name, command) {
      case ("against", "sign"): ["--without-comparison"]
      case ("trust-store", _) where value.hasPrefix("system="): ["--no-system-store"]
      case ("format", "rotate") where value != "text": ["--write", "--dry-run"]
      case ("format", "check"), ("format", "probe"), ("format", "diff"):
        ["text", "concise"].contains(value) ? [] : ["--verbose", "-v", "--quiet", "-q"]
      default: []
      }
    }
  }
}

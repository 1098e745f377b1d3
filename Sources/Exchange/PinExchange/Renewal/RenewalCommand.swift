import Diagnostics
import PinPolicy

/// A command of certbot, lego or acme.sh in a unit, crontab, script, hook, or the command of a container or task in YAML.
///
/// Nothing is run or expanded.
struct RenewalCommand {
  let tool: RenewalSetting.Tool
  /// What follows the program; begins with the program itself if that is a variable.
  let words: [String]
  let place: Place
  /// Whether it runs again and again; a script may run once.
  let isScheduled: Bool
  /// What may stand for the verb if none is written: a variable after the program, or the input of `xargs`.
  let open: String?
  /// Whether a unit's `ExecStart=` has it, which a drop-in may replace.
  let isMain: Bool

  /// Commands in quotation marks, such as those of `sh -c`, in each other.
  static let mostNested = 4

  /// The commands of a text file.
  static func all(in file: RenewalFile) -> [RenewalCommand] {
    guard mayConcern(file) else { return [] }
    return ((file.name.hasSuffix(".container") || file.path.contains(".container.d/")) ? ofContainer(file) : [])
      + RenewalFile.commands(of: file.bytes).flatMap { words in
        found(in: words.map(\.text), file) { start in
          file.place(words[start].range.lowerBound..<(words.last ?? words[start]).range.upperBound)
        }
      }
  }

  /// The command of a unit of Podman (quadlet): its image, and what is run in it.
  private static func ofContainer(_ file: RenewalFile) -> [RenewalCommand] {
    func value(_ name: String) -> (text: Substring, range: Range<Int>)? {
      file.lines.last { $0.text.hasPrefix(name + "=") }.map { ($0.text.dropFirst(name.count + 1), $0.range) }
    }
    guard let run = value("Exec") ?? value("Entrypoint") else { return [] }
    let text = ["Image", "Entrypoint", "Exec"].compactMap { value($0)?.text }.joined(separator: " ")
    return all(in: text, of: file, at: file.place(run.range))
  }

  /// The commands in a value of a setting.
  static func all(in text: String, of file: RenewalFile, at place: Place, nested: Int = 0) -> [RenewalCommand] {
    guard nested < mostNested else { return [] }
    return RenewalFile.commands(of: Array(text.utf8)).flatMap { words in
      found(in: words.map(\.text), file, nested: nested + 1) { _ in place }
    }
  }

  /// Whether its text, its name or that of its folder has a tool's name.
  static func mayHave(_ file: RenewalFile) -> Bool {
    let names = file.path.split(separator: "/").suffix(2)
    return names.contains { name in ["certbot", "lego", "acme", "letsencrypt"].contains(where: name.contains) }
      || ["certbot", "lego", "acme", "letsencrypt", "CERTBOT", "LEGO", "ACME"].contains(where: file.contains)
  }

  /// The same, or it has a variable that another file defines.
  static func mayConcern(_ file: RenewalFile) -> Bool { mayHave(file) || file.definitions.areUsed(in: file) }

  /// The tools' commands in the words of one, and in words that are commands themselves.
  static func found(
    in written: [String], _ file: RenewalFile, nested: Int = 0, at writtenPlace: (Int) -> Place
  ) -> [RenewalCommand] {
    // A variable may be several words; most files have none that is known.
    let parts =
      file.definitions.isEmpty && !written.contains { $0.utf8.contains(UInt8(ascii: "{")) }
      ? nil
      : written.enumerated().flatMap { number, word -> [(word: String, number: Int)] in
        let text = file.definitions.expanded(word)
        return text == word
          ? [(word: word, number: number)]
          : text.split(whereSeparator: \.isWhitespace).map { (word: String($0), number: number) }
      }
    let words = parts?.map(\.word) ?? written
    func place(_ start: Int) -> Place { writtenPlace(parts?[start].number ?? start) }
    var commands: [RenewalCommand] = []
    func add(_ tool: RenewalSetting.Tool, _ start: Int, _ program: [String] = []) {
      let before = words[..<start].compactMap { $0.split(separator: "/").last }
      if isMentioned(after: before) || before.contains("snap") && words.contains("install") { return }
      var rest = arguments(words[(start + 1)...])
      if before.contains("xargs") || before.contains("parallel") { rest.append("$(xargs)") }
      commands.append(
        RenewalCommand(
          tool: tool, words: program + rest, place: place(start), isScheduled: file.isScheduled,
          open: open(in: rest), isMain: words[...start].contains { $0.hasPrefix("ExecStart=") }))
    }
    if let start = words.firstIndex(where: { tool(of: $0) != nil }), let tool = tool(of: words[start]) {
      add(tool, start)
    } else if let (tool, start) = file.definitions.service(in: words) {
      add(tool, start)
    } else if let (tool, start, program) = variable(in: words, file) {
      add(tool, start, [program])
    }
    for (number, word) in words.enumerated() where word.contains(where: \.isWhitespace) {
      commands += all(in: word, of: file, at: place(number), nested: nested)
    }
    return commands
  }

  /// The words without redirections and what these lead to: `> /dev/null`, `2>&1`, `<file`; a shell doesn't pass them.
  private static func arguments(_ words: ArraySlice<String>) -> [String] {
    var arguments: [String] = []
    var isTarget = false
    for word in words {
      if isTarget {
        isTarget = false
        continue
      }
      // Words in quotation marks, `<placeholder>` and `<(command)` are arguments.
      guard let sign = word.firstIndex(where: { $0 == ">" || $0 == "<" }), !word.contains(where: \.isWhitespace),
        !(word.hasPrefix("<") && word.hasSuffix(">")), word[sign...].dropFirst().first != "(",
        case let before = word[..<sign], before.hasPrefix("-") || before.allSatisfy({ $0.isNumber || $0 == "&" })
      else {
        arguments.append(word)
        continue
      }
      if before.hasPrefix("-") { arguments.append(String(before)) }
      isTarget = word[sign...].allSatisfy { "<>|&!".contains($0) }
    }
    return arguments
  }

  /// Whether the command's program is one of these; in `docker exec test certbot renew`, it isn't.
  private static func isMentioned(after words: [Substring]) -> Bool {
    // In a crontab, the time and a user may be before it.
    let most = words.first?.first.map { $0.isNumber || $0 == "*" } == true ? 6 : words.first?.first == "@" ? 2 : 0
    let start = words.prefix { leading.contains($0) }.count
    return words.prefix(max(most, start) + 1).enumerated().contains { number, word in
      mentioning.contains(word)
        && (number <= start || number > 0 && !["exec", "ssh", "-u"].contains(words[number - 1]))
    }
  }

  /// Words that may be before a command's program.
  private static let leading: Set<Substring> = [
    "sudo", "env", "then", "do", "else", "if", "elif", "while", "until", "!", "time", "nice", "exec",
  ]

  /// Programs for which a tool's name is that of a file or package.
  private static let mentioning: Set<Substring> = [
    "cp", "mv", "rm", "ls", "ln", "chmod", "chown", "tar", "cat", "test", "[", "which", "type", "apt", "apt-get", "apk",
    "yum", "dnf", "pip", "pip3",
  ]

  /// The first word that is replaced, up to one that is neither an option nor may be its value.
  private static func open(in words: [String]) -> String? {
    if words.contains(where: ["--version", "--help", "-h"].contains) { return nil }
    for (word, before) in zip(words, ["-"] + words) {
      if word.isVariable, word != "$?" { return word }
      if !word.hasPrefix("-"), !before.hasPrefix("-") || before == "-", tool(of: word) == nil { return nil }
    }
    return nil
  }

  /// The tool of a program or of the image of a container: `ExecStart=/usr/bin/certbot`, `certbot/dns-route53:latest`.
  static func tool(of word: String) -> RenewalSetting.Tool? {
    // In a makefile, '@' hides the command.
    let last = (word.split(separator: "/").last ?? "").drop { $0 == "@" }
    let program = last.split(separator: "=").last ?? ""
    switch program.prefix(while: { $0 != ":" && $0 != "@" }) {
    case "certbot", "certbot-auto", "certbot3", "letsencrypt", "letsencrypt-auto": return .certbot
    case "lego": return .lego
    case "acme.sh": return .acmeSh
    case let name where word.hasPrefix("certbot/") || word.contains("/certbot/"):
      return name.hasPrefix("certbot") || name.hasPrefix("dns-") ? .certbot : nil
    default: return nil
    }
  }

  /// What the names of variables for the tools contain, and verbs, one of which follows.
  private static let variables: [(mark: String, tool: RenewalSetting.Tool, verbs: Set<String>)] = [
    ("certbot", .certbot, ["renew", "certonly"]), ("lego", .lego, ["renew", "run"]),
    ("acme", .acmeSh, ["--cron", "--renew", "--renew-all", "--issue"]),
  ]

  /// A variable in the place of the program, such as `$CERTBOT renew`; `sudo -u root` or a crontab's fields may be before.
  private static func variable(
    in words: [String], _ file: RenewalFile
  ) -> (tool: RenewalSetting.Tool, start: Int, program: String)? {
    let first = words.prefix { ["sudo", "exec", "do", "then", "if", "!", "time", "nice"].contains($0) }.count
    for (start, word) in words.enumerated() where !word.hasPrefix("-") {
      guard let program = word.split(separator: "=").last.map(String.init), program.isVariable else { continue }
      let rest = words[(start + 1)...]
      for (mark, tool, verbs) in variables {
        // Variables for hooks have such names too.
        let isNamed =
          program.lowercased().contains(mark)
          && (start == first && word.isVariable || !verbs.isDisjoint(with: rest))
        if isNamed || rest.first.map(verbs.contains) == true && file.contains(mark) { return (tool, start, program) }
      }
    }
    return nil
  }

  /// Why its options aren't known: a word that may stand for some, or a dash that the tools don't read as one.
  func unread(takesValue: (String) -> Bool) -> String? {
    let word = zip(words, [""] + words).first { word, before in
      word.hasPrefix("-")
        ? word.prefix { $0 != "=" }.contains { "$`{%".contains($0) }
        : word.isVariable && !takesValue(before) || word.hasOtherDash
    }?.0
    return word.map {
      $0.hasOtherDash
        ? "the command has '\(VisibleText.of($0))', which begins with a dash that isn't '-'" : Self.unread($0)
    }
  }

  static func unread(_ word: String) -> String { "the command has '\(VisibleText.of(word))', which isn't read" }

  /// The value that an option has last.
  func last(_ options: String...) -> String? { words.values(of: options).last }

  /// A profile or preferred chain among the options.
  func choices(_ name: String, _ options: String...) -> [RenewalSetting.Choice] {
    words.values(of: options).last.map { [RenewalSetting.Choice(name, $0, at: place)] } ?? []
  }
}

extension String {
  /// Whether it begins with what a shell, systemd (`%i`) or a template replaces.
  var isVariable: Bool { ["$", "`", "{{", "{%", "%"].contains(where: hasPrefix) }
  /// Whether it begins with a dash as text processors write it: U+2010 to U+2015, or a minus sign.
  var hasOtherDash: Bool { unicodeScalars.first.map { "\u{2010}"..."\u{2015}" ~= $0 || $0 == "\u{2212}" } ?? false }
  /// Whether something in it is replaced.
  var hasVariable: Bool { contains("$") || contains("`") || contains("{{") || contains("%") }
}

import PinPolicy

/// A tool, or a setting of one, in a file of a language that isn't read: a program, a Dockerfile, Terraform.
///
/// What the program does with it isn't known, so whatever runs a tool, sets how it makes keys, or writes to its folder
/// counts; comments, names and what installs a tool don't.
struct ToolMention {
  let statement: RenewalStatement

  /// How many words a command, or a list over several lines, may have between its program and what it does.
  private static let reach = 12

  /// The first of each tool; with `onlyRemovals`, only calls of other languages in a script that write to its folder.
  static func all(in file: RenewalFile, onlyRemovals: Bool = false) -> [ToolMention] {
    guard marks.contains(where: file.contains), !isListOfPackages(file.name) else { return [] }
    var found: [RenewalSetting.Tool: ToolMention] = [:]
    /// The words before, of this line and the lines above.
    var before: [Substring] = []
    /// A tool's name, which counts if one of the next words is a verb or an option.
    var open: (way: RenewalWay, statement: RenewalStatement, left: Int)?
    let calls = calls.contains(where: file.contains)
    func add(_ word: Substring, _ way: RenewalWay, _ range: Range<Int>) -> RenewalStatement {
      RenewalStatement(
        way: way, answer: .unknown, reason: "'\(word)' is here, in a file of a kind that isn't read",
        help: "Check that it keeps the key, and pass paths that leave it out.", place: file.place(range))
    }
    for (line, range) in file.lines {
      let text = withoutComment(line)
      // With the signs at which a command of the line ends.
      for word in text.split(whereSeparator: { !isWordPart($0) && !isEnd($0) }).flatMap(parts) {
        if word == ";" {
          before.append(word)
          continue
        }
        if let pending = open {
          if isUse(word) { found[pending.way.tool] = ToolMention(statement: pending.statement) }
          open = pending.left > 1 && !isUse(word) ? (pending.way, pending.statement, pending.left - 1) : nil
        }
        if let way = change(by: word, after: before, calls) ?? (onlyRemovals ? nil : setting(word)),
          found[way.tool] == nil
        {
          found[way.tool] = ToolMention(statement: add(word, way, range))
        } else if !onlyRemovals, let way = program(word), found[way.tool] == nil,
          case let near = before.suffix(reach).split(separator: ";", omittingEmptySubsequences: false).last ?? [],
          !near.contains(where: { installers.contains(String($0)) })
        {
          let isRun = word.contains("/") || near.suffix(4).contains { runners.contains(String($0)) }
          if isRun, way.tool != .lego || word.contains("/") {
            found[way.tool] = ToolMention(statement: add(word, way, range))
          } else {
            open = (way, add(word, way, range), reach / 2)
          }
        }
        before.append(word)
        if before.count > 2 * reach { before.removeFirst(reach) }
      }
      // What ends here isn't part of the next command; a list may go on.
      if let last = text.last, !"\\,([{".contains(last) { before.append(";") }
    }
    return found.values.sorted { $0.statement.way.tool.rawValue < $1.statement.way.tool.rawValue }
  }

  static let marks = [
    "certbot", "letsencrypt", "lego", "acme.sh", AcmeShRenewal.force, "--always-force-new-domain-key", "rotationPolicy",
    "kubectl", "delete", "new-key", "reuse-key", "reuse_key",
  ]
  private static let installers: Set<String> = [
    "install", "add", "import", "from", "require", "package", "packages", "pip", "pip3", "requires", "depends", "brew",
  ]
  /// What runs a program in other languages, and where a container's program is.
  private static let runners: Set<String> = [
    "system", "exec", "spawn", "popen", "Popen", "run", "call", "check_call", "check_output", "Command", "sh", "bash",
    "shell", "sudo", "RUN", "CMD", "ENTRYPOINT", "FROM", "command", "subprocess.run", "subprocess.call",
    "subprocess.Popen", "subprocess.check_call", "subprocess.check_output", "os.system", "exec.Command", "execSync",
    "string", "%x", "ProgramArguments",
  ]

  private static func isListOfPackages(_ name: String) -> Bool {
    name.hasPrefix("requirements") || name.hasSuffix("Brewfile") || name.hasSuffix("Gemfile")
      || ["setup.cfg", "setup.py", "pyproject.toml", "Cargo.toml", "go.mod", "package.json"].contains(name)
  }

  private static func isWordPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "._-/:@~*$>".contains(character)
  }

  private static func isEnd(_ character: Character) -> Bool { "&;|".contains(character) }

  /// A word, split at the ends of commands, each of which is `;`.
  private static func parts(_ word: Substring) -> [Substring] {
    guard word.contains(where: isEnd) else { return [word] }
    let words = word.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
    return words.enumerated().flatMap { ($0.offset > 0 ? [";"] : []) + ($0.element.isEmpty ? [] : [$0.element]) }
  }

  /// A line without its comment: `#`, `//` and what else begins one, at its beginning or after white space.
  private static func withoutComment(_ line: Substring) -> Substring {
    if ["#", "//", "/*", "<!--", ";", "-- ", "\"\"\""].contains(where: line.hasPrefix) { return "" }
    // Not the time of a crontab.
    if line.hasPrefix("* "), line.dropFirst(2).first?.isLetter == true { return "" }
    for mark in [" # ", " // "] {
      if let start = line.firstRange(of: mark) { return line[..<start.lowerBound] }
    }
    return line
  }

  /// Whether a word after a tool's name says that it is run.
  private static func isUse(_ word: Substring) -> Bool {
    word.hasPrefix("-") || ["renew", "certonly", "reconfigure", "delete"].contains(word) || String(word).isVariable
  }

  private static func program(_ word: Substring) -> RenewalWay? {
    guard let tool = RenewalCommand.tool(of: String(word)), !word.contains("letsencrypt"),
      !word.split(separator: "/").dropLast().contains(where: folders.contains)
    else { return nil }
    switch tool {
    case .certbot: return .certbotCommand
    case .lego: return .legoCommand
    case .acmeSh: return .acmeShCommand
    case .certManager: return nil
    }
  }

  /// An option or setting that decides what happens to keys.
  private static func setting(_ word: Substring) -> RenewalWay? {
    let name = String(word.prefix { $0 != ":" })
    if name == "rotationPolicy" { return .certManagerOther }
    if name.hasSuffix(AcmeShRenewal.force) { return .acmeShCommand }
    if ["reuse_key", "reuse-key", "new-key", "no-reuse-key", "new_key"].contains(name) { return .certbotCommand }
    return CertbotCommand.keyOption(in: [name]).flatMap { $0.word == "--key-type" ? nil : $0.way }
  }

  /// What removes or writes a tool's keys, or deletes the Secret that has one.
  private static func change(by word: Substring, after before: [Substring], _ calls: Bool) -> RenewalWay? {
    let near = before.suffix(reach).split(separator: ";", omittingEmptySubsequences: false).last ?? []
    if isDeletable(word.lowercased()), near.contains("delete"),
      near.contains(where: { $0.lowercased().contains("kubectl") || $0 == "oc" })
    {
      return .certManagerSecret
    }
    guard calls || near.contains(where: changers.contains),
      let way = RenewalWay.removals.first(where: { KeyMaker.isStored(String(word), by: $0.tool) })
    else { return nil }
    return way
  }

  private static func isDeletable(_ word: String) -> Bool {
    word.hasPrefix("secret") || ["namespace", "namespaces", "ns"].contains(word)
  }

  /// Commands that change files, where they are written in other languages.
  private static let changers: Set<Substring> = [
    "rm", "mv", "sed", "shred", "unlink", "tee", ">", ">>", "truncate", "cp", "remove", "move", "write_text", "write",
  ]
  /// Functions of other languages that remove or replace whole folders: then any of the tool's paths in the file counts.
  private static let calls = [
    "rmtree", "RemoveAll", "rmSync", "rimraf", "removedirs", "os.rename", "os.Rename", "shutil.move", "copytree",
    "os.remove", "os.Remove", "rm_rf", "FileUtils", "deleteRecursively", "Remove-Item", "write_text", "os.replace",
    ".unlink(",
  ]
  /// Where a tool's name is that of its data.
  private static let folders: Set<Substring> = ["www", "log", "lib", "etc", "share", "doc", "src", "python3"]
}

/// The paths that a command of a script writes to or removes, with what the script says besides: `cd` and assignments.
struct CommandTargets {
  private static let removers: Set<Substring> = ["rm", "rmdir", "unlink", "mv", "shred", "srm", "wipe"]
  /// Their last operand is the destination.
  private static let copiers: Set<Substring> = [
    "cp", "install", "ln", "rsync", "scp", "aws", "rclone", "gsutil", "git", "mount",
  ]
  private static let writers: Set<Substring> = ["tee", "truncate", "crudini", "patch", "ed", "ex"]
  private static let editors: Set<Substring> = ["sed", "perl", "awk", "gawk"]
  private static let options: Set<String> = [
    "-out", "-keyout", "--outfile", "-o", "-O", "--output", "--include", "-t", "-C", "-keystore",
  ]
  private static let marks = ["of=", "dest=", "path=", "--target-directory=", "--outfile=", "--output="]

  /// Where the script is; empty if it hasn't said.
  private var folder = ""
  private let definitions: RenewalDefinitions
  /// In settings, `path=` alone isn't a task that writes there.
  private let isConfiguration: Bool
  /// What `for NAME in WORDS` and `… | while read NAME` go through.
  private var loops: [String: [String]] = [:]
  /// What `read` gives a value.
  private var names: Set<String> = []
  private var previous: [RenewalFile.Word] = []
  private static let homes = [
    "RENEWED_LINEAGE": "/etc/letsencrypt/live/$", "LE_WORKING_DIR": "~/.acme.sh", "LEGO_PATH": "~/.lego",
  ]
  private var variables = Self.homes

  init(_ definitions: RenewalDefinitions = RenewalDefinitions(), isConfiguration: Bool = false) {
    self.definitions = definitions
    self.isConfiguration = isConfiguration
  }

  /// The first assignment of each variable counts before it too, as in functions.
  mutating func begin(_ commands: [[RenewalFile.Word]]) { commands.reversed().forEach { assign($0) } }

  private mutating func assign(_ words: [RenewalFile.Word]) {
    for word in words where !["export", "local", "readonly", "declare", "env"].contains(word.text) {
      guard let sign = word.text.firstIndex(of: "="), word.text[..<sign].allSatisfy(Self.isNamePart) else { return }
      // Wherever these lead, the tool has its keys there.
      if Self.homes[String(word.text[..<sign])] != nil { continue }
      variables[String(word.text[..<sign])] = String(word.text[word.text.index(after: sign)...])
    }
  }

  /// What a command says about those after it.
  mutating func read(_ words: [RenewalFile.Word]) {
    assign(words)
    if let start = words.firstIndex(where: { $0.text == "for" }), words.count > start + 3, words[start + 2].text == "in"
    {
      loops[words[start + 1].text] = words[(start + 3)...].map(\.text)
    } else if words.contains(where: { $0.text == "while" }), words.contains(where: { $0.text == "read" }),
      let name = words.last?.text
    {
      loops[name] = previous.map(\.text)
      // Or from elsewhere: `done < <(ls)`.
      names.insert(name)
    }
    previous = words
    guard let start = words.firstIndex(where: { ["cd", "pushd"].contains($0.text) }),
      let target = words[(start + 1)...].first(where: { !$0.text.hasPrefix("-") })
    else { return }
    let path = path(target.text)
    folder = path.utf8.count > Self.longestPath ? "$" : path
  }

  func paths(of words: [RenewalFile.Word]) -> [RenewalFile.Word] {
    let end = words.first { $0.text.contains(">") }?.range.lowerBound ?? .max
    func after(_ programs: Set<Substring>) -> ArraySlice<RenewalFile.Word> {
      words.firstIndex { programs.contains($0.text.split(separator: "/").last ?? "") }
        .map { words[($0 + 1)...] } ?? []
    }
    var found = Array(after(Self.removers)) + after(Self.writers)
    found += after(Self.copiers).filter { !$0.text.hasPrefix("-") && $0.range.upperBound <= end }.suffix(1)
    let edited = after(Self.editors)
    let isEdited = edited.contains {
      $0.text.hasPrefix("--in-place") || $0.text.hasPrefix("-") && $0.text.contains("i") || $0.text == "inplace"
    }
    if isEdited { found += edited }
    let isFound = isEdited || !after(Self.removers).isEmpty || words.contains { $0.text == "-delete" }
    if words.contains(where: { $0.text == "state=absent" || isFound && $0.text == "find" }) { found += words }
    if isFound, words.contains(where: { ["xargs", "parallel"].contains($0.text) }) { found += previous }
    if words.contains(where: { $0.text == "git" }),
      let verb = words.first(where: { ["checkout", "reset", "clean", "pull", "restore"].contains($0.text) })
    {
      found.append((".", verb.range))
    }
    if words.contains(where: { $0.text == "unzip" }), let start = words.firstIndex(where: { $0.text == "-d" }) {
      found += words[(start + 1)...].prefix(1)
    }
    let isRead = words.contains { ["state=directory", "stat:"].contains($0.text) || $0.text.hasSuffix(".stat:") }
    for (word, next) in zip(words, words.dropFirst().map(Optional.some) + [nil]) {
      if Self.options.contains(word.text), let next { found.append(next) }
      if !isRead, !isConfiguration, let mark = Self.marks.first(where: word.text.hasPrefix) {
        found.append((String(word.text.dropFirst(mark.count)), word.range))
      }
      guard let sign = word.text.lastIndex(of: ">") else { continue }
      // Bash's `>|` and `>&`, zsh's `>!`.
      let target = String(word.text[word.text.index(after: sign)...].drop { "|&!".contains($0) })
      if !target.isEmpty { found.append((target, word.range)) } else if let next { found.append(next) }
    }
    return found.flatMap { word in resolved(word.text).map { ($0, word.range) } }.filter { !Self.isElsewhere($0.0) }
  }

  /// Whether a path is on a machine for backups, as rsync writes it: `backup:/srv`.
  ///
  /// Another machine may be the one that is checked.
  private static func isElsewhere(_ path: String) -> Bool {
    let host = path.prefix { $0 != ":" && $0 != "/" }
    return host.contains("backup") && path.dropFirst(host.count).hasPrefix(":/")
  }

  /// The first file that a command removes or edits and that isn't known: an argument, or what is read from elsewhere.
  func unknown(in words: [RenewalFile.Word]) -> RenewalFile.Word? {
    guard let start = words.firstIndex(where: { Self.removers.contains($0.text.split(separator: "/").last ?? "") })
    else { return nil }
    return words[(start + 1)...].first { word in
      if names.contains(word.text.filter { !"${}".contains($0) }) { return true }
      let path = resolved(word.text).first ?? ""
      return path.hasPrefix("$") && !path.hasPrefix("$(")
        && path.dropFirst().allSatisfy { Self.isNamePart($0) || "{}@*".contains($0) }
    }
  }

  /// The paths that a word stands for: in a loop, several.
  private func resolved(_ text: String) -> [String] {
    guard text.contains("$"), let most = loops.values.map(\.count).max(), most > 0 else { return [path(text)] }
    return (0..<min(most, Self.mostInLoop)).map { number in
      var copy = self
      for (name, values) in loops where !values.isEmpty { copy.variables[name] = values[number % values.count] }
      return copy.path(text)
    }
  }

  private static let mostInLoop = 64

  private func path(_ text: String) -> String {
    let text = expanded(text)
    return folder.isEmpty || ["/", "~", "$", "`", "{{", "-"].contains(where: text.hasPrefix)
      ? text : folder + "/" + text
  }

  /// The longest that Linux has; variables that make more of it are left, so that a few can't take all memory.
  private static let longestPath = 4_096

  /// A text with the values of variables that are assigned, or their defaults; others stay.
  private func expanded(_ text: String) -> String {
    var left = 16
    return expanded(definitions.expanded(text, braces: true), left: &left)
  }

  /// The same, with at most so many values.
  private func expanded(_ text: String, left: inout Int) -> String {
    var (result, rest) = ("", text[...])
    while let sign = rest.firstIndex(of: "$") {
      result += rest[..<sign]
      rest = rest[rest.index(after: sign)...]
      let isBraced = rest.first == "{"
      let name = (isBraced ? rest.dropFirst() : rest).prefix(while: Self.isNamePart)
      rest = rest.dropFirst(name.count + (isBraced ? 1 : 0))
      var value = variables[String(name)] ?? definitions[String(name)]
      if isBraced {
        let more = rest.prefix { $0 != "}" }
        rest = rest.dropFirst(more.count + 1)
        if value == nil, [":-", ":="].contains(where: more.hasPrefix) { value = String(more.dropFirst(2)) }
      }
      if let value, left > 0, value.utf8.count <= Self.longestPath {
        left -= 1
        result += expanded(value, left: &left)
      } else {
        result += "$" + name
      }
    }
    return result + rest
  }

  private static func isNamePart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}

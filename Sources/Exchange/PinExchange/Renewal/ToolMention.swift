import PinPolicy

/// A tool, or a setting of one, in a file of a language that isn't read: a program, a Dockerfile, Terraform.
///
/// What the program does with it isn't known, so nothing that is in comments or installs the tool counts, and all else does.
struct ToolMention {
  let statement: RenewalStatement

  /// The first of each tool.
  static func all(in file: RenewalFile) -> [ToolMention] {
    guard marks.contains(where: file.contains) else { return [] }
    var found: [RenewalSetting.Tool: ToolMention] = [:]
    var installs = false
    for (text, range) in file.lines where !comments.contains(where: text.hasPrefix) {
      for part in text.split(whereSeparator: { "&;|".contains($0) }) {
        let words = part.split { !isWordPart($0) }
        for (number, word) in words.enumerated() {
          installs = installs || installers.contains(String(word))
          guard let way = way(of: word, after: words[..<number], installs: installs), found[way.tool] == nil else {
            continue
          }
          found[way.tool] = ToolMention(
            statement: RenewalStatement(
              way: way, answer: .unknown,
              reason: "'\(word)' is here, in a file of a kind that isn't read",
              help: "Check that it keeps the key, and pass paths that leave it out.", place: file.place(range)))
        }
        // The next command of the line, or the next line.
        if part.endIndex != text.endIndex { installs = false }
      }
      if !text.hasSuffix("\\") { installs = false }
    }
    return found.values.sorted { $0.statement.way.tool.rawValue < $1.statement.way.tool.rawValue }
  }

  private static let marks = [
    "certbot", "letsencrypt", "lego", "acme.sh", AcmeShRenewal.force, "--always-force-new-domain-key", "rotationPolicy",
    "kubectl",
  ]
  private static let comments = ["#", "//", "/*", "* ", "<!--", ";", "--"]
  private static let installers: Set<String> = [
    "install", "add", "import", "from", "require", "package", "packages", "pip", "pip3", "requires", "depends",
  ]

  private static func isWordPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "._-/:@~*$".contains(character)
  }

  private static func way(of word: Substring, after before: ArraySlice<Substring>, installs: Bool) -> RenewalWay? {
    if word.hasSuffix(AcmeShRenewal.force) || word == "--always-force-new-domain-key" { return .acmeShCommand }
    if word == "rotationPolicy" { return .certManagerOther }
    if word.hasPrefix("secret"), before.contains("kubectl"), before.contains("delete") { return .certManagerSecret }
    let changes = before.contains { word in removers.contains { word.lowercased().contains($0) } }
    if changes, let way = RenewalWay.removals.first(where: { KeyCommand.isStored(String(word), by: $0.tool) }) {
      return way
    }
    guard !installs, let tool = RenewalCommand.tool(of: String(word)), !word.contains("letsencrypt"),
      !word.split(separator: "/").dropLast().contains(where: folders.contains)
    else { return nil }
    switch tool {
    case .certbot: return .certbotCommand
    case .lego: return .legoCommand
    case .acmeSh: return .acmeShCommand
    case .certManager: return nil
    }
  }

  private static let removers = ["remove", "unlink", "rmtree", "rm", "delete", "write", "shred", "open"]
  /// Where a tool's name is that of its data.
  private static let folders: Set<Substring> = ["www", "log", "lib", "etc", "share", "doc", "src", "python3"]
}

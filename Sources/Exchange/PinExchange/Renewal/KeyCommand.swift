import Diagnostics
import PinPolicy

/// Commands that make or remove a key themselves, in hooks, and in scripts that also run a tool.
enum KeyCommand {
  private static let makers: Set<String> = ["genrsa", "genpkey", "-newkey", "-genkey", "--generate-privkey"]
  private static let removers: Set<Substring> = ["rm", "unlink", "mv", "shred"]

  /// With `isAlone`, nothing else says that the file concerns the tool: only its own folders count.
  static func statement(
    _ bytes: [UInt8], _ way: RenewalWay, isAlone: Bool = false, nested: Int = 0, at place: (Range<Int>) -> Place
  ) -> RenewalStatement? {
    for words in RenewalFile.commands(of: bytes) {
      if !isAlone, let word = words.first(where: { makers.contains($0.text) }) {
        return RenewalStatement(
          way: way, answer: .unknown, reason: "a command makes a key ('\(word.text)')",
          help: "Make keys in a planned rotation, not in a hook or script.", place: place(word.range))
      }
      let removed = removed(by: words)
      if let word = removed.first(where: {
        isStored($0.text, by: way.tool) || !isAlone && isKey($0.text, of: way.tool)
      }) {
        return removal(of: word.text, way, at: place(word.range))
      }
      guard nested < RenewalCommand.mostNested else { continue }
      for word in words where word.text.contains(where: \.isWhitespace) {
        let range = word.range
        if let found = statement(
          Array(word.text.utf8), way, isAlone: isAlone, nested: nested + 1, at: { _ in place(range) })
        {
          return found
        }
      }
    }
    return nil
  }

  static func removal(of path: String, _ way: RenewalWay, at place: Place) -> RenewalStatement {
    RenewalStatement(
      way: way, answer: .unknown, reason: "a command removes the key ('\(VisibleText.of(path))')",
      help: "Remove this command: without the key, the tool makes a new one.", place: place)
  }

  /// The words that may be paths that a command removes; `state=absent` is Ansible's.
  private static func removed(by words: [RenewalFile.Word]) -> ArraySlice<RenewalFile.Word> {
    func isRemover(_ word: RenewalFile.Word) -> Bool { removers.contains(word.text.split(separator: "/").last ?? "") }
    let isFound = words.contains { $0.text == "-delete" || isRemover($0) }
    if words.contains(where: { $0.text == "state=absent" || isFound && $0.text == "find" }) { return words[...] }
    return words.firstIndex(where: isRemover).map { words[($0 + 1)...] } ?? []
  }

  /// Whether a path is a tool's key, or a folder that has it, in a file that concerns the tool.
  private static func isKey(_ path: String, of tool: RenewalSetting.Tool) -> Bool {
    let folder = path.hasSuffix("/") ? path : path + "/"
    return tool == .acmeSh && path.hasSuffix(".key") || ["privkey", "CERT_KEY_PATH"].contains(where: path.contains)
      || ["/live/", "/archive/"].contains(where: folder.contains)
      || ["/letsencrypt/", "/.acme.sh/"].contains(where: folder.hasSuffix)
  }

  /// The folder of a tool, which may begin with a dot; cert-manager has none.
  static func folder(of tool: RenewalSetting.Tool) -> Substring? {
    switch tool {
    case .certbot: "letsencrypt"
    case .acmeSh: "acme.sh"
    case .lego: "lego"
    case .certManager: nil
    }
  }

  /// Where folders of the same names have something else: logs, challenges or the program.
  private static let elsewhere: Set<Substring> = [
    "log", "logs", "lib", "opt", "src", "share", "www", "html", "tmp", "cache", "bin",
  ]

  /// Whether a path is the folder in which a tool has its keys, or what it finds them by, or is in it.
  static func isStored(_ path: String, by tool: RenewalSetting.Tool) -> Bool {
    let parts = path.split(separator: "/")
    guard let name = folder(of: tool), let home = parts.lastIndex(where: { $0 == name || $0 == "." + name }) else {
      return false
    }
    let rest = parts[(home + 1)...]
    guard let first = rest.first, let last = rest.last, first != "*" else {
      let parent = home > 0 ? parts[home - 1] : nil
      return parts[home].hasPrefix(".") || parent == "etc"
        || tool == .certbot && parent.map { !elsewhere.contains($0) } == true
    }
    switch tool {
    case .certbot:
      return ["live", "archive", "renewal"].contains { first == $0 || first.hasPrefix("{") && first.contains($0) }
    case .lego: return first == "certificates"
    // The folder of a domain has its name, and the key in it too.
    case .acmeSh:
      return rest.count > 1
        ? last == "*" || last.hasSuffix(".key")
        : first.contains { ".*$".contains($0) }
          && ![".conf", ".log", ".env", ".header", ".sh", ".csh", ".gz"].contains(where: first.hasSuffix)
    case .certManager: return false
    }
  }
}

import Diagnostics
import PinPolicy

/// Commands that make a key, or write to or remove what a tool keeps it by, in hooks and scripts.
enum KeyMaker {
  private static let makers: Set<Substring> = [
    "genrsa", "genpkey", "-newkey", "-genkey", "--generate-privkey", "certtool", "keypair", "-genkeypair", "genkey",
    "gencert", "mkcert",
  ]

  /// With `isAlone`, nothing else says that the file concerns the tool: only its own folders count.
  static func statement(
    _ bytes: [UInt8], _ way: RenewalWay, isAlone: Bool = false, nested: Int = 0,
    _ outer: CommandTargets = CommandTargets(), at place: (Range<Int>) -> Place
  ) -> RenewalStatement? {
    let commands = RenewalFile.commands(of: bytes)
    var targets = outer
    targets.begin(commands)
    var (mentions, unknown): (Bool, RenewalFile.Word?) = (false, nil)
    for words in commands {
      mentions = mentions || words.contains { isStored($0.text, by: way.tool) }
      unknown = unknown ?? targets.unknown(in: words)
      if !isAlone, let word = words.first(where: { makers.contains($0.text.split(separator: "/").last ?? "") }) {
        return RenewalStatement(
          way: way, answer: .unknown, reason: "a command makes a key ('\(VisibleText.of(word.text))')",
          help: "Make keys in a planned rotation, not in a hook or script.", place: place(word.range))
      }
      if let word = targets.paths(of: words).first(where: {
        isStored($0.text, by: way.tool) || !isAlone && isKey($0.text, of: way.tool)
      }) {
        return change(of: word.text, way, at: place(word.range))
      }
      targets.read(words)
      guard nested < RenewalCommand.mostNested else { continue }
      for word in words where word.text.contains(where: \.isWhitespace) {
        let range = word.range
        // The value of `--deploy-hook='COMMAND'` or `NAME='COMMAND'`.
        let sign = word.text.prefix { !$0.isWhitespace }.firstIndex(of: "=")
        let inner = sign.map { word.text[word.text.index(after: $0)...] } ?? word.text[...]
        if let found = statement(
          Array(inner.utf8), way, isAlone: isAlone, nested: nested + 1, targets, at: { _ in place(range) })
        {
          return found
        }
      }
    }
    guard mentions, let unknown else { return nil }
    return change(of: unknown.text, way, by: "a command", mayBe: true, at: place(unknown.range))
  }

  /// With `mayBe`, the path isn't known, and the file names the tool's folder.
  static func change(
    of path: String, _ way: RenewalWay, by what: String = "a command", mayBe: Bool = false, at place: Place
  ) -> RenewalStatement {
    RenewalStatement(
      way: way, answer: .unknown,
      reason: "\(what) changes '\(VisibleText.of(path))', which "
        + (mayBe ? "may be what " : "") + "\(way.tool.rawValue) needs to keep the key",
      help: "Leave the tool's keys and settings to the tool: without the old key, it makes a new one.", place: place)
  }

  /// Whether a path is a tool's key, or a folder that has it, in a file that concerns the tool.
  private static func isKey(_ path: String, of tool: RenewalSetting.Tool) -> Bool {
    let folder = path.hasSuffix("/") ? path : path + "/"
    if isCopy(path.split(separator: "/")) { return false }
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

  private static func isCopy(_ parts: some Sequence<Substring>) -> Bool {
    parts.contains { ["backup", "backups", "tmp"].contains($0) }
  }

  /// Whether a path that begins with an unknown folder looks as if that is a tool's.
  private static func isInVariable(_ parts: [Substring], of tool: RenewalSetting.Tool) -> Bool {
    guard let first = parts.first?.lowercased(), first.hasVariable, !first.contains("backup") else { return false }
    let rest = parts.dropFirst()
    switch tool {
    case .certbot:
      return first.contains("letsencrypt") && rest.isEmpty
        || rest.contains { ["live", "archive", "renewal", "cli.ini"].contains($0) || $0.hasPrefix("privkey") }
    case .lego: return rest.contains("certificates")
    case .acmeSh: return rest.last?.hasSuffix(".key") == true
    case .certManager: return false
    }
  }

  /// Whether a path is the folder in which a tool has its keys, or what it finds them by, or is in it.
  static func isStored(_ path: String, by tool: RenewalSetting.Tool) -> Bool {
    let parts = path.split(separator: "/").filter { $0 != "." }
    guard let name = folder(of: tool), let home = parts.lastIndex(where: { $0 == name || $0 == "." + name }) else {
      return parts.last == ".lego.yml" && tool == .lego || isInVariable(parts, of: tool)
    }
    if isCopy(parts[..<home]) { return false }
    let rest = parts[(home + 1)...]
    guard let first = rest.first, let last = rest.last, first != "*" else {
      let parent = home > 0 ? parts[home - 1] : nil
      return parts[home].hasPrefix(".") || parent == "etc"
        || tool == .lego && (["srv", "data"].contains(parent) || parts.starts(with: ["var", "lib"]))
        || tool == .certbot && parent.map { !elsewhere.contains($0) } == true
    }
    switch tool {
    case .certbot:
      return last == "cli.ini" || String(first).hasVariable
        || ["live", "archive", "renewal"].contains { first == $0 || first.hasPrefix("{") && first.contains($0) }
    case .lego: return first == "certificates" || last == ".lego.yml" || String(first).hasVariable
    // The folder of a domain has its name, and the key in it too.
    case .acmeSh:
      return rest.count > 1
        ? ["*", "$"].contains(last) || last.hasSuffix(".key") || last.hasSuffix(".conf")
        : first.contains { ".*${".contains($0) }
          && ![".log", ".env", ".header", ".sh", ".csh", ".gz"].contains(where: first.hasSuffix)
    case .certManager: return false
    }
  }
}

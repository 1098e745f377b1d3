import Diagnostics
import PinPolicy

/// Commands that make or remove a key themselves, in hooks, and in scripts that also run a tool.
enum KeyCommand {
  private static let makers: Set<String> = ["genrsa", "genpkey", "-newkey", "-genkey", "--generate-privkey"]
  private static let removers: Set<Substring> = ["rm", "unlink", "mv", "shred"]

  static func statement(
    _ bytes: [UInt8], _ way: RenewalWay, nested: Int = 0, at place: (Range<Int>) -> Place
  ) -> RenewalStatement? {
    for words in RenewalFile.commands(of: bytes) {
      if let word = words.first(where: { makers.contains($0.text) }) {
        return RenewalStatement(
          way: way, answer: .unknown, reason: "a command makes a key ('\(word.text)')",
          help: "Make keys in a planned rotation, not in a hook or script.", place: place(word.range))
      }
      if let start = words.firstIndex(where: { removers.contains($0.text.split(separator: "/").last ?? "") }),
        let word = words[start...].dropFirst().first(where: { isKey($0.text, of: way.tool) })
      {
        return RenewalStatement(
          way: way, answer: .unknown, reason: "a command removes the key ('\(VisibleText.of(word.text))')",
          help: "Remove this command: without the key, the tool makes a new one.", place: place(word.range))
      }
      guard nested < RenewalCommand.mostNested else { continue }
      for word in words where word.text.contains(where: \.isWhitespace) {
        let range = word.range
        if let found = statement(Array(word.text.utf8), way, nested: nested + 1, at: { _ in place(range) }) {
          return found
        }
      }
    }
    return nil
  }

  /// Whether a path is a tool's key, or a folder that has it.
  private static func isKey(_ path: String, of tool: RenewalSetting.Tool) -> Bool {
    let folder = path.hasSuffix("/") ? path : path + "/"
    return tool == .acmeSh && path.hasSuffix(".key") || ["privkey", "CERT_KEY_PATH"].contains(where: path.contains)
      || ["/live/", "/archive/"].contains(where: folder.contains)
      || ["/letsencrypt/", "/.acme.sh/"].contains(where: folder.hasSuffix)
  }
}

import Diagnostics
import PinFormat
import PinPolicy

/// A file of another tool's settings, and where its lines are.
struct RenewalFile {
  let path: String
  let bytes: [UInt8]
  let id: FileID
  let offsets: LineOffsets
  /// What variables are in all files.
  var definitions: RenewalDefinitions

  init(path: String, bytes: [UInt8], id: FileID, definitions: RenewalDefinitions = RenewalDefinitions()) {
    self.path = path
    self.bytes = bytes
    self.id = id
    self.definitions = definitions
    offsets = LineOffsets(bytes)
  }

  init(_ file: SourceSet.File) { self.init(path: file.path, bytes: file.bytes, id: FileID(0)) }

  /// The last part of the path; a template of Jinja is read as the file that is made of it.
  var name: String { Self.withoutTemplate(path).split(separator: "/").last.map(String.init) ?? path }

  static func withoutTemplate(_ path: some StringProtocol) -> String {
    String(path.hasSuffix(".j2") ? path.dropLast(3) : path[...])
  }

  /// Whether its commands run again and again: a unit, a crontab or a hook.
  var isScheduled: Bool {
    Self.isScheduled(path) || (path.contains(".service.d/") || path.contains(".container.d/"))
      || [".service", ".cron", ".conf", "crontab", "cli.ini"].contains(where: name.hasSuffix)
  }

  /// Whether a folder is one of crontabs or hooks, as the parts of its path say.
  static func isScheduled(_ path: some StringProtocol) -> Bool {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast().contains {
      $0.hasPrefix("cron") || $0 == "renewal-hooks"
    }
  }

  /// The name without what is behind its last dot.
  var stem: String { name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name }

  /// The folder that it is in, ended by a slash; empty for the one that pintle runs in.
  var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  func place(_ range: Range<Int>) -> Place { offsets.visiblePlace(of: range, in: id) }

  /// Whether a text is in it.
  func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard let first = wanted.first, bytes.count >= wanted.count else { return false }
    var start = 0
    while let found = bytes[start...].firstIndex(of: first) {
      if bytes[found...].starts(with: wanted) { return true }
      start = found + 1
    }
    return false
  }

  /// The lines without their breaks and the white space around them, each with its bytes in the file.
  var lines: [(text: Substring, range: Range<Int>)] {
    var lines: [(Substring, Range<Int>)] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      var range = start..<end
      while let first = range.first, Self.isBlank(bytes[first]) { range.removeFirst() }
      while let last = range.last, Self.isBlank(bytes[last]) { range.removeLast() }
      lines.append((Substring(decoding: bytes[range], as: UTF8.self), range))
      start = end + 1
    }
    return lines
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

extension RenewalSetting {
  /// Names that a comma separates.
  static func names(_ list: some StringProtocol) -> [String] {
    list.split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
  }
}

/// The commands of unit files, crontabs and scripts.
extension RenewalFile {
  typealias Word = (text: String, range: Range<Int>)

  /// The words of each command: lines end one, unless a backslash goes on, and so do `;`, `|`, `&` and a subshell.
  ///
  /// What a template replaces (`{{ a | b }}`) is one word, or part of one.
  /// What is only printed is left out, but not what `echo` writes to a crontab, a unit, a script or a shell.
  static func commands(of bytes: [UInt8]) -> [[Word]] {
    let commands = allCommands(of: bytes)
    return zip(commands, commands.dropFirst() + [[]]).compactMap { words, next in
      guard let last = words.last, ["echo", "printf", "logger"].contains(words[0].text) else { return words }
      var targets = words.firstIndex { $0.text.hasPrefix(">") }.map { words[$0...] } ?? []
      if let start = next.first?.range.lowerBound, start > last.range.upperBound,
        bytes[last.range.upperBound..<start].filter({ $0 == UInt8(ascii: "|") }).count == 1
      {
        targets += next
      }
      guard targets.contains(where: { target in written.contains { target.text.contains($0) } || runs(target.text) })
      else {
        return words.firstIndex { $0.text.contains(">") }.map { Array(words[$0...]) }
      }
      return words.map { ($0.text.replacing("\\n", with: "\n"), $0.range) }
    }
  }

  /// Parts of the names of files whose text is run.
  private static let written = ["cron", "systemd", ".service", ".sh", "renewal-hooks", "/bin/", "/sbin/"]

  /// Whether a program runs what it reads: `echo '…' | at 03:00`.
  private static func runs(_ word: String) -> Bool {
    ["at", "batch", "sh", "bash", "dash", "ash", "zsh", "ksh", "ssh", "su", "xargs", "parallel"].contains(
      word.split(separator: "/").last ?? "")
  }

  private static func allCommands(of bytes: [UInt8]) -> [[Word]] {
    var commands: [[Word]] = []
    var words: [Word] = []
    var word: (bytes: [UInt8], start: Int)?
    var mark: UInt8?
    var isComment = false
    /// For each open parenthesis, whether it is a subshell's.
    var parentheses: [Bool] = []
    /// Where the line or the template ends, found from an earlier `{{`.
    var braces = (end: -1, areClosed: false)
    func endWord(_ end: Int) {
      if let word { words.append((String(decoding: word.bytes, as: UTF8.self), word.start..<end)) }
      word = nil
    }
    func endCommand(_ end: Int) {
      endWord(end)
      if !words.isEmpty { commands.append(words) }
      words = []
    }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      defer { index += 1 }
      switch byte {
      case UInt8(ascii: "\n") where mark == nil:
        endCommand(index)
        isComment = false
      case _ where isComment: break
      case UInt8(ascii: "\\") where mark != UInt8(ascii: "'") && index + 1 < bytes.count:
        index += 1
        // A backslash before the end of a line joins it with the next one.
        if bytes[index] == UInt8(ascii: "\n") {
          endWord(index - 1)
        } else {
          // In quotation marks, it stays before other characters.
          if mark != nil, !"\\\"$`".utf8.contains(bytes[index]) { append(byte) }
          append(bytes[index])
        }
      case mark: mark = nil
      case UInt8(ascii: "'") where mark == nil, UInt8(ascii: "\"") where mark == nil:
        mark = byte
        word = word ?? ([], index)
      case UInt8(ascii: "#") where mark == nil && word == nil: isComment = true
      case UInt8(ascii: "{") where mark == nil && isTemplate(index):
        for part in bytes[index...braces.end] { append(part) }
        index = braces.end
      case UInt8(ascii: "(") where mark == nil:
        parentheses.append(word == nil)
        if word == nil { endCommand(index) } else { append(byte) }
      case UInt8(ascii: ")") where mark == nil && !parentheses.isEmpty:
        if parentheses.removeLast() { endCommand(index) } else { append(byte) }
      // `>|` and `>&` write to a file.
      case _ where mark == nil && "|&".utf8.contains(byte) && word != nil && bytes[index - 1] == UInt8(ascii: ">"):
        append(byte)
      case _ where mark == nil && ";|&".utf8.contains(byte): endCommand(index)
      case _ where mark == nil && isBlank(byte): endWord(index)
      default: append(byte)
      }
    }
    endCommand(bytes.count)
    return commands

    /// Whether `{{` is here, and `}}` in the same line; then the text goes on to `braces.end`.
    func isTemplate(_ start: Int) -> Bool {
      let (open, close, line) = (UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\n"))
      guard start + 1 < bytes.count, bytes[start + 1] == open else { return false }
      if braces.end < start {
        var end = start + 2
        while end < bytes.count, bytes[end] != line, bytes[end] != close || bytes[end - 1] != close { end += 1 }
        braces = (end, end < bytes.count && bytes[end] == close)
      }
      return braces.areClosed
    }

    func append(_ byte: UInt8) {
      if word == nil { word = ([], index) }
      word?.bytes.append(byte)
    }
  }
}

extension Collection<String> {
  /// The values that options have in the words of a command: `-d NAME`, `-d=NAME`.
  func values(of options: [String]) -> [String] {
    var values: [String] = []
    var isNext = false
    for word in self {
      if isNext { values.append(word) }
      isNext = options.contains(word)
      for option in options where word.hasPrefix(option + "=") {
        values.append(String(word.dropFirst(option.count + 1)))
      }
    }
    return values
  }
}

/// The commands of unit files, crontabs and scripts.
extension RenewalFile {
  typealias Word = (text: String, range: Range<Int>)

  /// The words of each command: lines end one, unless a backslash goes on, and so do `;`, `|` and `&`.
  static func commands(of bytes: [UInt8]) -> [[Word]] {
    var commands: [[Word]] = []
    var words: [Word] = []
    var word: (bytes: [UInt8], start: Int)?
    var mark: UInt8?
    var isComment = false
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
        if bytes[index] == UInt8(ascii: "\n") { endWord(index - 1) } else { append(bytes[index]) }
      case mark: mark = nil
      case UInt8(ascii: "'") where mark == nil, UInt8(ascii: "\"") where mark == nil:
        mark = byte
        word = word ?? ([], index)
      case UInt8(ascii: "#") where mark == nil && word == nil: isComment = true
      case _ where mark == nil && ";|&".utf8.contains(byte): endCommand(index)
      case _ where mark == nil && isBlank(byte): endWord(index)
      default: append(byte)
      }
    }
    endCommand(bytes.count)
    return commands

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

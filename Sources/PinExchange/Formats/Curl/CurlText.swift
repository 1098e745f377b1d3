/// Splits a file into the transfers of the commands and the config parts in it.
///
/// A line with a word `curl` is a command of a shell; of all others, those are taken that a config file could have
/// (`docs/cmdline-opts/config.md` of curl). A line that is nothing but a pin is one too.
struct CurlText {
  private let bytes: [UInt8]
  /// `NAME=value` of a shell.
  private var variables: [String: String] = [:]
  /// How many bytes variables may still put in, so that those that hold each other twice over don't grow without end.
  private var budget = 1 << 20

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  func transfers() -> [CurlTransfer] {
    var text = self
    return text.read()
  }

  private mutating func read() -> [CurlTransfer] {
    var transfers: [CurlTransfer] = []
    var part = CurlTransfer()
    var index = 0
    while index < bytes.count {
      let end = endOfLine(from: index)
      var words = ShellWords(bytes, index..<end, variables, budget: budget)
      let commands = words.commands()
      budget = words.budget
      if commands.contains(where: { $0.contains { Self.isCurl($0.text) } }), !isComment(index) {
        for command in commands {
          guard let start = command.firstIndex(where: { Self.isCurl($0.text) }) else { continue }
          transfers += CurlTransfer.transfers(command[(start + 1)...])
        }
        index = end + 1
      } else {
        remember(commands)
        while index < end {
          let lineEnd = bytes[index..<end].firstIndex(of: UInt8(ascii: "\n")) ?? end
          if readConfig(index..<lineEnd, into: &part) {
            transfers.append(part)
            part = CurlTransfer()
          }
          index = lineEnd + 1
        }
        index = end + 1
      }
    }
    return transfers + [part]
  }

  private static func isCurl(_ word: String) -> Bool { word == "curl" || word.hasSuffix("/curl") }

  private func isComment(_ index: Int) -> Bool {
    bytes[index...].first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "#")
  }

  /// The end of a line, beyond line breaks with a backslash before them.
  private func endOfLine(from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\n") {
        let before = index > start && bytes[index - 1] == 0x0D ? index - 2 : index - 1
        guard before >= start, bytes[before] == UInt8(ascii: "\\") else { return index }
      }
      index += 1
    }
    return index
  }

  private mutating func remember(_ commands: [[CurlTransfer.Word]]) {
    for word in commands.joined() where word.isKnown {
      guard let equals = word.text.firstIndex(of: "="), SourceIdentifier.isValid(word.text[..<equals]) else { continue }
      variables[String(word.text[..<equals])] = String(word.text[word.text.index(after: equals)...])
    }
  }

  /// Answers whether the line ends a part.
  private func readConfig(_ line: Range<Int>, into part: inout CurlTransfer) -> Bool {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    guard let start = line.first(where: { !isSpace(bytes[$0]) }), bytes[start] != UInt8(ascii: "#") else {
      return false
    }
    let isEnd = { (byte: UInt8) in isSpace(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") }
    let nameEnd = bytes[start..<line.upperBound].firstIndex(where: isEnd) ?? line.upperBound
    let name = String(decoding: bytes[start..<nameEnd], as: UTF8.self)
    if name.hasPrefix("sha256//") {
      part.pins.append(configValue(start..<line.upperBound))
      return true
    }
    let option = name.drop { $0 == "-" }
    if option == "next" { return true }
    guard let valueStart = (nameEnd..<line.upperBound).first(where: { !isEnd(bytes[$0]) }) else {
      part.take(option: option, value: CurlTransfer.Word(text: "", range: start..<nameEnd))
      return false
    }
    part.take(option: option, value: configValue(valueStart..<line.upperBound))
    return false
  }

  /// A value: between quotation marks with escapes, or up to a space.
  private func configValue(_ range: Range<Int>) -> CurlTransfer.Word {
    guard bytes[range.lowerBound] == UInt8(ascii: "\"") else {
      let end = bytes[range].firstIndex { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } ?? range.upperBound
      let text = String(decoding: bytes[range.lowerBound..<end], as: UTF8.self)
      return CurlTransfer.Word(text: text, range: range.lowerBound..<end)
    }
    var text: [UInt8] = []
    var index = range.lowerBound + 1
    while index < range.upperBound, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] == UInt8(ascii: "\\"), index + 1 < range.upperBound { index += 1 }
      text.append(bytes[index])
      index += 1
    }
    return CurlTransfer.Word(
      text: String(decoding: text, as: UTF8.self), range: range.lowerBound..<min(index + 1, range.upperBound),
      isQuoted: true)
  }
}

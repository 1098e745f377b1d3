/// Splits a line of a shell script into commands, and these into words (POSIX.1, Shell Command Language, sections 2.2 and
/// 2.3), so far as it takes to read options.
struct ShellWords {
  private let bytes: [UInt8]
  private let end: Int
  private let variables: [String: String]
  private var index: Int
  /// How many bytes variables may still put in; without any left, their values aren't known.
  private(set) var budget: Int

  init(_ bytes: [UInt8], _ range: Range<Int>, _ variables: [String: String], budget: Int) {
    self.bytes = bytes
    self.budget = budget
    self.variables = variables
    index = range.lowerBound
    end = range.upperBound
  }

  mutating func commands() -> [[CurlTransfer.Word]] {
    var commands: [[CurlTransfer.Word]] = [[]]
    while index < end {
      switch bytes[index] {
      case 0x20, 0x09, 0x0D, 0x0A: index += 1
      case UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: "("), UInt8(ascii: ")"):
        index += 1
        if commands.last?.isEmpty == false { commands.append([]) }
      case UInt8(ascii: "\\") where isContinuation: skipContinuation()
      case UInt8(ascii: "#"): index = end
      default: commands[commands.count - 1].append(word())
      }
    }
    return commands
  }

  private var isContinuation: Bool {
    index + 1 < end && (bytes[index + 1] == 0x0A || (bytes[index + 1] == 0x0D && index + 2 < end))
  }

  private mutating func skipContinuation() { index += bytes[index + 1] == 0x0D ? 3 : 2 }

  private mutating func word() -> CurlTransfer.Word {
    let start = index
    var word = CurlTransfer.Word(text: "", range: start..<start)
    var text: [UInt8] = []
    var quote: UInt8?
    loop: while index < end {
      let byte = bytes[index]
      switch (byte, quote) {
      case (UInt8(ascii: "'"), nil), (UInt8(ascii: "\""), nil):
        quote = byte
        word.isQuoted = true
        index += 1
      case (let byte, let mark?) where byte == mark:
        quote = nil
        index += 1
      case (_, UInt8(ascii: "'")?):
        text.append(byte)
        index += 1
      case (UInt8(ascii: "\\"), _):
        if isContinuation {
          skipContinuation()
        } else {
          index += 1
          if index < end { text.append(bytes[index]) }
          index += 1
        }
      case (UInt8(ascii: "$"), _):
        if let value = variable(), value.utf8.count <= budget {
          text += Array(value.utf8)
          budget -= value.utf8.count
        } else {
          word.isKnown = false
        }
      case (UInt8(ascii: "`"), _):
        word.isKnown = false
        index += 1
      case (0x20, nil), (0x09, nil), (0x0A, nil), (0x0D, nil), (UInt8(ascii: ";"), nil), (UInt8(ascii: "|"), nil),
        (UInt8(ascii: "&"), nil), (UInt8(ascii: ")"), nil):
        break loop
      default:
        text.append(byte)
        index += 1
      }
    }
    index = min(max(index, start + 1), end)
    word.text = String(decoding: text, as: UTF8.self)
    word.range = start..<index
    return word
  }

  /// The value of `$NAME` or `${NAME}`, nil where it is known at run time only.
  private mutating func variable() -> String? {
    index += 1
    guard index < end else { return nil }
    let hasBraces = bytes[index] == UInt8(ascii: "{")
    if hasBraces { index += 1 }
    let start = index
    while index < end, SourceIdentifier.isPart(bytes[index]) { index += 1 }
    let name = String(decoding: bytes[start..<index], as: UTF8.self)
    if hasBraces {
      guard index < end, bytes[index] == UInt8(ascii: "}") else { return nil }
      index += 1
    }
    return variables[name]
  }
}

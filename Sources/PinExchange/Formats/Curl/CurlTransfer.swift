/// What one transfer of curl is told, as far as pins go.
struct CurlTransfer {
  /// A word, and where it stands in the bytes of its file.
  struct Word: Hashable {
    var text: String
    var range: Range<Int>
    /// False where a variable or a command is in it whose value nobody knows here.
    var isKnown = true
    /// Whether any of it stands between quotation marks.
    var isQuoted = false
  }

  /// The values of `--pinnedpubkey`, in their order.
  var pins: [Word] = []
  var addresses: [Word] = []
  var isInsecure = false

  /// The letters of options that have a value, which may follow at once (`curl --help all`).
  private static let lettersWithValue = Set("AbcCdDeEFhHKmMoPQrtTuUwxXyYz")

  /// Takes the words behind `curl`, up to an end of the command; what `--next` parts are transfers of their own.
  static func transfers(_ words: ArraySlice<Word>) -> [CurlTransfer] {
    var transfers = [CurlTransfer()]
    var rest = words
    while let word = rest.popFirst() {
      let last = transfers.count - 1
      switch word.text {
      case "--next", "-:": transfers.append(CurlTransfer())
      case "--pinnedpubkey": if let value = rest.popFirst() { transfers[last].pins.append(value) }
      case "--url": if let value = rest.popFirst() { transfers[last].addresses.append(value) }
      case "--insecure": transfers[last].isInsecure = true
      // Their values look like addresses.
      case "--referer", "-e", "--proxy", "-x", "--preproxy", "--doh-url", "--header", "-H", "--data", "-d":
        _ = rest.popFirst()
      case let text where text.hasPrefix("--"): break
      case let text where text.hasPrefix("-"):
        let letters = text.dropFirst().prefix { !lettersWithValue.contains($0) }
        if letters.contains("k") { transfers[last].isInsecure = true }
      case let text where text.contains("://"): transfers[last].addresses.append(word)
      default: break
      }
    }
    return transfers
  }

  /// Takes a line of a config file.
  mutating func take(option: Substring, value: Word) {
    switch option {
    case "pinnedpubkey": pins.append(value)
    case "url": addresses.append(value)
    case "insecure", "k": isInsecure = true
    default: break
    }
  }
}

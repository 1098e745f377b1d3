/// Breaks text into lines at its spaces.
package enum LineWrap {
  /// The text in lines of at most so many scalars, as far as its words allow it.
  ///
  /// - Parameters:
  ///   - text: One paragraph, already made visible.
  ///   - width: How long a line may be.
  ///   - taken: How much of the first line is taken already.
  /// - Returns: At least one line.
  package static func lines(_ text: String, width: Int, taken: Int = 0) -> [String] {
    var lines: [String] = []
    var line = ""
    var length = taken
    for word in text.split(separator: " ") {
      let added = word.unicodeScalars.count + (line.isEmpty ? 0 : 1)
      // A word that is longer than a line gets a line of its own, also if the first line only has what is taken.
      if length + added > width, !line.isEmpty || lines.isEmpty && taken > 0 {
        lines.append(line)
        line = String(word)
        length = word.unicodeScalars.count
      } else {
        line += (line.isEmpty ? "" : " ") + word
        length += added
      }
    }
    return lines + [line]
  }
}

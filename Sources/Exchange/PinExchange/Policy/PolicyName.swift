/// Names of keys and key sets as a policy may use them: lower-case letters, digits, `.`, `_` and `-`, at most 64.
package enum PolicyName {
  /// Makes a name of any text: `GTSRootR1` becomes `gts-root-r1`, `Baltimore CyberTrust Root` its words in lower case.
  ///
  /// Nil where nothing of the text can be in a name.
  package static func of(_ text: String) -> String? {
    var name = ""
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      guard isKept(scalar) else {
        if name.last != "-" { name += "-" }
        continue
      }
      if beginsWord(scalars, at: index), name.last != "-", name.last != "_", name.last != "." { name += "-" }
      name += String(scalar).lowercased()
    }
    let trimmed = name.drop { !isAlphanumeric($0) }.prefix(64)
    let end = trimmed.lastIndex(where: isAlphanumeric).map { trimmed.index(after: $0) } ?? trimmed.startIndex
    let result = String(trimmed[..<end])
    if result.isEmpty { return nil }
    return ["true", "false", "null"].contains(result) ? result + "-key" : result
  }

  /// A capital begins a word behind a small letter or a digit, and before a small letter behind other capitals.
  private static func beginsWord(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
    guard index > 0, isUpper(scalars[index]), isKept(scalars[index - 1]) else { return false }
    if isLower(scalars[index - 1]) { return true }
    guard index + 1 < scalars.count else { return false }
    return isUpper(scalars[index - 1]) && isLower(scalars[index + 1])
  }

  private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
    isUpper(scalar) || isLower(scalar) || ("0"..."9").contains(scalar) || scalar == "." || scalar == "_"
  }

  private static func isUpper(_ scalar: Unicode.Scalar) -> Bool { ("A"..."Z").contains(scalar) }
  private static func isLower(_ scalar: Unicode.Scalar) -> Bool { ("a"..."z").contains(scalar) }
  private static func isAlphanumeric(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber)
  }
}

/// Names that are taken, and where to look for the next one that is free: thousands of keys may want the same name.
struct TakenNames: Sendable {
  private var taken: Set<String>
  /// The number behind a name that was given last.
  private var numbers: [String: Int] = [:]

  init(_ taken: Set<String> = []) {
    self.taken = taken
  }

  func contains(_ name: String) -> Bool { taken.contains(name) }

  /// Takes the name, or the name with the first number behind it that nobody has taken, of at most so many characters.
  mutating func take(_ name: String, atMost limit: Int = 64) -> String {
    if taken.insert(name).inserted { return name }
    var number = numbers[name] ?? 1
    while true {
      number += 1
      let suffix = "-\(number)"
      let candidate = String(name.prefix(limit - suffix.utf8.count)) + suffix
      guard taken.insert(candidate).inserted else { continue }
      numbers[name] = number
      return candidate
    }
  }
}

/// The web addresses of rules and of what they cite.
package enum Citation {
  /// The page of a rule, whose address never changes.
  ///
  /// - Parameters:
  ///   - code: The rule's code.
  ///   - documentation: The address of the documentation.
  /// - Returns: The address; nil if that of the documentation isn't known.
  package static func page(of code: String, in documentation: String?) -> String? {
    guard let documentation, code.first == "P" else { return nil }
    return documentation + (documentation.hasSuffix("/") ? "" : "/") + "rules/\(code)/"
  }

  /// A citation as its reader can follow it: with the addresses of the documentation's pages in place of their files, or
  /// without these pages if that address isn't known: an installed program has no folder "docs".
  package static func text(_ citation: String, in documentation: String?) -> String {
    guard let documentation else {
      return citation.split(separator: "; ").filter { !$0.starts(with: pageFile) }.joined(separator: "; ")
    }
    let base = documentation + (documentation.hasSuffix("/") ? "" : "/")
    return citation.replacing(pageFile) { base + $0.1 + "/" }
  }

  private static var pageFile: Regex<(Substring, Substring)> { /docs\/([a-z-]+)\.md/ }

  /// ` See ADDRESS.`, the end of a help text about a page of the documentation; nothing if its address isn't known.
  package static func see(_ page: String, in documentation: String? = Report.Tool.pintle.reference) -> String {
    let address = text(page, in: documentation)
    return address.isEmpty ? "" : " See \(address)."
  }

  /// The address of the RFC, and of its section, that a citation begins with: "RFC 7469 section 4.3".
  package static func address(of citation: String) -> String? {
    let words = citation.split { $0 == " " || $0 == "," || $0 == ";" }
    guard words.count >= 2, words[0] == "RFC", !words[1].isEmpty, words[1].utf8.allSatisfy(isDigit) else { return nil }
    let rfc = "https://www.rfc-editor.org/rfc/rfc\(words[1])"
    guard words.count >= 4, words[2] == "section" || words[2] == "sections",
      words[3].utf8.first.map(isDigit) ?? false, words[3].utf8.last.map(isDigit) ?? false,
      words[3].utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") })
    else { return rfc }
    return rfc + "#section-" + words[3]
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension RuleInfo {
  /// Where to read about the rule: its page of the documentation, else what it cites, where either has an address.
  package func address(in documentation: String?) -> String? {
    Citation.page(of: code, in: documentation) ?? Citation.address(of: citation)
  }
}

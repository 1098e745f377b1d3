import Diagnostics

/// libyaml's reason for reading no further, in words of ours: libyaml's speak of tokens, and differ between versions,
/// where a person looks for a missing quote.
struct YAMLComplaint: Error {
  let reason: String
  let place: Place
  /// Where the part begins that could not be read to its end.
  let related: Place?

  /// - Parameters:
  ///   - problem: What libyaml says.
  ///   - context: What libyaml was reading, in its words.
  ///   - place: Where it stopped.
  ///   - isFirst: True where nothing is before that on its line.
  ///   - opening: Where the part that it was reading began.
  init(problem: String, context: String?, at place: Place, isFirstOnLine isFirst: Bool, since opening: Place?) {
    let isOpen = problem == "found unexpected end of stream" || problem == "found unexpected document indicator"
    if isOpen, context == "while scanning a quoted scalar", let opening {
      reason = "the quotation mark here is never closed"
      self.place = opening
      related = nil
    } else if let context, let unsupported = Self.unsupported[context] {
      reason = unsupported
      self.place = opening ?? place
      related = nil
    } else {
      let follows = !isFirst && Self.indented.contains(problem)
      reason = follows ? "nothing can follow the value on its line" : Self.reasons[problem] ?? problem
      self.place = place
      related = follows ? nil : opening.flatMap { $0.start < place.start ? $0 : nil }
    }
  }

  /// What was being read when it turned out to be malformed, but has no place in a policy anyhow.
  private static let unsupported = [
    "while parsing a tag": "a tag has no place in a policy",
    "while scanning a tag": "a tag has no place in a policy",
    "while parsing a node": "a tag has no place in a policy",
    "while scanning an anchor": "an anchor has no place in a policy",
    "while scanning an alias": "an alias has no place in a policy",
    "while scanning a directive": "a '%' directive has no place in a policy",
    "while scanning a %YAML directive": "a '%' directive has no place in a policy",
    "while scanning a %TAG directive": "a '%' directive has no place in a policy",
  ]

  /// Complaints about what begins a line.
  private static let indented = ["did not find expected key", "did not find expected '-' indicator"]

  private static let reasons = [
    "block sequence entries are not allowed in this context": "a list item ('- …') can't begin here",
    "could not find expected ':'": "there is a field name without a ':' before this",
    "did not find expected ',' or ']'": "a list in '[…]' goes on here without ',' or ']'",
    "did not find expected ',' or '}'": "a mapping in '{…}' goes on here without ',' or '}'",
    "did not find expected '-' indicator": "a list item ('- …') should begin here, in line with the items above",
    "did not find expected <document start>": "the document was over before this",
    "did not find expected comment or line break": "the text of a '|' or '>' block begins on the line below it",
    "did not find expected hexdecimal number": "an escape needs hexadecimal digits",
    "did not find expected key": "a field should begin here, in line with the fields above",
    "did not find expected node content": "a value is missing",
    "found character that cannot start any token": "a value can't begin with this character unless it is quoted",
    "found incompatible YAML document": "a '%' directive has no place in a policy",
    "found unexpected ':'": "a ':' isn't allowed here unless the value is quoted",
    "found unknown escape character": "a '\\' in double quotes is followed by a character that it doesn't go with",
    "mapping keys are not allowed in this context": "a '?' isn't allowed here unless the value is quoted",
    "mapping values are not allowed in this context": "a ':' isn't allowed here unless the value is quoted",
  ]
}

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
  ///   - opening: Where the part that it was reading began.
  init(problem: String, context: String?, at place: Place, since opening: Place?) {
    let isOpen = problem == "found unexpected end of stream" || problem == "found unexpected document indicator"
    if isOpen, context == "while scanning a quoted scalar", let opening {
      reason = "the quotation mark here is never closed"
      self.place = Self.widened(opening)
      related = nil
      return
    }
    reason = Self.reasons[problem] ?? problem
    self.place = Self.widened(place)
    related = opening.flatMap { $0.start < place.start ? Self.widened($0) : nil }
  }

  private static let reasons = [
    "block sequence entries are not allowed in this context": "a list item ('- …') can't begin here",
    "could not find expected ':'": "a field name without a ':' stands before this",
    "did not find expected ',' or ']'": "a list in '[…]' goes on here without ',' or ']'",
    "did not find expected ',' or '}'": "a mapping in '{…}' goes on here without ',' or '}'",
    "did not find expected '-' indicator": "a list item ('- …') should begin here, in line with the items above",
    "did not find expected <document start>": "the document was over before this",
    "did not find expected alphabetic or numeric character": "an anchor or alias needs a name",
    "did not find expected comment or line break": "the text of a '|' or '>' block begins on the line below it",
    "did not find expected hexdecimal number": "an escape needs hexadecimal digits",
    "did not find expected key": "a field should begin here, in line with the fields above",
    "did not find expected node content": "a value is missing",
    "found character that cannot start any token": "a value can't begin with this character unless it is quoted",
    "found incompatible YAML document": "a '%YAML' directive has no place in a policy",
    "found undefined tag handle": "a tag has no place in a policy",
    "found unexpected ':'": "a ':' can't stand here unless the value is quoted",
    "found unknown escape character": "a '\\' in double quotes is followed by a character that it doesn't go with",
    "mapping keys are not allowed in this context": "a '?' can't stand here unless the value is quoted",
    "mapping values are not allowed in this context": "a ':' can't stand here unless the value is quoted",
  ]

  /// An excerpt needs something to underline.
  private static func widened(_ place: Place) -> Place {
    guard place.start == place.end else { return place }
    var widened = place
    widened.end.column += 1
    return widened
  }
}

/// Reading what all signed formats say of themselves.
extension CanonicalScanner {
  /// Reads a sorted list of one or more names.
  package mutating func names(_ what: StaticString, atMost limit: Int) throws(FormatError) -> [String] {
    var names: [String] = []
    var last: Range<Int>?
    try require(UInt8(ascii: "["))
    repeat {
      let name = try name(what)
      try checkOrder(last, name, "names are not sorted, or one is listed twice")
      last = name
      names.append(decoded(name))
      guard names.count <= limit else { throw error(.overLimit, at: name.lowerBound, "too many names") }
    } while try takeNext(closing: UInt8(ascii: "]"))
    return names
  }

  /// Reads the media type that the content must state.
  package mutating func type(_ mediaType: String) throws(FormatError) {
    let start = offset + 1
    let type = try decodedString("the type", atMost: FormatLimits.textBytes)
    guard type.utf8.elementsEqual(mediaType.utf8) else {
      throw error(.invalidValue, at: start, "the type is not " + mediaType)
    }
  }

  /// Reads the version of the format, which must be the one that is known here.
  package mutating func version(_ known: Int64) throws(FormatError) {
    let start = offset
    guard try integer("a version", 1...Int64.max) == known else {
      throw error(.unsupportedVersion, at: start, "a version of the format other than " + String(known))
    }
  }
}

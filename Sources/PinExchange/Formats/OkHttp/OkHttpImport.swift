import Diagnostics

extension ImportFormat {
  /// Kotlin or Java source in which a `CertificatePinner` is built.
  package static let okHttp = ImportFormat(
    name: "okhttp", title: "the pins of OkHttp's CertificatePinner, in Kotlin or Java source",
    citation: OkHttpFeatures.citation, files: 1...100, maximumBytes: 4 << 20
  ) { files, _ throws(ExchangeError) in
    var reader = try OkHttpReader(files)
    return try reader.read()
  }
}

/// Reads the calls of `add` and `Pin` in source, whose arguments are literals or constants of the same files.
struct OkHttpReader {
  /// A pin of a pattern, and where it is written.
  struct WrittenPin {
    var text: String
    var name: String?
    var isBackup: Bool
    var place: Place
  }

  /// The pins of a pattern, in the order of the files.
  struct Pattern {
    var text: String
    var pins: [WrittenPin]
    var place: Place
  }

  private let texts: [SourceText]
  private let constants: SourceConstants
  private var builder = ImportBuilder()
  private var patterns: [Pattern] = []
  private var numbers: [String: Int] = [:]

  init(_ files: [ExchangedFile]) throws(ExchangeError) {
    texts = files.enumerated().map { number, file in
      SourceText(
        file.bytes, places: TextPlaces(file.bytes, file: FileID(number)), isKotlin: !file.name.hasSuffix(".java"))
    }
    constants = SourceConstants(texts)
  }

  mutating func read() throws(ExchangeError) -> ImportedPins {
    for text in texts {
      for call in PinnerCalls(text).all() { read(call, in: text) }
    }
    guard !patterns.isEmpty || !builder.findings.isEmpty else {
      throw ExchangeError(
        .missingField, "no pins of a CertificatePinner are in it",
        help: "Give the source files in which CertificatePinner.Builder().add(…) is called.")
    }
    var assembly = OkHttpAssembly(builder)
    return assembly.assemble(patterns)
  }

  private mutating func read(_ call: PinnerCalls.Call, in text: SourceText) {
    let values = call.arguments.map { value(of: $0, in: text) }
    let isPinner = call.isSure || values.dropFirst().contains { Self.isPin($0) }
    guard isPinner, !values.isEmpty else { return }
    let place = text.places.place(
      text.tokens[call.name].range.lowerBound..<text.tokens[text.end(of: call.name + 1)].range.upperBound)
    guard let pattern = values[0] else {
      return tellUnreadable("the pattern", call.arguments[0], in: text)
    }
    guard values.count > 1 else {
      return builder.find(
        .unreadablePart, at: place, "\(ImportWords.quoted(pattern)) is given no pins",
        help: "Look at how the pinner is built, and add the host to the policy by hand.")
    }
    let key = pattern.lowercased()
    let number = numbers[key] ?? patterns.count
    if number == patterns.count {
      let range = text.tokens[call.arguments[0].lowerBound].range
      patterns.append(Pattern(text: key, pins: [], place: text.places.place(range)))
      numbers[key] = number
    }
    for (value, argument) in zip(values, call.arguments).dropFirst() {
      guard let value else {
        tellUnreadable("a pin of \(ImportWords.quoted(pattern))", argument, in: text)
        continue
      }
      patterns[number].pins.append(pin(value, argument, in: text))
    }
  }

  private mutating func tellUnreadable(_ what: String, _ argument: Range<Int>, in text: SourceText) {
    builder.find(
      .unreadablePart, at: place(of: argument, in: text),
      "\(what) is no literal, and no constant of the files that were given; it was left out",
      help: "Give the file that says it too, or add what is missing to the policy by hand.")
  }

  /// A pin, with the name that its constant or the comment at the end of its line gives it.
  private func pin(_ value: String, _ argument: Range<Int>, in text: SourceText) -> WrittenPin {
    let last = text.tokens[argument.upperBound - 1]
    var name: String?
    let isConstant = argument.allSatisfy { index in
      if case .text = text.tokens[index].kind { false } else { true }
    }
    if isConstant { name = last.name?.replacing("_", with: "-") }
    var isBackup = false
    if name == nil, let comment = text.comments[text.places.line(of: last.range.lowerBound)] {
      let words = comment.split(separator: " ").map(String.init)
      isBackup = words.first?.lowercased() == "backup:"
      let rest = (isBackup ? Array(words.dropFirst()) : words).joined(separator: " ")
      // Longer ones are sentences, and no names.
      if rest.utf8.count <= 48 { name = rest }
    }
    return WrittenPin(text: value, name: name, isBackup: isBackup, place: place(of: argument, in: text))
  }

  private func place(of argument: Range<Int>, in text: SourceText) -> Place {
    // An argument may have nothing in it, as between two commas: the place is then that of what follows.
    let first = min(argument.lowerBound, text.tokens.count - 1)
    let last = max(first, argument.upperBound - 1)
    return text.places.place(text.tokens[first].range.lowerBound..<text.tokens[last].range.upperBound)
  }

  private static func isPin(_ value: String?) -> Bool {
    value?.hasPrefix("sha256/") == true || value?.hasPrefix("sha1/") == true
  }

  /// The text that an argument stands for: literals and constants, with `+` between them; nil where it is anything else.
  private func value(of argument: Range<Int>, in text: SourceText) -> String? {
    var index = argument.lowerBound
    // Kotlin: pattern = "…"
    if argument.count > 2, text.tokens[index].name != nil, text.tokens[index + 1].isSign("=") { index += 2 }
    var value = ""
    while index < argument.upperBound {
      switch text.tokens[index].kind {
      case .text(let part?): value += part
      case .name(var name):
        while index + 2 < argument.upperBound, text.tokens[index + 1].isSign("."),
          let member = text.tokens[index + 2].name
        {
          name = member
          index += 2
        }
        guard let part = constants[name] else { return nil }
        value += part
      case .text(nil), .sign, .other: return nil
      }
      index += 1
      if index < argument.upperBound {
        guard text.tokens[index].isSign("+"), index + 1 < argument.upperBound else { return nil }
        index += 1
      }
    }
    return value
  }
}

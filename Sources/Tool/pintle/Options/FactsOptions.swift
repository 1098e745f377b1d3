import ArgumentParser

/// How facts are written: for people, or for programs.
enum FactsFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

/// `--format` of the commands that print facts.
struct FactsOptions: ParsableArguments {
  @Option(help: "text or json.")
  var format = FactsFormat.text

  /// Writes the facts to standard output; nil where there are none in text.
  func write(text: @autoclosure () -> String?, json: @autoclosure () -> String) throws(CommandFailure) {
    switch format {
    case .text: if let text = text() { try Console.write(text) }
    case .json: try Console.write(json())
    }
  }

  /// Rejects two results for one standard output.
  func check(output: String?) throws {
    if format == .json, output == "-" {
      throw ValidationError("--format json can't be combined with -o -: give -o a file.")
    }
  }
}

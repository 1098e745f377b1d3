import ArgumentParser
import Diagnostics

/// A mistake on the command line, in our words: ArgumentParser has its own, and a list of all options with them.
enum UsageMistake {
  /// - Parameters:
  ///   - text: What ArgumentParser says: `Error: …`, then perhaps `Help: …`, then `Usage: …`.
  ///   - arguments: The command line without the program.
  /// - Returns: The same as a failure; nil for a text of another kind.
  static func failure(_ text: String, in arguments: some Sequence<String>) -> CommandFailure? {
    guard text.hasPrefix("Error: ") else { return nil }
    var rest = text.dropFirst("Error: ".count)
    if let usage = rest.ranges(of: "\nUsage: ").last { rest = rest[..<usage.lowerBound] }
    var about: String?
    if let help = rest.ranges(of: "\nHelp:  ").last {
      about = rest[help.upperBound...].firstRange(of: "  ").map { String(rest[$0.upperBound...]) }
      rest = rest[..<help.lowerBound]
    }
    let (path, example) = command(in: arguments)
    let (message, advice) = words(String(rest), about, example)
    return CommandFailure(
      .usage, message,
      help: [advice, "'\(path) --help' shows all options."].compactMap(\.self).joined(separator: " "))
  }

  private static let longestAbout = 70

  /// What is wrong, and what to do.
  private static func words(_ text: String, _ about: String?, _ example: String?) -> (String, String?) {
    if let name = quoted(text, after: "Missing expected argument ") {
      // An example says more than a long list of what the argument may be.
      let short = about.flatMap { example != nil && $0.utf8.count > longestAbout ? nil : $0 }
      return (
        "'\(name)' is missing", [short, example.map { "Example: \($0)." }].compactMap(\.self).joined(separator: " ")
      )
    }
    if let option = quoted(text, after: "Unknown option ") {
      let meant = text.firstRange(of: "Did you mean ").map { String(text[$0.lowerBound...]) }
      return ("there is no option '\(option)'", meant)
    }
    if text.hasPrefix("The value '"), let middle = text.firstRange(of: "' is invalid for '"),
      let end = text[middle.upperBound...].firstIndex(of: "'")
    {
      let value = text[..<middle.lowerBound].dropFirst("The value '".count)
      return (
        "'\(value)' is not valid for '\(text[middle.upperBound..<end])'", reason(text[end...].dropFirst()) ?? about
      )
    }
    return sentences(text)
  }

  /// `: Write a date.`, `. Please provide one of 'a' or 'b'.`, or the same with a list.
  private static func reason(_ text: Substring) -> String? {
    if let list = text.firstRange(of: "one of the following:\n") {
      let items = text[list.upperBound...].split(separator: "\n").map { String($0.drop { " -".contains($0) }) }
      return "Write \(items.listed("or"))."
    }
    if let list = text.firstRange(of: "Please provide one of ") {
      return "Write " + text[list.upperBound...].filter { $0 != "'" }.replacing(" and ", with: " or ")
    }
    let reason = text.drop { ": .".contains($0) }
    return reason.isEmpty ? nil : String(reason)
  }

  /// The first sentence is the message, the others say what to do.
  private static func sentences(_ text: String) -> (String, String?) {
    let end = text.firstRange(of: ". ")
    var message = end.map { text[..<$0.lowerBound] } ?? text[...]
    if message.hasSuffix(".") { message.removeLast() }
    // A name in capitals stays as it is.
    let isWord = message.dropFirst().first.map { $0.isLowercase || $0 == " " } ?? false
    return (
      isWord ? message.prefix(1).lowercased() + message.dropFirst() : String(message),
      end.map { String(text[$0.upperBound...]) }
    )
  }

  /// What is in quotes behind the beginning of a text.
  private static func quoted(_ text: String, after start: String) -> Substring? {
    guard text.hasPrefix(start + "'") else { return nil }
    let rest = text.dropFirst(start.count + 1)
    let end = rest.firstRange(of: "'. ")?.lowerBound ?? rest.lastIndex(of: "'")
    return end.map { rest[..<$0] }
  }

  /// The command as it is called, and the first example of its help in one line.
  private static func command(in arguments: some Sequence<String>) -> (path: String, example: String?) {
    var command: any ParsableCommand.Type = Pintle.self
    var path = "pintle"
    for argument in arguments {
      guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == argument })
      else { break }
      command = next
      path += " " + argument
    }
    var example = ""
    for line in command.configuration.discussion.split(separator: "\n").drop(while: { $0 != "EXAMPLES:" }).dropFirst() {
      let words = line.drop { $0 == " " }
      guard words.hasSuffix("\\") else { return (path, example + words) }
      example += words.dropLast()
    }
    return (path, nil)
  }
}

import ArgumentParser

/// A value on the command line that says, where it can't be read, how to write one.
protocol ExplainedArgument: ExpressibleByArgument {
  /// One sentence with an example.
  static var howTo: String { get }
}

extension ExplainedArgument {
  /// Reads a value, for the `transform` of an option.
  static func read(_ text: String) throws -> Self {
    guard let value = Self(argument: text) else { throw ValidationError(howTo) }
    return value
  }
}

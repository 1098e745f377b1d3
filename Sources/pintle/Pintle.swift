import ArgumentParser

/// TLS pins as policy.
@main
struct Pintle: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "pintle", abstract: "TLS pins as policy.")
}

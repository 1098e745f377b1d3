import ArgumentParser
import Diagnostics

/// `pintle collect`: hands over to the receiver of reports, which is a program of its own.
struct Collect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collect",
    abstract: "Receive reports of mismatches, store them and show them.",
    discussion: """
      Starts pintle-collect with the same arguments. It is a separate program, so that only those who run a collector \
      build an HTTP server and a database. It is looked for beside pintle, then on the PATH.

      EXAMPLES:
        pintle collect --help
        pintle collect --database pins.sqlite
      """)

  @Argument(parsing: .captureForPassthrough, help: "The arguments of pintle-collect; see its own --help.")
  var arguments: [String] = []

  func run() throws {
    let companion = Companion("pintle-collect")
    guard let path = companion.path else {
      throw CommandFailure(
        .failed, "there is no pintle-collect beside pintle or on the PATH",
        help: "Build it in Pintle's repository: swift build -c release --traits Collector --product pintle-collect. "
          + "Then copy .build/release/pintle-collect into pintle's folder.")
    }
    throw companion.replaceThisProcess(path, arguments: arguments)
  }
}

import Foundation
import TestSupport
import Testing

@Suite("One version")
struct OneVersionTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ file: String) throws -> String {
    try String(contentsOf: root.appending(path: file), encoding: .utf8)
  }

  /// The wheel, the Debian packages and the release take theirs from the same source; libpintle and pkg-config from the
  /// header.
  @Test(
    "every program and package says the version of pintle",
    arguments: [
      ("Sources/Service/pintle-agent/PintleAgent.swift", #"version: "(.*)""#),
      ("Sources/Service/pintle-collect/PintleCollect.swift", #"version: "(.*)""#),
      ("clients/jvm/pom.xml", "<artifactId>pintle</artifactId>\\s*<version>(.*)</version>"),
    ])
  func inSources(file: String, pattern: String) throws {
    let place = try Workplace()
    let current = try place.run("pintle --version").stdoutText.trimmingCharacters(in: .newlines)
    let found = try #require(try Self.text(file).firstMatch(of: try Regex(pattern))?[1].substring, "\(file)")
    #expect(found == current)
  }

  @Test("so does the header")
  func header() throws {
    let place = try Workplace()
    let current = try place.run("pintle --version").stdoutText.trimmingCharacters(in: .newlines)
    let numbers = try Self.text("include/pintle.h").matches(of: #/#define PINTLE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)/#)
    #expect(numbers.map { String($0.output.1) }.joined(separator: ".") == current)
  }
}

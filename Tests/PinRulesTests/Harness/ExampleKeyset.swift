import Diagnostics
import Foundation
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import Testing

/// The keyset that an example's commands make: `pintle keyset init`, then perhaps a next version.
struct ExampleKeyset {
  let keyset: Keyset
  let previous: Keyset?
  let diagnostics: [Diagnostic]

  init(_ example: Example) throws {
    let text = try #require(example.files.first).text.replacing(/\\\n */, with: "")
    var versions: [Keyset] = []
    for line in text.split(separator: "\n") {
      var command = Command(line)
      let next = try command.keyset(after: versions.last)
      try #require(command.options.isEmpty, "unknown options: \(command.options)")
      versions.append(next)
    }
    keyset = try #require(versions.last)
    previous = versions.dropLast().last
    diagnostics = KeysetInput(keyset, after: previous, at: example.instant).diagnostics()
  }

  func rendered(_ code: String) -> String {
    TextRenderer().render(
      Report(
        diagnostics: diagnostics.filter { $0.code == code },
        sources: SourceSet([SourceSet.File(path: "\(keyset.version).keyset.json", bytes: [])]),
        tool: Report.Tool(name: "pintle", version: "0"), instant: ""))
  }
}

/// One command line of an example.
private struct Command {
  let words: [String]
  var options: [(name: String, value: String)] = []

  init(_ line: Substring) {
    let words = line.split(separator: " ").map(String.init)
    let end = words.firstIndex { $0.hasPrefix("-") } ?? words.count
    self.words = Array(words[..<end])
    options = stride(from: end, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
  }

  mutating func keyset(after last: Keyset?) throws -> Keyset {
    _ = take("-o")
    let issued = try instant("--issued-at")
    let expires = try instant("--expires")
    let threshold = take("--threshold").first.flatMap { Int($0) }
    let rootThreshold = take("--root-threshold").first.flatMap { Int($0) }
    switch words {
    case ["$", "pintle", "keyset", "init"]:
      return try KeysetPlan.first(
        audience: try #require(take("--audience").first), issued: issued, expires: expires,
        roots: try keys("--root"), rootThreshold: try #require(rootThreshold), signers: try keys("--signer"),
        threshold: try #require(threshold))
    case ["$", "pintle", "keyset", "next", "1.keyset.json"]:
      let added = try keys("--add")
      let removed =
        take("--revoke").map { KeysetRequest.Edit.revoke($0, adding: added) }
        + take("--remove-signer").map { .removeSigner($0) }
      return try request(
        removed + keys("--add-signer").map { .addSigner($0) }, threshold, issued: issued, expires: expires, last)
    default:
      throw UnknownCommand(words: words)
    }
  }

  struct UnknownCommand: Error {
    let words: [String]
  }

  private mutating func request(
    _ edits: [KeysetRequest.Edit], _ threshold: Int?, issued: Instant, expires: Instant, _ last: Keyset?
  ) throws -> Keyset {
    let restart = take("--restart").first.flatMap { Int64($0) }
    return try KeysetRequest(
      edits, threshold: threshold, issued: issued, expires: expires, restartSerialsAt: restart
    ).next(after: try #require(last))
  }

  private mutating func take(_ name: String) -> [String] {
    defer { options.removeAll { $0.name == name } }
    return options.filter { $0.name == name }.map(\.value)
  }

  private mutating func instant(_ name: String) throws -> Instant {
    try #require(take(name).first.flatMap { Instant(written: $0) })
  }

  /// `alice=alice.pub`: a key that is the same for the same file.
  private mutating func keys(_ name: String) throws -> [Keyset.Key] {
    try take(name).map { argument in
      let parts = argument.split(separator: "=").map(String.init)
      try #require(parts.count == 2)
      return Keyset.Key(name: parts[0], subjectPublicKeyInfo: Array(parts[1].utf8))
    }
  }
}

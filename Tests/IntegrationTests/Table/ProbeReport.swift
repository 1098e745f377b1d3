import Foundation
import TestSupport

/// What `pintle` said with `--format json`, as far as the set-ups compare it.
struct ProbeReport: Sendable, CustomStringConvertible {
  struct Finding: Decodable, Hashable, Sendable {
    struct Related: Decodable, Hashable, Sendable {
      var message: String
    }

    var code: String
    var severity: String
    var message: String
    var help: String
    var related: [Related]?

    /// Everything that it says.
    var text: String { ([message, help] + (related ?? []).map(\.message)).joined(separator: "\n") }
  }

  private struct Document: Decodable {
    var findings: [Finding]
  }

  let status: Int32
  /// Standard output to the byte.
  let output: [UInt8]
  /// The findings about live servers.
  let findings: [Finding]
  private let errors: String

  init(_ result: RunResult) throws {
    status = result.status
    output = result.stdout
    errors = result.stderrText
    do {
      let document = try JSONDecoder().decode(Document.self, from: Data(output))
      findings = document.findings.filter { $0.code.hasPrefix("P5") }
    } catch {
      throw RunError.failed(command: "pintle", status: status, stderr: errors + result.stdoutText)
    }
  }

  var description: String {
    let lines = findings.map { "\($0.severity) \($0.code): \($0.text)" }
    return "status \(status)\n\(errors)" + lines.joined(separator: "\n")
  }
}

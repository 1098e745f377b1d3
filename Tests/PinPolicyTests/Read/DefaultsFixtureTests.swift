import Diagnostics
import Foundation
import PinPolicy
import PolicySupport
import Testing

/// `Scripts/check-schemas` checks `schemas/defaults.schema.json` with the same files.
@Suite("Files of default options that are accepted, and files that aren't")
struct DefaultsFixtureTests {
  private static let folder = ExampleFiles.directory.appending(path: "../defaults")

  private static func names(_ kind: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: kind).path)) ?? []).sorted()
  }

  private func read(_ kind: String, _ name: String) throws -> (defaults: ProjectDefaults, problems: [PolicyProblem]) {
    let bytes = try Data(contentsOf: Self.folder.appending(path: "\(kind)/\(name)"))
    return ProjectDefaults.read(Array(bytes), file: FileID(0))
  }

  @Test("Accepted", arguments: names("valid"))
  func valid(name: String) throws {
    #expect(try read("valid", name).problems == [])
  }

  @Test("Refused", arguments: names("invalid"))
  func invalid(name: String) throws {
    #expect(try !read("invalid", name).problems.isEmpty)
  }

  @Test("There are enough of both")
  func count() {
    #expect(Self.names("valid").count >= 3)
    #expect(Self.names("invalid").count >= 20)
  }

  @Test("Values are as they are written, in the order of the file")
  func values() throws {
    let options = try read("valid", "everything.yaml").defaults.options
    #expect(
      options.map { "\($0.value.place.start.line) \($0.name) \($0.value.value)" } == [
        "3 against /srv/pins/released", "4 evidence fleet.json", "6 trust-store android=stores/android.pem",
        "7 trust-store java=/srv/pins/cacerts.pem", "8 format concise", "9 jobs 16", "10 retries 0", "11 timeout 30",
      ])
  }

  @Test("What a file may give and what it may not are two lists")
  func refused() throws {
    for name in ProjectDefaults.refused.keys {
      let (_, problems) = ProjectDefaults.read(Array("version: 1\n\(name): 1\n".utf8), file: FileID(0))
      guard case .unknownField(name, "defaults file", _) = problems.first?.kind else {
        Issue.record("\(name)")
        continue
      }
    }
  }

  @Test("No file is read that is longer than such a file can be")
  func tooLong() {
    let bytes = [UInt8](repeating: UInt8(ascii: "#"), count: ProjectDefaults.sizeLimit + 1)
    let problems = ProjectDefaults.read(bytes, file: FileID(0)).problems
    #expect(problems.map(\.kind) == [.fileTooLarge(bytes: bytes.count, limit: ProjectDefaults.sizeLimit)])
  }
}

import Foundation
import PolicySupport
import Testing

/// `Scripts/check/schemas` checks `schemas/policy.schema.json` with the same files.
@Suite("Policies that are accepted, and policies that aren't")
struct PolicyFixtureTests {
  @Test("Accepted", arguments: fixtures("valid"))
  func valid(name: String) throws {
    #expect(try problems("valid", name) == [])
  }

  @Test("Refused", arguments: fixtures("invalid"))
  func invalid(name: String) throws {
    #expect(try !problems("invalid", name).isEmpty)
  }

  @Test("There are enough of both")
  func count() {
    #expect(fixtures("valid").count >= 12)
    #expect(fixtures("invalid").count >= 25)
  }

  private func problems(_ kind: String, _ name: String) throws -> [String] {
    let bytes = try ExampleFiles.bytes("../policies/\(kind)/\(name)")
    // The settings of the whole manifest may be in another file.
    return try describe(ExampleFiles.resolve(bytes)).filter { !$0.hasSuffix(" missingSettings") }
  }
}

private func fixtures(_ kind: String) -> [String] {
  let folder = ExampleFiles.directory.appending(path: "../policies/\(kind)")
  return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
}

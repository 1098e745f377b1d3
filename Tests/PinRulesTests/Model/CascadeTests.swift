import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import Testing

@Suite("The real error first")
struct CascadeTests {
  private static let keys = """
    version: 1
    manifest: { audience: test }
    keys:
      a: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=, algorithm: ec-p256 }
      b: { pin: sha256/mBCcRSzHo9h+ts6eFAB63pif9vRVE9627bqru5tsynI=, algorithm: rsa, custody: HSM A }

    """
  private static let hosts = """
    version: 1
    key-sets:
      web: { active: [a], backup: [b] }
    hosts:
      - { host: api.example.com, keys: web }
      - { host: API.example.org, keys: web }

    """

  /// What is shown, each as its file and code.
  private static func shown(_ files: [String: String]) throws -> [String] {
    let sources = SourceSet(files.map { SourceSet.File(path: $0, bytes: Array($1.utf8)) })
    let policy = try Resolver.resolve(
      PolicyReader.read(sources),
      files: FileReader(root: "") { _ throws(FileReadError) in throw FileReadError("missing") })
    let found = Checker.check(CheckInput(policy: policy, at: Example("").instant)).diagnostics
    let shown = Cascade(of: policy).withoutConsequences(found)
    // Whatever is left out, the result has the same severity.
    let severities = [found, shown].map { diagnostics in diagnostics.map(\.severity).max() }
    #expect(severities[0] == severities[1])
    return shown.map { "\(sources[$0.place.file].path) \($0.code)" }
  }

  @Test("A file without a mistake in its text loses nothing")
  func sound() throws {
    #expect(try Self.shown(["a": Self.keys, "b": Self.hosts]) == ["b P401", "b P202", "b P401"])
  }

  @Test(
    "A tab or a missing bracket is all that is shown of its file, and comes first",
    arguments: [("  a:", "\ta:"), ("keys:\n", "keys: {\n"), ("version: 1\n", "version: 1\n\u{1}\n")])
  func syntax(_ part: String, _ broken: String) throws {
    let text = Self.keys.replacing(part, with: broken, maxReplacements: 1)
    let shown = try Self.shown(["z": text, "b": Self.hosts])
    #expect(shown.first == "z P103")
    #expect(Set(shown) == ["z P103", "b P401", "b P202"])
  }

  @Test("Names that a broken file may use or declare aren't called unused or undeclared")
  func names() throws {
    let shown = try Self.shown(["a": Self.keys, "b": Self.hosts.replacing("hosts:", with: "hosts: }")])
    #expect(shown == ["b P103"])
  }

  @Test("Files of a folder that may not be read are one finding")
  func forbiddenFolder() throws {
    let text = """
      version: 1
      keys:
        a: { file: keys/a.pem }
        b: { file: keys/b.pem }
        c: { file: other/c.pem }

      """
    let sources = SourceSet([SourceSet.File(path: "web.yaml", bytes: Array(text.utf8))])
    let policy = try Resolver.resolve(
      PolicyReader.read(sources),
      files: FileReader(root: "") { _ throws(FileReadError) in throw FileReadError("Permission denied") })
    let found = Checker.check(CheckInput(policy: policy, at: Example("").instant)).diagnostics
      .filter { $0.code == "P311" }
    #expect(
      found.map(\.message) == [
        "2 files in 'keys/' can't be read: permission denied", "'other/c.pem' can't be read: permission denied",
      ])
    #expect(found.allSatisfy { $0.help.contains("permission to read") })
  }
}

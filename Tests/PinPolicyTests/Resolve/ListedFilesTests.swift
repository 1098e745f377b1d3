import Diagnostics
import PinPolicy
import Testing

@Suite("A policy directory that somebody else lists")
struct ListedFilesTests {
  private func directory(_ files: [PolicyDirectory.Listed]) -> PolicyDirectory {
    PolicyDirectory(files, root: "main:policies/") { path throws(FileReadError) in
      if path.hasSuffix("gone.yaml") { throw FileReadError("it is gone") }
      return Array("version: 1\n".utf8)
    }
  }

  @Test("has the files that a directory on disk would have, sorted, under the root's name")
  func files() {
    let found = directory([
      .init(path: "web.yaml", kind: .file(11)), .init(path: "below/b.yml", kind: .file(11)),
      .init(path: ".hidden.yaml", kind: .file(11)), .init(path: ".git/c.yaml", kind: .file(11)),
      .init(path: "README.md", kind: .file(11)), .init(path: "other.yaml", kind: .submodule),
    ])
    #expect(found.sources.files.map(\.path) == ["main:policies/below/b.yml", "main:policies/web.yaml"])
    #expect(found.problems.isEmpty)
    #expect(found.asked == nil)
  }

  @Test("says of each file that can't be read why not, and reads none that is too large")
  func problems() {
    let size = PolicyReader.sizeLimit + 1
    let found = directory([
      .init(path: "a-link.yaml", kind: .link), .init(path: "b-gone.yaml", kind: .file(11)),
      .init(path: "c-large.yaml", kind: .file(size)),
    ])
    #expect(
      found.problems.map(\.kind) == [
        .unreadableFile(reason: "a symbolic link of a commit isn't followed"), .unreadableFile(reason: "it is gone"),
        .fileTooLarge(bytes: size, limit: PolicyReader.sizeLimit),
      ])
  }

  @Test("without a policy file is reported")
  func nothing() {
    #expect(directory([.init(path: "keys/a.pem", kind: .file(900))]).problems.map(\.kind) == [.noPolicyFiles])
  }

  @Test(
    "reads a key file only where one is listed",
    arguments: [
      ("keys/a.pem", nil), ("keys/link.pem", "a symbolic link of a commit isn't followed"),
      ("theirs", "it is a submodule"), ("theirs/b.pem", "it lies in a submodule"),
      ("keys/none.pem", "it doesn't exist"),
      ("keys/large.pem", "it has more than 1 MiB"),
    ] as [(String, String?)])
  func keyFiles(path: String, reason: String?) {
    let found = directory([
      .init(path: "keys/a.pem", kind: .file(900)), .init(path: "keys/link.pem", kind: .link),
      .init(path: "theirs", kind: .submodule), .init(path: "keys/large.pem", kind: .file(1 << 20 + 1)),
    ])
    var failure: String?
    do throws(FileReadError) { _ = try found.files.read(path) } catch { failure = error.reason }
    #expect(failure == reason)
  }
}

import Diagnostics
import Foundation
import PinPolicy
import PolicySupport
import Testing

@Suite("Policy directories on disk")
struct PolicyDirectoryTests {
  @Test("All policy files are found, and nothing else")
  func finding() throws {
    let folder = try Folder([
      "b.yaml": "version: 1\n", "a.yml": "version: 1\n", "sub/deep/c.yaml": "version: 1\n", ".hidden.yaml": "x",
      ".git/d.yaml": "x", "notes.txt": "x", "yaml": "x",
    ])
    let directory = try PolicyDirectory.load([folder.path])
    #expect(directory.problems.isEmpty)
    #expect(directory.asked == nil)
    #expect(
      directory.sources.files.map(\.path)
        == ["a.yml", "b.yaml", "sub/deep/c.yaml"].map { folder.path + "/" + $0 })
  }

  @Test("What looks like a policy file by its name, and isn't read, is a problem")
  func misnamed() throws {
    let folder = try Folder([
      "b.yaml": "version: 1\n", "sub/e.YAML": "x", "F.Yml": "x", ".G.YAML": "x", "h.yaml.bak": "x",
    ])
    let directory = try PolicyDirectory.load([folder.path])
    #expect(directory.problems.map(\.kind) == [.misnamedFile, .misnamedFile])
    #expect(
      directory.problems.map { directory.sources[$0.place.file].path.dropFirst(folder.path.count) }
        == ["/F.Yml", "/sub/e.YAML"])
    #expect(directory.sources.files.map(\.bytes) == [[], Array("version: 1\n".utf8), []])
    let listed = PolicyDirectory(
      [
        .init(path: "b.yaml", kind: .file(0)), .init(path: "X.YAML", kind: .file(1)), .init(path: "Y.YML", kind: .link),
      ],
      root: "at/"
    ) { _ in [] }
    #expect(listed.problems.map(\.kind) == [.misnamedFile, .misnamedFile])
  }

  @Test("A part of the policy that is named like tests is a problem; tests aren't")
  func policyNamedAsTests() throws {
    let texts = [
      "a.yaml": "version: 1\n", "b.test.yaml": "version: 1\ntests:\n- name: keys\n  keys: [a]\n",
      "sub/c.test.yml": "version: 1\nkeys:\n  a: {}\n", ".d.test.yaml": "hosts: []",
      "sub/e.test.yml": "{ version: 1, hosts: [] }", "sub/f.test.yaml": "version: 1\n\"hosts\": []\ntests: []\n",
      "sub/g.test.yaml": String(repeating: " ", count: PolicyTestFile.sizeLimit + 1), "h.test.yaml": "tests: [x]",
    ]
    let folder = try Folder(texts)
    let listed = PolicyDirectory(
      texts.map { .init(path: $0.key, kind: .file($0.value.utf8.count)) }, root: "at/"
    ) { Array((texts[$0] ?? "").utf8) }
    for directory in [try PolicyDirectory.load([folder.path]), listed] {
      let named = directory.problems.map { directory.sources[$0.place.file].path.split(separator: "/").last ?? "" }
      #expect(Set(named) == ["c.test.yml", "e.test.yml", "f.test.yaml", "g.test.yaml"])
      #expect(directory.sources.files.count == 5)
    }
  }

  @Test("Paths are shown as they were given", arguments: ["", "/", "//"])
  func display(ending: String) throws {
    let folder = try Folder(["a.yaml": "version: 1\n"])
    #expect(try PolicyDirectory.load([folder.path + ending]).sources.files.map(\.path) == [folder.path + "/a.yaml"])
  }

  @Test("A named file is shown alone, its directory is loaded whole")
  func namedFile() throws {
    let folder = try Folder(["a.yaml": "version: 1\n", "b.yaml": "version: 1\n", "sub/c.yaml": "version: 1\n"])
    let one = try PolicyDirectory.load([folder.path + "/b.yaml"])
    #expect(one.sources.files.count == 3)
    #expect(one.asked == [FileID(1)])
    let two = try PolicyDirectory.load([folder.path + "/sub/c.yaml", folder.path + "/b.yaml"])
    #expect(two.asked == [FileID(1), FileID(2)])
    #expect(try PolicyDirectory.load([folder.path, folder.path + "/b.yaml"]).asked == nil)
  }

  @Test("A named file of a subfolder is checked with the whole policy", arguments: ["manifest.yaml", "manifest.yml"])
  func namedFileBelow(manifest: String) throws {
    let folder = try Folder([manifest: "version: 1\n", "sub/deep/c.yaml": "version: 1\n", "sub/d.yaml": "version: 1\n"])
    let directory = try PolicyDirectory.load([folder.path + "/sub/deep/c.yaml"])
    #expect(
      directory.sources.files.map(\.path).map { $0.dropFirst(folder.path.count) }
        == [
          "/" + manifest, "/sub/d.yaml", "/sub/deep/c.yaml",
        ].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }[...].map { Substring($0) })
    #expect(directory.asked == [FileID(2)])
  }

  @Test("Paths are bytes: a folder whose name begins with a combining mark is found like any other")
  func combiningMark() throws {
    let folder = try Folder(["\u{301}x/a.yaml": "version: 1\nkeys: { k: { file: k.pem } }\n", "\u{301}x/k.pem": "x"])
    let problems = try PolicyDirectory.load([folder.path]).policy().problems.map(\.kind)
    #expect(problems.contains { if case .badKeyFile("k.pem", _) = $0 { true } else { false } }, "\(problems)")
  }

  @Test("Paths that name no policy")
  func refused() throws {
    let folder = try Folder(["a/a.yaml": "", "b/b.yaml": "", "c.txt": "", "empty/x": ""])
    let path = folder.path
    #expect(throws: PolicyDirectoryError.unreadable(path + "/none", reason: "No such file or directory")) {
      try PolicyDirectory.load([path + "/none"])
    }
    #expect(throws: PolicyDirectoryError.notAPolicyFile(path + "/c.txt")) {
      try PolicyDirectory.load([path + "/c.txt"])
    }
    #expect(throws: PolicyDirectoryError.severalDirectories(path + "/a/", path + "/b/")) {
      try PolicyDirectory.load([path + "/a", path + "/b"])
    }
    let empty = try PolicyDirectory.load([path + "/empty"])
    #expect(empty.problems.map(\.kind) == [.noPolicyFiles])
    #expect(try describe(empty.policy()) == ["1:1-2 noPolicyFiles"])
  }

  @Test("Links that lead out, links to directories and what isn't a file are problems, each in its place")
  func links() throws {
    let outside = try Folder(["out.yaml": "version: 1\n", "out.pem": "x"])
    let folder = try Folder(["real.yaml": "version: 1\n", "sub/inner.yaml": "version: 1\n"])
    try folder.link("in.yaml", to: "sub/inner.yaml")
    try folder.link("out.yaml", to: outside.path + "/out.yaml")
    try folder.link("gone.yaml", to: "nowhere")
    try folder.link("folder", to: "sub")
    try folder.link("loop", to: ".")
    try folder.link("self.yaml", to: "self.yaml")
    #expect(mkfifo(folder.path + "/pipe.yaml", 0o600) == 0)
    let directory = try PolicyDirectory.load([folder.path])
    let found = directory.problems.map { problem in
      String(directory.sources[problem.place.file].path.dropFirst(folder.path.count + 1)) + ": \(problem.kind)"
    }
    #expect(
      found == [
        "folder: unreadableFile(reason: \"a link to a directory isn\\'t followed\")",
        "gone.yaml: unreadableFile(reason: \"it doesn\\'t exist\")",
        "loop: unreadableFile(reason: \"a link to a directory isn\\'t followed\")",
        "out.yaml: unreadableFile(reason: \"it lies outside the policy directory\")",
        "pipe.yaml: unreadableFile(reason: \"it isn\\'t a file\")",
        "self.yaml: unreadableFile(reason: \"Too many levels of symbolic links\")",
      ])
    #expect(directory.sources.files.contains { $0.path.hasSuffix("/in.yaml") && !$0.bytes.isEmpty })
  }

  @Test("Key files are read from inside the directory only")
  func keyFiles() throws {
    let outside = try Folder(["out.pem": "x"])
    let folder = try Folder(["keys/a.pem": "content", "a.yaml": "version: 1\n"])
    try folder.link("keys/out.pem", to: outside.path + "/out.pem")
    try folder.write("keys/large.pem", Data(count: FileReader.sizeLimit + 1))
    let read = try PolicyDirectory.load([folder.path]).files.read
    #expect(try read("keys/a.pem") == Array("content".utf8))
    let failures = [
      "keys/out.pem": "it lies outside the policy directory", "keys/none.pem": "it doesn't exist",
      "keys": "it isn't a file", "keys/large.pem": "it has more than 1 MiB",
    ]
    for (path, reason) in failures {
      #expect(throws: FileReadError(reason)) { try read(path) }
    }
  }
}

/// A directory of a test's own, removed with it.
private final class Folder {
  let path: String

  init(_ files: [String: String]) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "pintle-" + UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in files { try write(name, Data(text.utf8)) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func write(_ name: String, _ data: Data) throws {
    let file = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
  }
}

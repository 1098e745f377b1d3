import Diagnostics
import Foundation
import PinPolicy
import TestSupport
import Testing

@Suite struct PolicyDraftTests {
  private static let sample = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "policies/keys")

  private let directory: TemporaryDirectory
  private let root: String

  init() throws {
    directory = try TemporaryDirectory()
    root = directory.path + "/"
    try directory.write("version: 1\nmanifest: { audience: test }\n", to: "manifest.yaml")
    try directory.write("version: 1\nkeys:\n  a: { file: keys/a.pem }\n", to: "keys.yaml")
    try copy("amazon-root-ca-1.pem")
  }

  /// Puts another certificate where the key's file is.
  private func copy(_ name: String) throws {
    try directory.write(try readFile(Self.sample.appending(path: name).path()), to: "keys/a.pem")
  }

  @Test func unsavedTextsLieOverTheFiles() throws {
    var draft = PolicyDraft(root: root)
    #expect(try draft.read(under: [:]).policy.keys.map(\.name.value) == ["a"])
    let texts = [
      root + "keys.yaml": "version: 1\nkeys:\n  b: { file: keys/a.pem }\n",
      root + "new/more.yaml": "version: 1\nkeys:\n  c: {}\n",
      root + ".hidden.yaml": "version: 1\nkeys:\n  d: {}\n", "/elsewhere/x.yaml": "version: 1\nkeys:\n  e: {}\n",
      root + "notes.txt": "version: 1\nkeys:\n  f: {}\n",
    ].mapValues { Array($0.utf8) }
    let reading = try draft.read(under: texts)
    #expect(reading.policy.keys.map(\.name.value) == ["b", "c"])
    #expect(
      reading.parsed.sources.files.map(\.path) == ["keys.yaml", "manifest.yaml", "new/more.yaml"].map { root + $0 })
    // Nothing was written to disk, and without the texts the files count again.
    #expect(try draft.read(under: [:]).policy.keys.map(\.name.value) == ["a"])
  }

  @Test func whatChangesOnDiskIsReadAgain() throws {
    var draft = PolicyDraft(root: root)
    let before = try #require(try draft.read(under: [:]).policy.keys.first?.pin)
    #expect(try draft.read(under: [:]).policy.keys.first?.pin == before)
    try copy("gts-root-r4.pem")
    let after = try #require(try draft.read(under: [:]).policy.keys.first?.pin)
    #expect(after != before)
    try FileManager.default.removeItem(atPath: directory.path("keys/a.pem"))
    let without = try draft.read(under: [:]).policy
    #expect(without.keys.first?.pin == nil)
    #expect(without.problems.contains { if case .unreadableKeyFile = $0.kind { true } else { false } })
    try directory.write("version: 1\nkeys:\n  z: { file: keys/a.pem }\n", to: "keys.yaml")
    try copy("amazon-root-ca-1.pem")
    let back = try draft.read(under: [:]).policy
    #expect(back.keys.map(\.name.value) == ["z"])
    #expect(back.keys.first?.pin == before)
  }

  @Test func aFileThatCantBeReadMeansWhatItMeantLast() throws {
    var draft = PolicyDraft(root: root)
    _ = try draft.read(under: [:])
    let reading = try draft.read(under: [root + "keys.yaml": Array("version: 1\nkeys: {\n".utf8)])
    #expect(reading.policy.keys.isEmpty)
    #expect(try draft.meaning(of: reading).keys.map(\.name.value) == ["a"])
  }

  @Test func aReadingIsWhatReadingAnewSays() throws {
    var draft = PolicyDraft(root: root)
    for text in [
      "version: 1\n", "version: 1\nkeys:\n  a: { file: keys/a.pem }\n  a: {}\n", "[", "version: 1\nhosts: x\n",
    ] {
      try directory.write(text, to: "keys.yaml")
      let anew = try PolicyDirectory.load([directory.path]).policy()
      let reading = try draft.read(under: [:]).policy
      #expect(reading.problems == anew.problems)
      #expect(reading.sourcesDigest == anew.sourcesDigest)
      #expect(reading.keys.map(\.pin) == anew.keys.map(\.pin))
    }
  }

  @Test func aDirectoryThatIsGoneIsAnError() throws {
    var draft = PolicyDraft(root: directory.path("nowhere") + "/")
    #expect(throws: PolicyDraftError.self) { try draft.read(under: [:]) }
  }
}

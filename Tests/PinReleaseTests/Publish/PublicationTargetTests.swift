import Diagnostics
import Foundation
import PinPolicy
import PinRelease
import TestSupport
import Testing

/// Folders and commands as targets, whatever is there.
@Suite("Publication targets")
struct PublicationTargetTests {
  private let folder: TemporaryDirectory
  private var site: String { folder.path("site") }

  init() throws {
    folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: folder.path("site"), withIntermediateDirectories: false)
  }

  @Test func aFolderKeepsWhatIsCreated() throws {
    let target = try FolderTarget(site)
    #expect(try target.read("a/b/1.json", limit: 9) == nil)
    try target.create([1], at: "a/b/1.json")
    #expect(throws: WorkFailure.self) { try target.create([2], at: "a/b/1.json") }
    #expect(try target.read("a/b/1.json", limit: 9) == [1])
    try target.replace("a/m.json", holding: nil, with: [1])
    try target.replace("a/m.json", holding: [1], with: [2])
    #expect(try target.read("a/m.json", limit: 9) == [2])
    #expect(try folder.read("site/a/m.json") == [2])
  }

  @Test("Links are neither followed nor replaced by what is created", arguments: ["a", "a/b", "a/b/1.json"])
  func links(_ link: String) throws {
    try FileManager.default.createDirectory(atPath: folder.path("outside/b"), withIntermediateDirectories: true)
    try folder.write("x", to: "outside/b/1.json")
    try folder.write("x", to: "outside/1.json")
    let parent = URL(filePath: site).appending(path: link).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    let outside = link.hasSuffix(".json") ? "outside/b/1.json" : "outside"
    try FileManager.default.createSymbolicLink(atPath: site + "/" + link, withDestinationPath: folder.path(outside))
    let target = try FolderTarget(site)
    #expect(throws: WorkFailure.self) { try target.read("a/b/1.json", limit: 9) }
    #expect(throws: WorkFailure.self) { try target.create([1], at: "a/b/1.json") }
    #expect(try folder.read("outside/b/1.json") == Array("x".utf8))
  }

  @Test func aLinkInThePlaceOfAPointerIsReplacedItself() throws {
    try folder.write("x", to: "outside")
    try folder.write("", to: "site/a/other")
    try FileManager.default.createSymbolicLink(
      atPath: site + "/a/m.json", withDestinationPath: folder.path("outside"))
    try FolderTarget(site).replace("a/m.json", holding: nil, with: [1])
    #expect(try folder.read("outside") == Array("x".utf8))
    #expect(try folder.read("site/a/m.json") == [1])
  }

  @Test func leftoversOfKilledProcessesGo() throws {
    let kept = ["b.txt.0123456789abc", "m.json", "m.json.1234567890ABC", "m.json.gz", "m.json.sha256"]
    for name in kept + ["m.json.0123456789abc", "7.json.0123456789"] { try folder.write("x", to: "site/a/" + name) }
    try folder.write("x", to: "site/b/m.json.0123456789abc")
    try FolderTarget(site).tidy(beside: ["a/m.json", "a/7.json", "c/m.json"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: site + "/a").sorted() == kept)
    #expect(try FileManager.default.contentsOfDirectory(atPath: site + "/b") == ["m.json.0123456789abc"])
  }

  @Test func theLockIsAFile() throws {
    try folder.write("x", to: "site/lock/important")
    let failure = #expect(throws: WorkFailure.self) { try FolderTarget(site).whileAlone {} }
    #expect(failure?.message.hasSuffix("is not a file, and pintle's lock has this name") == true)
    #expect(try folder.read("site/lock/important") == Array("x".utf8))
  }

  @Test func aMissingFolderIsNotMade() throws {
    let failure = #expect(throws: WorkFailure.self) { try FolderTarget(folder.path("sight")) }
    #expect(failure?.help?.contains("mkdir -p") == true)
  }

  private func command(_ text: String) -> CommandTarget {
    CommandTarget(
      UserCommand("cd '\(site)'; " + text, limit: .seconds(30), setBy: "--timeout") { name, _ in
        preconditionFailure("\(name) was interrupted")
      })
  }

  /// The contract in a few words; `$1` is the call, `$2` the path.
  private static let store = """
    f() { case $1 in
      read) [ -e "$2" ] || return 44; cat "$2" ;;
      create) mkdir -p "${2%/*}"; set -C; cat >"$2" ;;
      replace) [ "$3" = "$( [ ! -e "$2" ] && echo none || sha256sum <"$2" | cut -c 1-64)" ] && cat >new && mv new "$2" ;;
    esac; }; f
    """

  @Test func aCommandReadsAndWrites() throws {
    let target = command(Self.store)
    #expect(try target.read("a/1.json", limit: 9) == nil)
    try target.create([0, 255, 10], at: "a/1.json")
    try target.create([0, 255, 10], at: "a/1.json")
    #expect(throws: WorkFailure.self, "it has other bytes") { try target.create([1], at: "a/1.json") }
    #expect(try target.read("a/1.json", limit: 9) == [0, 255, 10])
    try target.replace("a/m.json", holding: nil, with: [1])
    try target.replace("a/m.json", holding: [1], with: [2])
    #expect(throws: WorkFailure.self, "it changed") { try target.replace("a/m.json", holding: [1], with: [3]) }
    #expect(try target.read("a/m.json", limit: 9) == [2])
    let long = [UInt8](repeating: 7, count: 3_000_000)
    try target.create(long, at: "a/2.json")
    #expect(try target.read("a/2.json", limit: long.count) == long)
    #expect(throws: WorkFailure.self) { try target.read("a/2.json", limit: long.count - 1) }
  }

  @Test(
    "A command that can't be right is refused",
    arguments: [
      ("exit 1; true", "failed with status 1 (read a/1.json)"),
      ("kill -9 $$; true", "was ended by signal 9 (Killed) (read a/1.json)"),
      ("nothing-of-this-name 2>/dev/null", "failed with status 127 (read a/1.json)"),
      ("f() { echo x; return 44; }; f", "wrote 2 bytes and ended with 44"),
    ])
  func readFailures(_ text: String, _ message: String) throws {
    let failure = #expect(throws: WorkFailure.self) { try command(text).read("a/1.json", limit: 99) }
    #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
  }

  @Test(
    "A command that says it wrote and didn't isn't believed",
    arguments: [
      "f() { [ $1 != read ] || return 44; }; f", "f() { [ $1 != read ] || echo other; }; f",
    ])
  func emptyPromises(_ text: String) throws {
    let failure = #expect(throws: WorkFailure.self) { try command(text).create([1], at: "a/1.json") }
    #expect(failure != nil)
    let other = #expect(throws: WorkFailure.self) { try command(text).replace("a/m.json", holding: nil, with: [1]) }
    #expect(other?.message.contains("said that it wrote 'a/m.json'") == true, "\(other?.message ?? "")")
  }

  @Test func argumentsAreNotReadByTheShell() throws {
    let target = command("printf '%s|'")
    #expect(try target.read("a b;$(id)'\"", limit: 99) == Array("read|a b;$(id)'\"|".utf8))
  }
}

import Diagnostics
import Testing

@testable import PinLanguageServer

@Suite struct TextTests {
  private static let text = "a: 1\r\nb: 💚x\nc: ü\rd"

  static let positions: [(offset: Int, encoding: String, line: Int, character: Int)] = [
    (0, "utf-16", 0, 0), (4, "utf-16", 0, 4), (6, "utf-16", 1, 0), (9, "utf-16", 1, 3), (13, "utf-16", 1, 5),
    (13, "utf-8", 1, 7), (13, "utf-32", 1, 4), (15, "utf-16", 2, 0), (20, "utf-16", 2, 4), (20, "utf-8", 2, 5),
    (21, "utf-32", 3, 0), (22, "utf-16", 3, 1),
  ]

  @Test(arguments: positions)
  func bytesAndPositionsAreTheSamePlaces(offset: Int, encoding: String, line: Int, character: Int) throws {
    let lines = TextLines(Array(Self.text.utf8))
    let units = try #require(PositionEncoding(rawValue: encoding))
    let position = WirePosition(line: line, character: character)
    #expect(lines.position(of: offset, units) == position)
    #expect(lines.offset(of: position, units) == offset)
  }

  static let outside: [(WirePosition, Int)] = [
    (WirePosition(line: 0, character: 99), 4), (WirePosition(line: 99, character: 0), 22),
    (WirePosition(line: -1, character: 5), 0), (WirePosition(line: 1, character: -1), 0),
    // Between the two halves of a character.
    (WirePosition(line: 1, character: 4), 9),
  ]

  @Test(arguments: outside)
  func aPlaceOutsideIsTheNearestInside(position: WirePosition, offset: Int) {
    #expect(TextLines(Array(Self.text.utf8)).offset(of: position, .utf16) == offset)
  }

  @Test func changesAreMadeOneAfterTheOther() {
    var document = OpenDocument(uri: "file:///a.yaml", path: "/a.yaml", version: 1, text: "one\ntwo 💚 three\n")
    let range = WireRange(start: WirePosition(line: 1, character: 4), end: WirePosition(line: 1, character: 6))
    let end = WirePosition(line: 2, character: 0)
    document.change(
      [
        DidChangeParameters.Change(range: range, text: "2\n"),
        DidChangeParameters.Change(range: WireRange(start: end, end: end), text: "!"),
      ], version: 2, .utf16)
    #expect(String(decoding: document.text.bytes, as: UTF8.self) == "one\ntwo 2\n! three\n")
    document.change([DidChangeParameters.Change(range: nil, text: "all")], version: 3, .utf16)
    #expect(String(decoding: document.text.bytes, as: UTF8.self) == "all")
    #expect(document.version == 3)
  }

  @Test func placesCountScalars() {
    let lines = TextLines(Array("x\n💚ü: y".utf8))
    let place = Place(
      file: FileID(0), start: Position(line: 2, column: 3), end: Position(line: 2, column: 6))
    #expect(lines.span(of: place) == 8..<11)
    #expect(lines.range(of: place, .utf16).start == WirePosition(line: 1, character: 3))
  }

  static let addresses: [(String, String?)] = [
    ("file:///a/b.yaml", "/a/b.yaml"), ("file://localhost/a", "/a"), ("FILE:///a%20b/%C3%BC", "/a b/ü"),
    ("file:///a/../b/./c//d", "/b/c/d"), ("file://host/a", nil), ("untitled:1", nil), ("file:///a%", nil),
    ("file:///a%00", nil), ("file:///%FF", nil), ("http://a/b", nil), ("", nil),
  ]

  @Test(arguments: addresses)
  func addressesArePathsOfThisMachine(uri: String, path: String?) {
    #expect(DocumentAddress.path(of: uri) == path)
  }

  @Test(arguments: ["/a b/ü#?%.yaml", "/plain/a-b_c~d.yaml"])
  func pathsComeBack(path: String) {
    #expect(DocumentAddress.path(of: DocumentAddress.uri(of: path)) == path)
  }
}

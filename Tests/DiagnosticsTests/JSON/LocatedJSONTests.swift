import Diagnostics
import Testing

struct LocatedJSONTests {
  static func read(_ text: String, comments: Bool = false) throws -> LocatedJSON {
    try LocatedJSON(Array(text.utf8), file: FileID(0), allowsComments: comments)
  }

  @Test func valuesKnowWhereTheyStand() throws {
    let root = try Self.read("{\n  \"ä\": [1, -20.5e+3, true],\n  \"b\": {\"c\": null, \"d\": \"x\"}\n}").root
    let members = try #require(root.members)
    #expect(members.map { $0.name.text } == ["ä", "b"])
    #expect(members.map { $0.name.place.start } == [Position(line: 2, column: 3), Position(line: 3, column: 3)])
    let items = try #require(members[0].value.items)
    #expect(items.map(\.noun) == ["a number", "a number", "a Boolean"])
    #expect(items[2].bool == true)
    #expect(items[1].place.start == Position(line: 2, column: 12))
    #expect(root["b"]?["d"]?.text == "x")
    #expect(root["b"]?["d"]?.place.end == Position(line: 3, column: 28))
    #expect(root["b"]?["missing"] == nil && root["missing"] == nil)
  }

  @Test(arguments: [
    (#""\u00e9\ud83d\ude00\n\"\\\/""#, "é😀\n\"\\/"), (#""\ud83d""#, "\u{FFFD}"), (#""""#, ""),
    (#""\ud83dx""#, "\u{FFFD}x"),
  ])
  func escapes(json: String, text: String) throws {
    #expect(try Self.read(json).root.text == text)
  }

  @Test func commentsAreReadOverWhereTheyAreAllowed() throws {
    let text = "// one\n{ /* two\n */ \"a\" /**/ : // \"no\"\n [ /*x*/ ] }\n// end"
    #expect(try Self.read(text, comments: true).root["a"]?.items?.isEmpty == true)
    #expect(throws: JSONTextError.self) { try Self.read(text) }
    #expect(throws: JSONTextError.self) { try Self.read("{} /* no end", comments: true) }
    #expect(throws: JSONTextError.self) { try Self.read("{} / {}", comments: true) }
    #expect(try Self.read(#"{"a": "// text"}"#, comments: true).root["a"]?.text == "// text")
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{}{}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
    "{1:2}", "tru", "nul", "+1", "01", "-", "1.", ".5", "1e", "\"", "\"\\", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"",
    "\"\n\"", "'a'", "[1]]", "}", "\u{FEFF}{}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "NaN",
  ])
  func whatIsNoJSONIsRefused(text: String) {
    #expect(throws: JSONTextError.self) { try Self.read(text) }
  }

  @Test(arguments: [
    "null", "true", "0", "-0", "1e9", "0.5", "\"\"", "[]", "{}", " [ ] ", "[[],{}]", "{\"a\":{\"a\":1}}",
  ])
  func whatIsJSONIsRead(text: String) throws {
    _ = try Self.read(text)
  }

  @Test func brokenUTF8IsRefused() {
    #expect(throws: JSONTextError.self) { try LocatedJSON([0x22, 0xC3, 0x22], file: FileID(0)) }
  }

  @Test func limitsHold() throws {
    var limits = LocatedJSON.Limits()
    (limits.bytes, limits.depth, limits.values) = (100, 4, 8)
    func code(_ text: String) -> JSONTextError.Code? {
      do throws(JSONTextError) {
        _ = try LocatedJSON(Array(text.utf8), file: FileID(0), limits: limits)
        return nil
      } catch { return error.code }
    }
    #expect(code("[[[[]]]]") == nil)
    #expect(code("[[[[[]]]]]") == .overLimit)
    #expect(code("[1,2,3,4,5,6,7]") == nil)
    #expect(code("[1,2,3,4,5,6,7,8]") == .overLimit)
    #expect(code(String(repeating: " ", count: 101)) == .tooLarge)
    // Deep nesting needs no stack.
    limits = LocatedJSON.Limits()
    #expect(code(String(repeating: "[", count: 1_000_000)) == .overLimit)
  }

  @Test func manyNamesAreComparedToo() throws {
    let names = (0..<500).map { "\"n\($0)\":0" }
    _ = try Self.read("{" + names.joined(separator: ",") + "}")
    #expect(throws: JSONTextError.self) { try Self.read("{" + (names + ["\"n7\":1"]).joined(separator: ",") + "}") }
  }
}

import Diagnostics
import PinExchange
import Testing

struct XMLWriterTests {
  @Test func elementsAreWrittenAsPeopleDo() {
    var writer = XMLWriter(indentation: "    ")
    writer.comment(["one line"])
    writer.start("root")
    writer.comment(["first", "", "last"])
    writer.start("group", [("name", "a & b")])
    writer.element("item", [("n", "1")], text: "x < y")
    writer.element("empty")
    writer.end()
    #expect(
      String(decoding: writer.bytes(), as: UTF8.self) == """
        <?xml version="1.0" encoding="utf-8"?>
        <!-- one line -->
        <root>
            <!--
              first

              last
            -->
            <group name="a &amp; b">
                <item n="1">x &lt; y</item>
                <empty />
            </group>
        </root>

        """)
  }

  @Test(arguments: ["plain", "a<b>&\"'", "tab\tline\nreturn\r", "ü€𝄞", "]]>", "&amp;", "--", "a\u{0}b\u{1F}c\u{FFFE}"])
  func whatIsWrittenReadsBack(text: String) throws {
    var writer = XMLWriter(indentation: "  ")
    writer.comment([text, text + "-"])
    writer.comment([text + "-"])
    writer.element("a", [("b", text)], text: text)
    let root = try XMLReader.read(writer.bytes(), file: FileID(0))
    let kept = String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { ($0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0)) && $0.value != 0xFFFE })
    )
    #expect(root.attribute("b")?.value == kept)
    #expect(root.text?.value == String(kept.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()))
  }
}

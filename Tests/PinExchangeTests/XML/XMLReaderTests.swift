import Diagnostics
import PinExchange
import Testing

struct XMLReaderTests {
  /// A tree in one line: names with attributes, texts in quotation marks, each with where it begins.
  private static func outline(_ element: XMLElement) -> String {
    let attributes = element.attributes.map { " \($0.name)=\($0.value.value)@\(text($0.value.place))" }.joined()
    let children = element.children.map { node in
      switch node {
      case .element(let element): outline(element)
      case .text(let text): "'\(text.value)'@\(Self.text(text.place))"
      }
    }
    return "\(element.name)\(attributes)@\(text(element.place))(\(children.joined(separator: " ")))"
  }

  private static func text(_ place: Place) -> String {
    "\(place.start.line):\(place.start.column)-\(place.end.line):\(place.end.column)"
  }

  private static func read(_ text: String, _ limits: XMLLimits = XMLLimits()) throws(XMLComplaint) -> XMLElement {
    try XMLReader.read(Array(text.utf8), file: FileID(0), limits: limits)
  }

  @Test(arguments: [
    ("<a/>", "a@1:1-1:5()"),
    ("<a></a>", "a@1:1-1:4()"),
    ("<a> b </a>", "a@1:1-1:4('b'@1:5-1:6)"),
    ("<a>\n  b c\n</a>", "a@1:1-1:4('b c'@2:3-2:6)"),
    ("<a>\r\n\tb\r\n</a>", "a@1:1-1:4('b'@2:2-2:3)"),
    // Columns count scalars of one, two, three and four bytes.
    ("<a>ü€𝄞<b/></a>", "a@1:1-1:4('ü€𝄞'@1:4-1:7 b@1:7-1:11())"),
    ("<a ü='€' b=\"2\"><c/></a>", "a ü=€@1:7-1:8 b=2@1:13-1:14@1:1-1:16(c@1:16-1:20())"),
    ("<a x = 'a\"b' y=\"it's\"/>", "a x=a\"b@1:9-1:12 y=it's@1:17-1:21@1:1-1:24()"),
    ("<a\n  b='1'\n  c='>'>t</a>", "a b=1@2:6-2:7 c=>@3:6-3:7@1:1-3:9('t'@3:9-3:10)"),
    // A comment doesn't split a text, and isn't part of it.
    ("<a>b<!-- x -->c</a>", "a@1:1-1:4('bc'@1:4-1:16)"),
    ("<a><!-- <b/> --></a>", "a@1:1-1:4()"),
    ("<a>b&amp;c</a>", "a@1:1-1:4('b&c'@1:4-1:11)"),
    ("<a>&#65;&#x42;</a>", "a@1:1-1:4('AB'@1:4-1:15)"),
    ("<a><![CDATA[<b>]]></a>", "a@1:1-1:4('<b>'@1:13-1:16)"),
    ("<n:a xmlns:n='u' n:b='1'/>", "n:a xmlns:n=u@1:15-1:16 n:b=1@1:23-1:24@1:1-1:27()"),
    ("<a><?x y?>b</a>", "a@1:1-1:4('b'@1:11-1:12)"),
    ("\u{FEFF}<a/>", "a@1:2-1:6()"),
    ("<?xml version='1.0' encoding='UTF-8'?>\n<a/>", "a@2:1-2:5()"),
    ("<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://example.com/x.dtd\"><a/>", "a@1:81-1:85()"),
    ("<a>1<b>2</b>3</a>", "a@1:1-1:4('1'@1:4-1:5 b@1:5-1:8('2'@1:8-1:9) '3'@1:13-1:14)"),
  ])
  func treesHavePlaces(text: String, outline: String) throws {
    #expect(Self.outline(try Self.read(text)) == outline)
  }

  @Test(arguments: [
    ("", "1:1", "it is empty"),
    ("   ", "1:4", "it isn't well-formed XML: no element found"),
    ("nothing", "1:1", "it isn't well-formed XML: syntax error"),
    ("<a>\n  <b></a>", "2:8", "it isn't well-formed XML: mismatched tag"),
    ("<a/><b/>", "1:5", "it isn't well-formed XML: junk after document element"),
    ("<a b='1' b='2'/>", "1:10", "it isn't well-formed XML: duplicate attribute"),
    ("<a>&nbsp;</a>", "1:4", "it isn't well-formed XML: undefined entity"),
    ("<!DOCTYPE a SYSTEM 'x.dtd'><a>&nbsp;</a>", "1:31", "the entity '&nbsp;' is not defined in XML"),
    (
      "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "1:13",
      "its document type declares something, which could mean anything"
    ),
    (
      "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>", "1:13",
      "its document type declares something, which could mean anything"
    ),
    ("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "1:1", "it is declared to be in 'ISO-8859-1'"),
    ("<a>\u{1}</a>", "1:4", "it isn't well-formed XML: not well-formed (invalid token)"),
    (
      "<?xml version='1.0'?><a><?xml version='1.0'?></a>", "1:25",
      "it isn't well-formed XML: XML or text declaration not at start of entity"
    ),
  ])
  func refusalsSayWhereAndWhy(text: String, place: String, message: String) {
    let complaint = #expect(throws: XMLComplaint.self) { try Self.read(text) }
    #expect(complaint?.message == message)
    #expect(complaint.map { "\($0.place.start.line):\($0.place.start.column)" } == place)
    #expect(complaint?.help.hasSuffix(".") == true)
  }

  @Test(arguments: [[0xFF, 0xFE, 0x3C, 0x00], [0x3C, 0x61, 0x3E, 0xFC, 0x3C, 0x2F, 0x61, 0x3E]] as [[UInt8]])
  func otherEncodingsAreRefused(bytes: [UInt8]) {
    let complaint = #expect(throws: XMLComplaint.self) { try XMLReader.read(bytes, file: FileID(0)) }
    #expect(complaint?.message == "it isn't UTF-8")
  }

  @Test func limitsHold() throws {
    var limits = XMLLimits()
    limits.depth = 3
    #expect(throws: Never.self) { try Self.read("<a><b><c/></b></a>", limits) }
    #expect(throws: XMLComplaint.self) { try Self.read("<a><b><c><d/></c></b></a>", limits) }
    limits = XMLLimits()
    limits.nodes = 3
    #expect(throws: Never.self) { try Self.read("<a><b>c</b></a>", limits) }
    #expect(throws: XMLComplaint.self) { try Self.read("<a><b>c</b>d</a>", limits) }
    limits = XMLLimits()
    limits.attributes = 1
    #expect(throws: Never.self) { try Self.read("<a b='1'/>", limits) }
    #expect(throws: XMLComplaint.self) { try Self.read("<a b='1' c='2'/>", limits) }
    limits = XMLLimits()
    limits.bytes = 4
    #expect(throws: Never.self) { try Self.read("<a/>", limits) }
    #expect(throws: XMLComplaint.self) { try Self.read("<ab/>", limits) }
  }

  /// Far more than any stack could take, in the least bytes.
  @Test func depthIsRefusedEarly() {
    let deep = String(repeating: "<a>", count: 1_000_000)
    #expect(throws: XMLComplaint.self) { try Self.read(deep) }
  }

  /// Lines and columns are counted once, however many places are asked for.
  @Test(.timeLimit(.minutes(1)))
  func timeGrowsWithTheLength() throws {
    let many = "<a>" + String(repeating: "<b c='1' d='2'>e</b>\n", count: 50_000) + "</a>"
    let root = try Self.read(many)
    #expect(root.elements.count == 50_000)
    #expect(root.elements.last?.attribute("d")?.place.start == Position(line: 50_000, column: 13))
  }
}

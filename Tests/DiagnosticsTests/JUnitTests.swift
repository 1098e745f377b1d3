import Diagnostics
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("JUnit")
struct JUnitTests {
  @Test func casesAndTheirOutcomes() throws {
    let found = try read(JUnitRenderer(failLevel: .warning).render(Sample.everything))
    #expect(found.names["testsuite"] == 4)
    #expect(found.names["testcase"] == 6)
    #expect(found.names["failure"] == 2)
    #expect(found.names["skipped"] == 1)
    #expect(found.names["system-out"] == 2)
    #expect(found.totals == ["name": "pintle", "tests": "6", "failures": "2", "errors": "0"])
  }

  @Test func theFailLevelDecides() throws {
    let found = try read(JUnitRenderer(failLevel: .error).render(Sample.everything))
    #expect(found.names["failure"] == 1)
    #expect(found.names["system-out"] == 3)
  }

  @Test(arguments: [
    ("plain", "plain"), ("<a href=\"b\">&amp;'", "<a href=\"b\">&amp;'"), ("]]>", "]]>"),
    ("\0\u{8}\u{1B}", "<U+0000><U+0008><U+001B>"), ("a\nb\tc\r", "a<U+000A>b<U+0009>c<U+000D>"),
    ("\u{FFFE}\u{FFFF}", "<U+FFFE><U+FFFF>"), ("🔑\u{1FFFF}", "🔑<U+1FFFF>"),
  ])
  func text(_ written: String, _ shown: String) throws {
    let report = Sample.report("x\u{1}", [Sample.finding(1, 1, 1, 2, written)], path: written)
    let found = try read(JUnitRenderer().render(report))
    #expect(found.messages == [shown])
    #expect(found.suites == [shown])
    #expect(found.text.contains("1 | x<U+0001>"))
  }

  private func read(_ text: String) throws -> Reader {
    let parser = XMLParser(data: Data(text.utf8))
    let reader = Reader()
    parser.delegate = reader
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    return reader
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var names: [String: Int] = [:]
    var messages: [String] = []
    var suites: [String] = []
    var totals: [String: String] = [:]
    var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      names[name, default: 0] += 1
      switch name {
      case "testsuites": totals = attributes
      case "testsuite": suites.append(attributes["name"] ?? "")
      case "failure": messages.append(attributes["message"] ?? "")
      default: break
      }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }
}

import Foundation
import TestSupport
import Testing

/// `pintle probe --html`: the page of what was found.
struct ProbeHTMLTests {
  @Test func aReplayWritesThePage() throws {
    let place = try Workplace()
    let command =
      "pintle probe fleet --replay evidence/example.json --at 2026-11-22 --html page.html >log 2>&1; cat page.html"
    let first = try place.run(command)
    #expect(first.stdoutText.hasPrefix("<!DOCTYPE html>\n"))
    #expect(first.stdoutText.contains("<details id=\"host-api.example.com:443\""))
    // The table of hosts says what is wrong, and names break at their dots.
    #expect(first.stdoutText.contains("old.<wbr/>example.<wbr/>com:443</a></th>"))
    #expect(first.stdoutText.contains("<td>name not resolved</td>"))
    #expect(try place.run(command).stdout == first.stdout)
  }

  @Test func aPageThatCannotBeWrittenIsSaidBeforeAnybodyIsAsked() throws {
    let place = try Workplace()
    let port = try freePort()
    let result = try place.run("pintle probe --host 127.0.0.1:\(port) --html missing/page.html")
    #expect(result.status == 1)
    #expect(result.stderrText.contains("can't write 'missing/page.html'"))
    #expect(result.stderrText.contains("No server was probed. Create the directory, or name another file."))
  }

  @Test func thePageIsAFile() throws {
    let result = try Workplace().run("pintle probe --host 127.0.0.1:1 --html -")
    #expect(result.status == 64)
    #expect(result.stderrText.contains("name a file"))
  }

  @Test func aServerThatCannotBeAskedIsOnThePage() throws {
    let place = try Workplace()
    let port = try freePort()
    let result = try place.run("pintle probe --host 127.0.0.1:\(port) --retries 0 --html page.html")
    #expect(result.status == 5)
    let page = try place.run("cat page.html").stdoutText
    #expect(page.contains("<h1><span class=\"sign\" aria-hidden=\"true\">?</span> Unknown whether"))
    #expect(page.contains("not reached"))
  }
}

import Diagnostics
import Testing

@Suite("Comma-separated values")
struct CommaSeparatedTests {
  @Test(
    "are quoted as RFC 4180 says",
    arguments: [
      (["a", "", "b c"], "a,,b c\r\n"), (["a,b", "c"], "\"a,b\",c\r\n"), (["say \"no\""], "\"say \"\"no\"\"\"\r\n"),
      (["one\ntwo", "a\r"], "\"one\ntwo\",\"a\r\"\r\n"),
      (["=1+1", "+1", "-1", "@a", "\ta", "\r", "a=1"], "'=1+1,'+1,'-1,'@a,'\ta,\"'\r\",a=1\r\n"),
    ])
  func quoting(fields: [String], line: String) {
    #expect(CommaSeparated.line(fields).utf8.elementsEqual(line.utf8))
  }
}

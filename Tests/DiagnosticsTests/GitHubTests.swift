import Diagnostics
import Testing

@Suite("GitHub workflow commands")
struct GitHubTests {
  @Test(arguments: [
    ("plain", "plain"), ("100%", "100%25"), ("a\r\nb\nc", "a%0D%0Ab%0Ac"), ("a:b,c", "a:b,c"),
    ("%0A", "%250A"), ("\u{1B}[0m\u{9B}", "<U+001B>[0m<U+009B>"), ("::error::x", "::error::x"), ("é🔑", "é🔑"),
  ])
  func messages(_ text: String, _ written: String) {
    let report = Sample.report("abc", [Sample.finding(1, 1, 1, 2, code: "P100", text)])
    #expect(
      firstLine(report) == "::error file=policy.yaml,line=1,col=1,endLine=1,endColumn=2,title=P100::\(written)")
  }

  @Test(arguments: [
    ("a b.yaml", "a b.yaml"), ("a:b,c.yaml", "a%3Ab%2Cc.yaml"), ("50%\r\n", "50%25%0D%0A"), ("\u{7}", "<U+0007>"),
  ])
  func properties(_ path: String, _ written: String) {
    let report = Sample.report("abc", [Sample.finding(1, 1, 1, 2, severity: .warning)], path: path)
    #expect(
      firstLine(report)
        == "::warning file=\(written),line=1,col=1,endLine=1,endColumn=2,title=P313 missing-backup::wrong")
  }

  @Test func linesOnlyWhereARangeIsLonger() {
    let report = Sample.report("abc", [Sample.finding(2, 5, 4, 2, code: "P100", severity: .note)])
    #expect(firstLine(report) == "::notice file=policy.yaml,line=2,endLine=4,title=P100::wrong")
  }

  @Test func helpAndRelatedPlacesFollowTheMessage() {
    let finding = Sample.finding(
      1, 1, 1, 2, code: "P100", help: "Mend it.", citation: "RFC 1",
      related: [.init("first here", at: Sample.place(3, 4, 3, 5))])
    #expect(
      firstLine(Sample.report("", [finding])).hasSuffix(
        "::wrong%0Apolicy.yaml:3:4: first here%0Ahelp: Mend it.%0Asource: RFC 1"))
  }

  @Test func theGravestComeFirst() {
    let findings = [Severity.note, .error, .warning, .error].enumerated().map { number, severity in
      Sample.finding(number + 1, 1, number + 1, 2, severity: severity, "\(number)")
    }
    let lines = GitHubRenderer().render(Sample.report("", findings)).split(separator: "\n")
    #expect(
      lines.map { $0.split(separator: "::").last ?? "" } == [
        "1", "3", "2", "0", "2 errors, 1 warning, 1 note in 1 file",
      ])
  }

  @Test func saysWhatGitHubWillNotShow() {
    let findings = (1...23).map { Sample.finding($0, 1, $0, 2) } + [Sample.finding(30, 1, 30, 2, severity: .warning)]
    let lines = GitHubRenderer().render(Sample.report("", findings)).split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("::error ") } == 23)
    #expect(
      lines.suffix(2) == [
        "23 errors, 1 warning in 1 file", "GitHub annotates 10 of 23 errors here; this log has them all",
      ])
  }

  private func firstLine(_ report: Report) -> String {
    GitHubRenderer().render(report).split(separator: "\n").first.map { String($0) } ?? ""
  }
}

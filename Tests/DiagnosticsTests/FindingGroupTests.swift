import Diagnostics
import Testing

@Suite("Findings with one cause")
struct FindingGroupTests {
  private static func report(_ findings: [Diagnostic], hosts: Set<String> = ["a.example", "b.example", "c.example"])
    -> Report
  {
    var report = Sample.report("one\ntwo\nthree\nfour\nfive\nsix\n", findings)
    report.hosts = hosts
    return report
  }

  private static func lacking(_ line: Int, _ host: String, _ set: String = "web", help: String = "Add it.")
    -> Diagnostic
  {
    Sample.finding(line, 1, line, 3, "'\(host)' requires a key that key set '\(set)' lacks", help: help)
  }

  private static func sizes(_ report: Report) -> [Int] { FindingGroup.all(in: report).map { $0.others.count + 1 } }

  @Test("Findings that differ in the host alone are one; any other difference keeps them apart")
  func likeness() {
    let first = Self.lacking(1, "a.example")
    let rows: [(Diagnostic, [Int])] = [
      (Self.lacking(2, "b.example"), [2]),
      (Self.lacking(2, "b.example:8443"), [2]),
      (Self.lacking(2, "a.example"), [2]),
      (Self.lacking(2, "other"), [1, 1]),
      (Self.lacking(2, "b.example", "api"), [1, 1]),
      (Self.lacking(2, "b.example", help: "Add it to 'x'."), [1, 1]),
      (Sample.finding(2, 1, 2, 3, severity: .warning, first.message, help: first.help), [1, 1]),
      (Sample.finding(2, 1, 2, 3, code: "P403", first.message, help: first.help), [1, 1]),
      (
        Sample.finding(
          2, 1, 2, 3, first.message, help: first.help, related: [.init("here", at: Sample.place(3, 1, 3, 3))]), [1, 1]
      ),
    ]
    for (second, sizes) in rows { #expect(Self.sizes(Self.report([first, second])) == sizes, "\(second.message)") }
  }

  @Test("Without the names of hosts only the same words are one cause")
  func sameWords() {
    let findings = [Self.lacking(1, "a.example"), Self.lacking(2, "b.example"), Self.lacking(3, "a.example")]
    #expect(Self.sizes(Self.report(findings, hosts: [])) == [2, 1])
  }

  @Test func theFirstInFullAndTheFirstPlacesOfTheOthers() {
    let findings = (1...6).map { Self.lacking($0, $0 == 1 ? "a.example" : "b.example") }
    #expect(
      TextRenderer().render(Self.report(findings)) == """
        policy.yaml:1:1: error: 'a.example' requires a key that key set 'web' lacks [P313]
          |
        1 | one
          | ^^
          = also: 5 more places with the same cause, of which --verbose shows all:
                  'b.example' at policy.yaml:2:1
                  'b.example' at policy.yaml:3:1
                  'b.example' at policy.yaml:4:1
          = help: Add it.

        1 error at 6 places in 1 file

        """)
    let lines = TextRenderer(showsAll: true).render(Self.report(findings)).split(separator: "\n")
    #expect(lines.count { $0.contains("error: ") } == 6)
    #expect(lines.last == "6 errors in 1 file")
  }

  @Test func oneLineForEachCause() {
    let findings = [Self.lacking(1, "a.example"), Self.lacking(2, "b.example"), Self.lacking(3, "c.example", "api")]
    #expect(
      ConciseRenderer().render(Self.report(findings)) == """
        policy.yaml:1:1: error: 'a.example' requires a key that key set 'web' lacks [P313] (and 1 more place)
        policy.yaml:3:1: error: 'c.example' requires a key that key set 'api' lacks [P313]
        2 errors at 3 places in 1 file

        """)
    #expect(ConciseRenderer(TextRenderer(hasSummary: false)).render(Self.report([])) == "")
  }

  @Test("Text keeps to the terminal's width, and says the same words", arguments: [40, 41, 57, 80, 200])
  func width(columns: Int) {
    let words = (1...40).map { String(repeating: "w", count: $0 % 11 + 1) }.joined(separator: " ")
    let finding = Sample.finding(
      1, 1, 1, 3, words, help: words + "\n" + words, related: [.init(words, at: Sample.place(2, 1, 2, 3))])
    let wrapped = TextRenderer(columns: columns).render(Self.report([finding]))
    #expect(wrapped.split(separator: "\n").allSatisfy { $0.unicodeScalars.count <= columns })
    let plain = TextRenderer().render(Self.report([finding]))
    #expect(wrapped.split(whereSeparator: \.isWhitespace) == plain.split(whereSeparator: \.isWhitespace))
  }

  @Test("A private key that was given as a policy isn't shown")
  func privateKey() {
    let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIP7y97XN\n-----END PRIVATE KEY-----\n"
    for form in FindingsFormat.allCases {
      let text = form.render(Sample.report(key, [Sample.finding(1, 1, 3, 26, "'policy file' takes a mapping")]))
      #expect(!text.contains("MC4C") && text.contains("takes a mapping"), "\(form)")
    }
  }
}

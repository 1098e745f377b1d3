import Diagnostics
import Testing

@Suite("Text, word for word")
struct TextRendererTests {
  @Test func aWholeFinding() {
    let text = """
      version: 1
      keys:
        web: { pin: sha256/AAAA }
      key-sets:
        public-web:
          active: [web]
      """
    let report = Sample.report(
      text,
      [
        Sample.finding(
          5, 3, 5, 13, "key set 'public-web' has no backup key", help: "Add a key to 'backup:'.",
          citation: "RFC 7469 section 4.3", related: [.init("its only key", at: Sample.place(3, 3, 3, 6))])
      ],
      suppressed: [.init(Sample.finding(3, 3, 3, 6), reason: "a trial", until: "2027-01-01T00:00:00Z")])
    #expect(
      TextRenderer().render(report) == """
        policy.yaml:5:3: error: key set 'public-web' has no backup key [P313]
          |
        5 |   public-web:
          |   ^^^^^^^^^^
        policy.yaml:3:3: note: its only key
          |
        3 |   web: { pin: sha256/AAAA }
          |   ^^^
          = help: Add a key to 'backup:'.
          = source: RFC 7469 section 4.3 (more: pintle explain P313)

        1 error in 1 file, 1 finding suppressed

        """)
  }

  @Test func placesInSeveralFilesAndASummary() {
    let sources = SourceSet([
      .init(path: "b.yaml", bytes: Array("bee".utf8)), .init(path: "a.yaml", bytes: Array("\(lines(11))ay".utf8)),
      .init(path: "c.yaml", bytes: []),
    ])
    let report = Report(
      diagnostics: [
        Sample.finding(12, 1, 12, 3, file: 0, "one", related: [.init("there", at: Sample.place(1, 1, 1, 4, file: 1))]),
        Sample.finding(1, 1, 1, 1, file: 2, code: "P403", severity: .warning, "two", help: "First.\nSecond."),
        Sample.finding(1, 1, 1, 1, file: 2, code: "P403", severity: .note, "three"),
      ],
      sources: sources, tool: .init(name: "pintle", version: "1"), instant: "2026-11-21T00:00:00Z")
    #expect(
      TextRenderer().render(report) == """
        a.yaml:12:1: error: one [P313]
           |
        12 | ay
           | ^^
        b.yaml:1:1: note: there
           |
         1 | bee
           | ^^^

        c.yaml:1:1: warning: two [P403]
          = help: First.
                  Second.

        c.yaml:1:1: note: three [P403]

        1 error, 1 warning, 1 note in 3 files

        """)
  }

  private func lines(_ count: Int) -> String { String(repeating: "\n", count: count) }

  @Test func nothingFound() {
    #expect(TextRenderer().render(Sample.report("", [])) == "no problems in 1 file\n")
  }

  @Test func colours() {
    let report = Sample.report("ab", [Sample.finding(1, 2, 1, 3, help: "Mend it.")])
    let shown = TextRenderer(isColoured: true).render(report).replacing("\u{1B}[", with: "␛")
    #expect(
      shown == """
        ␛1mpolicy.yaml:1:2: ␛0m␛1;31merror: ␛0m␛1mwrong [P313]␛0m
        ␛1;34m  |␛0m
        ␛1;34m1 |␛0m ab
        ␛1;34m  |␛0m  ␛1;31m^␛0m
          ␛1;34m= ␛0m␛1mhelp: ␛0mMend it.

        1 error in 1 file

        """)
  }
}

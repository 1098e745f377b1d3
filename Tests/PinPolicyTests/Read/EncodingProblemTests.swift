import PinPolicy
import Testing

@Suite("What isn't the text that it should be")
struct EncodingProblemTests {
  @Test(
    "Tabs, one problem a line",
    arguments: [
      (
        "version: 1\nhosts:\n\t- host: a.example\n\t  port: 1\n",
        [
          "3:1-2 tab",
          "4:1-2 tab",
        ]
      ),
      ("version: 1\nowner: a\t# why\n", ["2:9-10 tab"]),
      ("version: 1\nowner: \"a\tb\"\n", ["2:10-11 tab"]),
      ("version: 1\nowner:\ta\n", ["2:7-8 tab"]),
      (
        "version: 1\n# a\tcomment\nfoo: 1\n",
        [
          "2:4-5 tab",
          #"3:1-4 unknownField(name: "foo", within: "policy file")"#,
        ]
      ),
      (
        "version: 1\nowner: 日本\t\t語\nhosts:\n  -\thost: a.example\n",
        [
          "2:10-11 tab",
          "4:4-5 tab",
        ]
      ),
    ] as [ProblemCase])
  func tabs(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Byte order marks",
    arguments: [
      (
        "\u{FEFF}version: 1\nfoo: 1\n",
        [
          "1:1-2 byteOrderMark",
          #"2:1-4 unknownField(name: "foo", within: "policy file")"#,
        ]
      ),
      (
        "\u{FEFF}foo: 1\n",
        [
          "1:1-2 byteOrderMark",
          #"1:2-5 unknownField(name: "foo", within: "policy file")"#,
          #"1:2-5 missingField(name: "version", within: "policy file")"#,
        ]
      ),
      (
        "\u{FEFF}",
        [
          "1:1-2 byteOrderMark",
          #"1:1-2 missingField(name: "version", within: "policy file")"#,
        ]
      ),
      (
        "version: 1\nowner: a\u{FEFF}b\n",
        [#"2:9-10 invalidYAML(reason: "the file contains an invisible U+FEFF")"#]
      ),
      (
        "\u{FEFF}version: 1 # pintle:allow P404\n",
        [
          "1:1-2 byteOrderMark",
          #"1:13-32 malformedSuppression(reason: "\'until\' and an end date are missing")"#,
        ]
      ),
    ] as [ProblemCase])
  func marks(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Control characters and line breaks of other kinds",
    arguments: [
      (
        "version: 1\nowner: a\u{7}b\nfoo: 1\n",
        [
          #"2:9-10 invalidYAML(reason: "the file contains the control character U+0007")"#,
          #"3:1-4 unknownField(name: "foo", within: "policy file")"#,
        ]
      ),
      (
        "version: 1\nowner: a\u{0}b\nfoo: 1\n",
        [#"2:9-10 invalidYAML(reason: "the file contains the control character U+0000")"#]
      ),
      (
        "version: 1\nowner: a\u{7F}b\n",
        [#"2:9-10 invalidYAML(reason: "the file contains the control character U+007F")"#]
      ),
      (
        "version: 1\n# a\u{1B}[31m\n",
        [#"2:4-5 invalidYAML(reason: "the file contains the control character U+001B")"#]
      ),
      (
        "version: 1\nowner: a\u{85}mode: b\n",
        [#"2:9-10 invalidYAML(reason: "U+0085 is a line break to some readers only")"#]
      ),
      (
        "version: 1\n# a\u{2028}owner: [b]\n",
        [#"2:4-5 invalidYAML(reason: "U+2028 is a line break to some readers only")"#]
      ),
      (
        "version: 1\nowner: 'a\u{2029}b'\n",
        [#"2:10-11 invalidYAML(reason: "U+2029 is a line break to some readers only")"#]
      ),
      (
        "version: 1\nowner: a\u{FFFF}b\n",
        [#"2:9-10 invalidYAML(reason: "the file contains the control character U+FFFF")"#]
      ),
      (
        "version: 1\nowner: a\rfoo: 1\n",
        [#"2:9-10 invalidYAML(reason: "there is a carriage return without a line feed")"#]
      ),
      (
        "version: 1\rowner: a\r",
        [
          #"1:10-17 badScalar(field: "version", text: "1 owner", expected: "1, without quotes")"#,
          #"1:11-12 invalidYAML(reason: "there is a carriage return without a line feed")"#,
        ]
      ),
      ("version: 1\nowner: \u{A0}a\u{AD}\n", []),
    ] as [ProblemCase])
  func characters(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Lines that end in carriage return and line feed",
    arguments: [
      (
        "version: 1\r\nhosts:\r\n  - host: a.example\r\n    colour: red\r\n",
        [#"4:5-11 unknownField(name: "colour", within: "host entry")"#]
      ),
      (
        "version: 1\r\nowner: |\r\n  a\r\n  b\r\nfoo: 1\r\n",
        [#"5:1-4 unknownField(name: "foo", within: "policy file")"#]
      ),
      (
        "version: 1\r\n# pintle:allow P404\r\n",
        [#"2:1-20 malformedSuppression(reason: "\'until\' and an end date are missing")"#]
      ),
    ] as [ProblemCase])
  func windows(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }
}

import PinPolicy
import Testing

@Suite("What isn't YAML at all")
struct SyntaxProblemTests {
  @Test(
    "libyaml's complaints, in our words",
    arguments: [
      (
        "version: 1\nowner: a: b\nfoo: 1\n",
        [#"2:9-10 invalidYAML(reason: "a \':\' isn\'t allowed here unless the value is quoted")"#]
      ),
      (
        "version: 1\nowner: \"a@example.com\n",
        [#"2:8-9 invalidYAML(reason: "the quotation mark here is never closed")"#]
      ),
      (
        "version: 1\nowner: 'a\n\nhosts: []\n",
        [#"2:8-9 invalidYAML(reason: "the quotation mark here is never closed")"#]
      ),
      (
        "version: 1\nhosts: [a, b\nowner: c\n",
        [
          #"2:9-10 wrongShape(field: "item of hosts", expected: "a mapping", found: "a single value")"#,
          #"2:12-3:6 wrongShape(field: "item of hosts", expected: "a mapping", found: "a single value")"#,
          #"3:6-7 invalidYAML(reason: "a list in \'[…]\' goes on here without \',\' or \']\'") <- 2:8-9"#,
        ]
      ),
      (
        "version: 1\nkeys: { a: { file: x }\nowner: c\n",
        [#"3:1-2 invalidYAML(reason: "a mapping in \'{…}\' goes on here without \',\' or \'}\'") <- 2:7-8"#]
      ),
      (
        "version: 1\nowner: @a\n",
        [#"2:8-9 invalidYAML(reason: "a value can\'t begin with this character unless it is quoted")"#]
      ),
      (
        "version: 1\nowner: `a`\n",
        [#"2:8-9 invalidYAML(reason: "a value can\'t begin with this character unless it is quoted")"#]
      ),
      (
        "version: 1\nowner: %a\n",
        [#"2:8-9 invalidYAML(reason: "a value can\'t begin with this character unless it is quoted")"#]
      ),
      (
        "version: 1\nhosts:\n  - host: a\n   mode: off\n",
        [
          #"4:4-5 invalidYAML(reason: "a list item (\'- …\') should begin here, in line with the items above") <- 3:3-4"#
        ]
      ),
      (
        "version: 1\nhosts:\n  - host: a\n  mode: off\n",
        [
          #"4:3-4 invalidYAML(reason: "a list item (\'- …\') should begin here, in line with the items above") <- 3:3-4"#
        ]
      ),
      (
        "version: 1\n owner: a\n",
        [
          #"1:10-2:7 badScalar(field: "version", text: "1 owner", expected: "1, without quotes")"#,
          #"2:7-8 invalidYAML(reason: "a \':\' isn\'t allowed here unless the value is quoted")"#,
        ]
      ),
      (
        "version: 1\nowner a\nhosts: []\n",
        [#"3:1-2 invalidYAML(reason: "there is a field name without a \':\' before this") <- 2:1-2"#]
      ),
      (
        "version: 1\nowner: \"\\q\"\n",
        [
          #"2:9-10 invalidYAML(reason: "a \'\\\' in double quotes is followed by a character that it doesn\'t go with") <- 2:8-9"#
        ]
      ),
      (
        "version: 1\nowner: \"\\xZZ\"\n",
        [#"2:11-12 invalidYAML(reason: "an escape needs hexadecimal digits") <- 2:8-9"#]
      ),
      ("version: 1\nowner: - a\n", [#"2:8-9 invalidYAML(reason: "a list item (\'- …\') can\'t begin here")"#]),
      (
        "version: 1\nowner: \"a\" b\n",
        [#"2:12-13 invalidYAML(reason: "nothing can follow the value on its line")"#]
      ),
      (
        "version: 1\nowner: |x\n  a\n",
        [#"2:9-10 invalidYAML(reason: "the text of a \'|\' or \'>\' block begins on the line below it") <- 2:8-9"#]
      ),
      ("version: 1\nowner: ]\n", [#"2:8-9 invalidYAML(reason: "a value is missing")"#]),
      ("version: 1\nowner: &\n", [#"2:8-9 invalidYAML(reason: "an anchor has no place in a policy")"#]),
      (
        "version: 1\n- a\n",
        [#"2:1-2 invalidYAML(reason: "a field should begin here, in line with the fields above") <- 1:1-2"#]
      ),
      (
        "version: 1\nowner: [a]]\n",
        [
          #"2:8-11 wrongShape(field: "owner", expected: "a text", found: "a list")"#,
          #"2:11-12 invalidYAML(reason: "nothing can follow the value on its line")"#,
        ]
      ),
      (
        "version: 1\nkeys: { a: [ }\n",
        [
          #"2:12-13 wrongShape(field: "a", expected: "a mapping", found: "a list")"#,
          #"2:14-15 invalidYAML(reason: "a value is missing")"#,
        ]
      ),
      (
        "version: 1\nhosts: [?]\n",
        [
          #"2:11-12 unknownField(name: "", within: "host entry")"#,
          #"3:1-2 invalidYAML(reason: "a list in \'[…]\' goes on here without \',\' or \']\'") <- 2:8-9"#,
        ]
      ),
      (
        "version: 1\nowner: \"a\n---\nb\"\n",
        [#"2:8-9 invalidYAML(reason: "the quotation mark here is never closed")"#]
      ),
    ] as [ProblemCase])
  func complaints(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }
}

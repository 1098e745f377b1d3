import PinPolicy
import Testing

@Suite("What a policy file's shape may be")
struct ShapeProblemTests {
  @Test(
    "A file says its version",
    arguments: [
      ("", [#"1:1-2 missingField(name: "version", within: "policy file")"#]),
      ("# nothing but a comment\n", [#"1:1-2 missingField(name: "version", within: "policy file")"#]),
      ("---\n", [#"1:1-2 wrongShape(field: "policy file", expected: "a mapping", found: "nothing")"#]),
      ("version: 1\n", []),
      ("- a\n", [#"1:1-4 wrongShape(field: "policy file", expected: "a mapping", found: "a list")"#]),
      ("text\n", [#"1:1-5 wrongShape(field: "policy file", expected: "a mapping", found: "a single value")"#]),
      ("version: 2\nfuture: 1\n", [#"1:10-11 unsupportedVersion("2")"#]),
      ("version: \"1\"\n", [#"1:10-13 badScalar(field: "version", text: "1", expected: "1, without quotes")"#]),
      ("version: 1.0\n", [#"1:10-13 unsupportedVersion("1.0")"#]),
      ("version:\n", [#"1:1-8 wrongShape(field: "version", expected: "1, without quotes", found: "nothing")"#]),
      ("owner: a\nversion: 3\nfuture: 1\n", [#"2:10-11 unsupportedVersion("3")"#]),
    ] as [ProblemCase])
  func version(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Unknown fields, each with those that are known",
    arguments: [
      ("version: 1\nmanifest: { expires: 30d }\n", [#"2:13-20 unknownField(name: "expires", within: "manifest")"#]),
      (
        "version: 1\nmanifest: { limits: { hosts: 1 } }\n",
        [#"2:23-28 unknownField(name: "hosts", within: "limits")"#]
      ),
      (
        "version: 1\ndefaults: { Mode: off, mode: off }\n",
        [#"2:13-17 unknownField(name: "Mode", within: "defaults")"#]
      ),
      (
        "version: 1\nkeys: { a: { files: x, file: y } }\n",
        [#"2:14-19 unknownField(name: "files", within: "key")"#]
      ),
      (
        "version: 1\nkey-sets: { a: { passive: [b] } }\n",
        [#"2:18-25 unknownField(name: "passive", within: "key set")"#]
      ),
      (
        """
        version: 1
        hosts: [{ host: a.example, trust: { anchor: [x], exceptions: [{ failure: expired, certificate: x, until: 2027-01-01, reason: r, why: s }] } }]

        """,
        [
          #"2:37-43 unknownField(name: "anchor", within: "trust")"#,
          #"2:129-132 unknownField(name: "why", within: "exception")"#,
        ]
      ),
    ] as [ProblemCase])
  func unknown(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "A duplicate name, with the place of the first",
    arguments: [
      (
        "version: 1\nowner: a\nowner: b\nowner: c\n",
        [
          #"3:1-6 duplicateField(name: "owner") <- 2:1-6"#,
          #"4:1-6 duplicateField(name: "owner") <- 2:1-6"#,
        ]
      ),
      (
        "version: 1\nhosts:\n  - host: a.example\n    port: 1\n    host: [x]\n",
        [#"5:5-9 duplicateField(name: "host") <- 3:5-9"#]
      ),
      (
        "version: 1\nkeys:\n  a: { file: x }\n  b: { file: y }\n  a: { colour: z }\n",
        [#"5:3-4 duplicateField(name: "a") <- 3:3-4"#]
      ),
      (
        "version: 1\nkeys:\n  b: { file: y }\nkeys:\n  c: { file: z }\n",
        [#"4:1-5 duplicateField(name: "keys") <- 2:1-5"#]
      ),
    ] as [ProblemCase])
  func duplicate(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Fields that must be there",
    arguments: [
      (
        "version: 1\nhosts:\n  - port: 443\n  - {}\n  - { port: 443 }\n",
        [
          #"3:5-9 missingField(name: "host", within: "host entry")"#,
          #"4:5-6 missingField(name: "host", within: "host entry")"#,
          #"5:5-6 missingField(name: "host", within: "host entry")"#,
        ]
      ),
      (
        "version: 1\nkeys:\n  a: { position: leaf }\n  b: {}\n  c: { pin: x, file: y }\n",
        [
          #"3:6-7 missingField(name: "file or pin", within: "key")"#,
          #"4:6-7 missingField(name: "file or pin", within: "key")"#,
          #"5:13-14 badPin(text: "x", reason: "it doesn\'t begin with \'sha256/\'")"#,
          #"5:16-20 conflictingFields(name: "file", other: "pin") <- 5:8-11"#,
        ]
      ),
      (
        """
        version: 1
        hosts:
          - host: a.example
            trust:
              exceptions:
                - until: 2027-01-01

        """,
        [
          #"6:11-16 missingField(name: "failure", within: "exception")"#,
          #"6:11-16 missingField(name: "certificate", within: "exception")"#,
          #"6:11-16 missingField(name: "reason", within: "exception")"#,
        ]
      ),
    ] as [ProblemCase])
  func missing(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "A mapping, a list and a single value are distinguished",
    arguments: [
      (
        "version: 1\nowner: [a]\nmanifest: x\nkeys: [a]\nhosts: { host: a }\n",
        [
          #"2:8-11 wrongShape(field: "owner", expected: "a text", found: "a list")"#,
          #"3:11-12 wrongShape(field: "manifest", expected: "a mapping", found: "a single value")"#,
          #"4:7-10 wrongShape(field: "keys", expected: "a mapping", found: "a list")"#,
          #"5:8-19 wrongShape(field: "hosts", expected: "a list", found: "a mapping")"#,
        ]
      ),
      (
        "version: 1\nowner:\n  name: a\ndefaults:\n",
        [
          #"3:3-7 wrongShape(field: "owner", expected: "a text", found: "a mapping")"#,
          #"4:1-9 wrongShape(field: "defaults", expected: "a mapping", found: "nothing")"#,
        ]
      ),
      (
        """
        version: 1
        hosts: a.example
        key-sets:
          a:
          b: [c]
          c: { active: d, backup: [[e], { f: g }] }

        """,
        [
          #"2:8-17 wrongShape(field: "hosts", expected: "a list", found: "a single value")"#,
          #"4:3-4 wrongShape(field: "a", expected: "a mapping", found: "nothing")"#,
          #"5:6-9 wrongShape(field: "b", expected: "a mapping", found: "a list")"#,
          #"6:16-17 wrongShape(field: "active", expected: "a list", found: "a single value")"#,
          #"6:28-31 wrongShape(field: "item of backup", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit", found: "a list")"#,
          #"6:33-41 wrongShape(field: "item of backup", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit", found: "a mapping")"#,
        ]
      ),
      (
        "version: 1\nhosts:\n  -\n  - a.example\n  - [a.example]\n",
        [
          #"3:3-4 wrongShape(field: "item of hosts", expected: "a mapping", found: "nothing")"#,
          #"4:5-14 wrongShape(field: "item of hosts", expected: "a mapping", found: "a single value")"#,
          #"5:5-16 wrongShape(field: "item of hosts", expected: "a mapping", found: "a list")"#,
        ]
      ),
      (
        "version: 1\nhosts:\n  - host: a.example\n    keys: [a]\n    trust: keys/a.pem\n",
        [
          #"4:11-14 wrongShape(field: "keys", expected: "a key set\'s name or a mapping", found: "a list")"#,
          #"5:12-22 wrongShape(field: "trust", expected: "a mapping", found: "a single value")"#,
        ]
      ),
      (
        """
        version: 1
        hosts:
          - host: a.example
            trust: { anchors: [], signatures: [ ], intermediates: [] }

        """,
        [
          #"4:23-25 wrongShape(field: "anchors", expected: "a list of at least one item", found: "an empty list")"#,
          #"4:39-42 wrongShape(field: "signatures", expected: "a list of at least one item", found: "an empty list")"#,
        ]
      ),
      (
        "version: 1\n? [owner]\n: a\n? { b: c }\n: d\nfoo: e\n",
        [
          #"2:3-10 wrongShape(field: "policy file", expected: "a field name", found: "a list")"#,
          #"4:3-11 wrongShape(field: "policy file", expected: "a field name", found: "a mapping")"#,
          #"6:1-4 unknownField(name: "foo", within: "policy file")"#,
        ]
      ),
    ] as [ProblemCase])
  func shape(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test("A list that no manifest could hold")
  func tooLong() {
    let uris = (0..<17).map { "https://r\($0).example/" }.joined(separator: ", ")
    #expect(
      problems("version: 1\ndefaults: { report-uris: [\(uris), 18] }\n") == [
        #"2:369-389 wrongShape(field: "report-uris", expected: "a list of at most 16 items", found: "one of 18")"#
      ])
    let names = Array(repeating: "k", count: 1_025).joined(separator: ",")
    #expect(
      problems("version: 1\nkey-sets: { s: { active: [\(names)], backup: [k] } }\n") == [
        #"2:2075-2076 wrongShape(field: "active", expected: "a list of at most 1024 items", found: "one of 1025")"#
      ])
  }

  @Test(
    "No mistake hides another",
    arguments: [
      (
        """
        version: 1
        owner: [x]
        colour: red
        defaults: { mode: strict, expires: soon }
        keys:
          A: { pin: x }
          b: { pin: sha256/AAAA, position: top }
        hosts:
          - port: 0
          - host: a.example
            include-subdomains: maybe
            trust: { minimum-tls: 1.1 }

        """,
        [
          #"2:8-11 wrongShape(field: "owner", expected: "a text", found: "a list")"#,
          #"3:1-7 unknownField(name: "colour", within: "policy file")"#,
          #"4:19-25 badScalar(field: "mode", text: "strict", expected: "enforce, report-only or off")"#,
          #"4:36-40 badScalar(field: "expires", text: "soon", expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)")"#,
          #"6:3-4 badScalar(field: "keys", text: "A", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"6:13-14 badPin(text: "x", reason: "it doesn\'t begin with \'sha256/\'")"#,
          #"7:13-24 badPin(text: "sha256/AAAA", reason: "it has 3 bytes where SHA-256 has 32")"#,
          #"7:36-39 badScalar(field: "position", text: "top", expected: "leaf, intermediate, root or ca")"#,
          #"9:5-9 missingField(name: "host", within: "host entry")"#,
          #"9:11-12 badScalar(field: "port", text: "0", expected: "a port from 1 to 65535")"#,
          #"11:25-30 badScalar(field: "include-subdomains", text: "maybe", expected: "true or false")"#,
          #"12:27-30 badScalar(field: "minimum-tls", text: "1.1", expected: "1.2 or 1.3")"#,
        ]
      )
    ] as [ProblemCase])
  func many(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }
}

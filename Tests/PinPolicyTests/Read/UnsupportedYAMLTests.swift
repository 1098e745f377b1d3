import PinPolicy
import Testing

@Suite("What YAML has and a policy doesn't")
struct UnsupportedYAMLTests {
  @Test(
    "Tags",
    arguments: [
      ("version: 1\nowner: !!str a\n", [#"2:8-13 tag("!!str")"#]),
      ("version: 1\nowner: ! a\n", [#"2:8-9 tag("!")"#]),
      ("version: 1\nowner: !<tag:yaml.org,2002:str> a\n", [#"2:8-32 tag("!<tag:yaml.org,2002:str>")"#]),
      (
        "version: 1\nkeys: !!map { a: !k { file: !f x } }\nhosts: !!seq [!h { host: a }]\n",
        [
          #"2:7-12 tag("!!map")"#,
          #"2:18-20 tag("!k")"#,
          #"2:29-31 tag("!f")"#,
          #"3:8-13 tag("!!seq")"#,
          #"3:15-17 tag("!h")"#,
        ]
      ),
      ("version: 1\n!!str owner: a\n", [#"2:1-6 tag("!!str")"#]),
      ("version: 1\nowner: !日本 値\n", [#"2:8-9 invalidYAML(reason: "a tag has no place in a policy")"#]),
      ("version: 1\nowner: !h!t a\n", [#"2:8-9 invalidYAML(reason: "a tag has no place in a policy")"#]),
    ] as [ProblemCase])
  func tags(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Anchors and aliases",
    arguments: [
      (
        "version: 1\nowner: &a x\nhosts:\n  - { host: a.example, owner: *a }\n",
        [
          #"2:8-10 anchor("a")"#,
          #"4:31-33 alias("a")"#,
        ]
      ),
      (
        "version: 1\ndefaults: &d\n  mode: off\nhosts:\n  - <<: *d\n    host: a.example\n",
        [
          #"2:11-13 anchor("d")"#,
          #"5:9-11 alias("d")"#,
        ]
      ),
      (
        "version: 1\nowner: &a !t x\n",
        [
          #"2:8-10 anchor("a")"#,
          #"2:11-13 tag("!t")"#,
        ]
      ),
      ("version: 1\nowner: *nowhere\n", [#"2:8-16 alias("nowhere")"#]),
      ("version: 1\n*a : b\n", [#"2:1-3 alias("a")"#]),
      (
        "version: 1\nhosts: &h [*h]\n",
        [
          #"2:8-10 anchor("h")"#,
          #"2:12-14 alias("h")"#,
        ]
      ),
      (
        "version: 1\nowner: &日本 値\nhosts: [ *日本 ]\n",
        [#"2:8-9 invalidYAML(reason: "an anchor has no place in a policy")"#]
      ),
    ] as [ProblemCase])
  func anchors(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Documents and directives",
    arguments: [
      ("---\nversion: 1\n...\n", []),
      ("version: 1\n---\nversion: 1\nfoo: 1\n", ["2:1-4 severalDocuments"]),
      ("version: 1\n...\n# end\n", []),
      ("version: 1\n...\n---\n", ["3:1-4 severalDocuments"]),
      (
        "%YAML 1.2\n---\nversion: 1\nfoo: 1\n",
        [
          #"1:1-2 invalidYAML(reason: "a \'%\' directive has no place in a policy")"#,
          #"4:1-4 unknownField(name: "foo", within: "policy file")"#,
        ]
      ),
      (
        "%TAG ! tag:example.com,2000:\n---\nversion: 1\n",
        [#"1:1-2 invalidYAML(reason: "a \'%\' directive has no place in a policy")"#]
      ),
      (
        "%YAML 2.0\n---\nversion: 1\n",
        [#"1:1-2 invalidYAML(reason: "a \'%\' directive has no place in a policy")"#]
      ),
    ] as [ProblemCase])
  func documents(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Nesting",
    arguments: [
      (
        "version: 1\nowner: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
        [#"2:8-70 wrongShape(field: "owner", expected: "a text", found: "a list")"#]
      ),
      (
        """
        version: 1
        owner: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
        foo: 1

        """,
        [
          #"2:8-9 wrongShape(field: "owner", expected: "a text", found: "a list")"#,
          "2:39-40 tooDeep(limit: 32)",
        ]
      ),
      (
        """
        version: 1
        foo:
         a:
          a:
           a:
            a:
             a:
              a:
               a:
                a:
                 a:
                  a:
                   a:
                    a:
                     a:
                      a:
                       a:
                        a:
                         a:
                          a:
                           a:
                            a:
                             a:
                              a:
                               a:
                                a:
                                 a:
                                  a:
                                   a:
                                    a:
                                     a:
                                      a:
                                       a:
                                        a:
                                         a:
                                          a:
                                           a:
                                            a:
                                             a:
                                              a:
                                               a:

        """,
        [
          #"2:1-4 unknownField(name: "foo", within: "policy file")"#,
          "34:33-34 tooDeep(limit: 32)",
        ]
      ),
    ] as [ProblemCase])
  func depth(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }
}

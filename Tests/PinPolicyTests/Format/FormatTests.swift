import PinPolicy
import Testing

/// A text, and the text in its layout.
struct FormatCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var text: String
  /// Nil where the text has its layout already.
  var layout: String?

  init(_ description: String, _ text: String, to layout: String? = nil) {
    testDescription = description
    self.text = text
    self.layout = layout
  }
}

@Suite("The layout of policy files")
struct FormatTests {
  static let cases: [FormatCase] = [
    FormatCase(
      "fields come in the order of the reference, with their comments",
      """
      # At the top.
      hosts:
        - keys: web
          # The name.
          host: api.example.com # pintle:allow P401 until 2027-01-15: settled in January
          mode: enforce
      # Who answers.
      owner: web@example.com

      version: 1
      """,
      to: """
        # At the top.
        version: 1
        # Who answers.
        owner: web@example.com

        hosts:
          # The name.
          - host: api.example.com # pintle:allow P401 until 2027-01-15: settled in January
            mode: enforce
            keys: web

        """),
    FormatCase(
      "two spaces a level, dashes among them",
      "version: 1\nhosts:\n- host: a.example\n  keys:\n     active:\n     - one\n     - two\n     backup: [ three,four ]\n",
      to: """
        version: 1
        hosts:
          - host: a.example
            keys:
              active:
                - one
                - two
              backup: [three, four]

        """),
    FormatCase(
      "one empty line at most, none at the ends of a block",
      "\n\nversion: 1\n\n\n\nkeys:\n\n  # First.\n\n  a: {file: a.pem}\n\n\n  b: {file: b.pem}\n\n\n",
      to: """
        version: 1

        keys:
          # First.

          a: { file: a.pem }

          b: { file: b.pem }

        """),
    FormatCase(
      "comments below the last part stay with it",
      """
      version: 1
      hosts:
        - host: a.example
          keys: web
          # port: 8443
        # - host: b.example
      # The end.

      """),
    FormatCase(
      "quotes go where nobody needs them",
      """
      version: 1
      owner: 'it''s us'
      defaults: { "mode": "off", expires: '2027-06-01' }
      keys:
        a: { file: "keys/a.pem", custody: "HSM A, slot 3", reason: 'yes', created: "2027-06-01" }
        b:
          custody: "HSM A, slot 3"
          reason: "2026"
          file: 'a: b'
      hosts:
        - host: "10.0.0.5"
          trust: { minimum-tls: 1.3 }

      """,
      to: """
        version: 1
        owner: it's us
        defaults: { mode: off, expires: 2027-06-01 }
        keys:
          a: { file: keys/a.pem, custody: "HSM A, slot 3", created: 2027-06-01, reason: "yes" }
          b:
            file: "a: b"
            custody: HSM A, slot 3
            reason: "2026"
        hosts:
          - host: 10.0.0.5
            trust: { minimum-tls: "1.3" }

        """),
    FormatCase(
      "brackets that are too long, or hold comments, become lines",
      """
      version: 1
      key-sets:
        public-web: { active: [isrg-root-x1-of-lets-encrypt, gts-root-r1-of-google], backup: [gts-root-r4-of-google, amazon-root] }
        other:
          active: [
            a,  # the first
            b,
          ]
          backup: [ # so far
            c ]
      """,
      to: """
        version: 1
        key-sets:
          public-web:
            active: [isrg-root-x1-of-lets-encrypt, gts-root-r1-of-google]
            backup: [gts-root-r4-of-google, amazon-root]
          other:
            active:
              - a # the first
              - b
            backup: # so far
              - c

        """),
    FormatCase(
      "a suppression keeps its line",
      """
      version: 1
      hosts:
        - { host: api.example.com, keys: { active: [a-key-with-a-name, another-key-with-a-name], backup: [a-backup-key] } } # pintle:allow P318 until 2027-01-15: contracted

      """),
    FormatCase(
      "texts in lines stay, and move with their field",
      """
      version: 1
      hosts:
      - host: a.example
        reason: | # long
          first

            second
        owner: >-
            folded
            text

      - host: b.example
        reason: a plain text
            in two lines
      """,
      to: """
        version: 1
        hosts:
          - host: a.example
            owner: >-
                folded
                text
            reason: | # long
              first

                second

          - host: b.example
            reason: a plain text in two lines

        """),
    FormatCase(
      "a comment behind a dash stands above it",
      "version: 1\nhosts:\n  - # ours\n    host: a.example\n  -\n    host: b.example\n",
      to: "version: 1\nhosts:\n  # ours\n  - host: a.example\n  - host: b.example\n"),
    FormatCase("a document's mark stays", "# Head.\n---\n# Below.\nversion: 1\n"),
    FormatCase("CR LF becomes LF", "version: 1\r\nowner: a # b\r\n", to: "version: 1\nowner: a # b\n"),
    FormatCase("a tab that indents nothing is a space", "version:\t1\t# one\ttab\n", to: "version: 1 # one tab\n"),
    FormatCase("what isn't known stays behind what it followed", "version: 1\nonwer: a\nhosts: []\n"),
  ]

  @Test(arguments: cases)
  func formats(_ test: FormatCase) throws {
    let formatted = String(decoding: try PolicyFormat.format(Array(test.text.utf8)), as: UTF8.self)
    #expect(formatted == test.layout ?? test.text)
    #expect(String(decoding: try PolicyFormat.format(Array(formatted.utf8)), as: UTF8.self) == formatted)
  }

  @Test(arguments: [
    "version: 1\nhosts: [", "version: 1\ndefaults: &a { mode: off }\n", "version: 1\n---\nversion: 1\n",
    "hosts:\n\t- host: a\n", "\u{FEFF}version: 1\n", "", "# Nothing.\n", "version: !!str 1\n", "a\u{0}b",
  ])
  func whatCannotBeTakenApartIsLeftAlone(_ text: String) {
    #expect(throws: PolicyFormat.Failure.unreadable) { try PolicyFormat.format(Array(text.utf8)) }
  }

  /// A suppression that would come to speak of more, or of less, keeps the whole file as it is.
  @Test func aSuppressionIsNeverMoved() {
    let text =
      "version: 1\nhosts:\n  - host: a.example\n    keys: # pintle:allow P302 until 2027-01-15: so\n      web\n"
    #expect(throws: PolicyFormat.Failure.unfaithful) { try PolicyFormat.format(Array(text.utf8)) }
  }
}

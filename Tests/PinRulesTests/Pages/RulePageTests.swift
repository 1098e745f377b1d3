import Diagnostics
import PinFormat
import PinGate
import Testing

@testable import PinRules

@Suite("Pages of rules, word for word")
struct RulePageTests {
  static let rule = Rule(
    code: "P499", name: "too-late", severity: .warning, title: "An entry is too late.",
    rationale: """
      What is late can't be early. This sentence goes on until the line is full, and then the next line takes what is
      left of it.

      - The first reason, which is so long that it doesn't fit into a line of eighty columns.
      - The second.
      """,
    failing: Example([
      .init(path: "a.yaml", text: "version: 1\n\nhosts: []\n"),
      .init(path: "b.txt", text: "\u{FEFF}```\n"),
    ]),
    passing: Example("version: 1\n", baseline: #"{"serial":1}"#),
    citation: "RFC 7469 section 4.3; docs/policy.md#hosts",
    check: .elsewhere)

  static let strict = Rule(
    code: "P101", name: "unreadable", severity: .error, title: "A file | can't be read.", rationale: "So it goes.",
    failing: Example("x"), passing: Example("y"), citation: "Apple, TN2232", isSuppressible: false, check: .elsewhere)

  @Test func terminal() {
    #expect(
      RulePage.terminal(Self.rule, output: "a.yaml:1:1: warning: late [P499]\n") == """
        P499 too-late (warning)

        An entry is too late.

        What is late can't be early. This sentence goes on until the line is full, and
        then the next line takes what is left of it.

        - The first reason, which is so long that it doesn't fit into a line of eighty
          columns.
        - The second.

        This is reported, as of 2026-11-21T00:00:00Z:

        a.yaml:

            version: 1

            hosts: []

        b.txt:

            <U+FEFF>```

        Pintle says:

            a.yaml:1:1: warning: late [P499]

        This isn't reported, as of 2026-11-21T00:00:00Z:

            version: 1

        with this manifest released:

            {"serial":1}

        To accept a finding for a time, end its line with:

            # pintle:allow P499 until YYYY-MM-DD: reason

        Source: RFC 7469 section 4.3
                https://www.rfc-editor.org/rfc/rfc7469#section-4.3

        """)
  }

  @Test func terminalOfAStrictRule() {
    #expect(
      RulePage.terminal(Self.strict) == """
        P101 unreadable (error)

        A file | can't be read.

        So it goes.

        This is reported:

            x

        This isn't reported:

            y

        This finding can't be suppressed.

        Source: Apple, TN2232

        """)
  }

  @Test func reference() {
    #expect(
      RulePage.reference([Self.strict, Self.rule], gate: GateResult.rules) == """
        # Rules

        What `pintle check` looks for; `pintle explain CODE` prints one section. A code never changes its meaning and is
        never reused. The examples are checked as of 2026-11-21T00:00:00Z. Rules about live servers need evidence, from
        `pintle probe` or `pintle check --evidence FILE`. Rules about rotation need released manifests, with `pintle diff
        --against BASELINE`; their examples show the earlier release first. The commands that make, sign and verify
        [keysets](signing.md#keysets) check the rules about these, and [`pintle import`](import.md) those about imported files.

        <!-- Made by: pintle explain --list --format markdown > docs/rules.md -->

        **Syntax**

        | code | name | severity | what it says |
        |---|---|---|---|
        | [P101](#p101-unreadable) | unreadable | error | A file \\| can't be read. |

        **Lifetime and rollout**

        | code | name | severity | what it says |
        |---|---|---|---|
        | [P499](#p499-too-late) | too-late | warning | An entry is too late. |

        **[The gate](ci.md#the-gate)**

        | code | severity | what it says |
        |---|---|---|
        | gate-refused | error | A pull request has a file that must not be merged. |
        | gate-unsigned | error | A file must still be signed before it is merged. |
        | gate-watched | warning | A person has to look at a part of a pull request. |

        ## P101 unreadable

        **Error.** A file | can't be read.

        So it goes.

        This is reported:

        ```yaml
        x
        ```

        This isn't reported:

        ```yaml
        y
        ```

        This finding can't be suppressed.

        Source: Apple, TN2232

        ## P499 too-late

        **Warning.** An entry is too late.

        What is late can't be early. This sentence goes on until the line is full, and then the next line takes what is
        left of it.

        - The first reason, which is so long that it doesn't fit into a line of eighty columns.
        - The second.

        This is reported, as of 2026-11-21T00:00:00Z:

        `a.yaml`:

        ```yaml
        version: 1

        hosts: []
        ```

        `b.txt`:

        ```text
        <U+FEFF>```
        ```

        This isn't reported, as of 2026-11-21T00:00:00Z:

        ```yaml
        version: 1
        ```

        with this manifest released:

        ```json
        {"serial":1}
        ```

        To accept a finding for a time, end its line with: `# pintle:allow P499 until YYYY-MM-DD: reason`

        Source: [RFC 7469 section 4.3](https://www.rfc-editor.org/rfc/rfc7469#section-4.3); \
        [docs/policy.md#hosts](policy.md#hosts)

        """)
  }

  /// What the servers presented comes after the policy.
  @Test func observedServers() {
    var rule = Self.live
    let page = RulePage.markdown(rule)
    #expect(page.contains("```yaml\nhosts: [a]\n```\n\nThe server sends nothing.\n\nThis isn't reported, as of"))
    let shown = RulePage.terminal(rule)
    #expect(shown.contains("    hosts: [a]\n\nThe server sends nothing.\n\nThis isn't reported, as of"))
    rule = Self.strict
    #expect(!RulePage.markdown(rule).contains("The server sends"))
  }

  private static var exampleWithReleases: Example {
    var example = Example("hosts: [b]\n")
    example.released = [
      .init(
        serial: 5, issued: example.instant.adding(seconds: -172_800), [.init(path: "policy.yaml", text: "hosts: [a]")]),
      .init(
        serial: 6, issued: example.instant.adding(seconds: -1),
        [.init(path: "a.yaml", text: "hosts: [a]"), .init(path: "b.yaml", text: "keys: {}")]),
    ]
    return example
  }

  /// The releases come before the current policy, each under its name.
  @Test func releasedPolicies() {
    let rule = Rule(
      code: "P699", name: "late", severity: .error, title: "Late.", rationale: "So it goes.",
      failing: Self.exampleWithReleases, passing: Example("hosts: [c]\n"), citation: "None", check: .elsewhere)
    #expect(
      RulePage.terminal(rule).contains(
        """
        This is reported, as of 2026-11-21T00:00:00Z:

        Released as serial 5 on 2026-11-19:

            hosts: [a]

        Released as serial 6 on 2026-11-20T23:59:59Z, a.yaml:

            hosts: [a]

        Released as serial 6 on 2026-11-20T23:59:59Z, b.yaml:

            keys: {}

        The policy now, on 2026-11-21:

            hosts: [b]

        """))
    #expect(RulePage.markdown(rule).contains("Released as serial 5 on 2026-11-19:\n\n```yaml\nhosts: [a]\n```\n"))
  }

  private static let live = Rule(
    code: "P599", name: "silent", severity: .error, title: "A server is silent.", rationale: "So it goes.",
    failing: Example("hosts: [a]\n", observed: .init("none", "The server sends nothing.")),
    passing: Example("hosts: [b]\n", observed: .init("some", "The server sends something.")), citation: "None",
    check: .elsewhere)

  @Test func everyRuleHasAPageThatFitsATerminal() {
    for rule in Rule.catalogue {
      let page = RulePage.terminal(rule)
      let prose = page.split(separator: "\n").filter { !$0.hasPrefix(" ") && !$0.hasPrefix("Source: ") }
      #expect(prose.allSatisfy { $0.count <= 80 }, "\(rule.code)")
      #expect(page.contains(Citation.text(rule.citation, in: nil)), "\(rule.code)")
      let linked = RulePage.terminal(rule, documentation: "https://docs.example.com")
      #expect(!page.contains("docs/") && !linked.contains(" docs/"), "\(rule.code)")
    }
  }

  @Test func theReferenceHasASectionForEveryRule() {
    let page = RulePage.reference(Rule.catalogue, gate: GateResult.rules)
    for rule in Rule.catalogue {
      #expect(page.contains("\n## \(rule.code) \(rule.name)\n"))
      #expect(page.contains("(#\(rule.code.lowercased())-\(rule.name))"))
    }
  }
}

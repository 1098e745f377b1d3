import PinPolicy
import Testing

@Suite("Suppressions that aren't one")
struct SuppressionProblemTests {
  @Test(
    "Each part is required",
    arguments: [
      ("# pintle:allow P404 until 2027-01-15: reason\nversion: 1\n", []),
      (
        "version: 1\nowner: a # pintle:allow\n",
        [#"2:10-24 malformedSuppression(reason: "a rule\'s code (P404) is missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow until 2027-01-15: reason\n",
        [#"2:10-49 malformedSuppression(reason: "a rule\'s code (P404) is missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P40 until 2027-01-15: reason\n",
        [#"2:10-53 malformedSuppression(reason: "a rule\'s code (P404) is missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P404\n",
        [#"2:10-29 malformedSuppression(reason: "\'until\' and an end date are missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P404 2027-01-15: reason\n",
        [#"2:10-48 malformedSuppression(reason: "\'until\' and an end date are missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P404 until\n",
        [#"2:10-35 malformedSuppression(reason: "an end date with a \':\' behind it is missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P404 until 2027-01-15\n",
        [#"2:10-46 malformedSuppression(reason: "an end date with a \':\' behind it is missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P404 until 2027-01-15 reason\n",
        [#"2:10-53 malformedSuppression(reason: "an end date with a \':\' behind it is missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P404 until 2027-13-15: reason\n",
        [#"2:10-54 malformedSuppression(reason: "\'2027-13-15\' isn\'t a date (2027-01-15)")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P404 until 2027-01-15:\n",
        [#"2:10-47 malformedSuppression(reason: "the reason is missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:allow P404 until 2027-01-15:   \n",
        [#"2:10-50 malformedSuppression(reason: "the reason is missing")"#]
      ),
      (
        "version: 1\nowner: a # pintle:alow P404 until 2027-01-15: reason\n",
        [#"2:10-53 malformedSuppression(reason: "\'pintle:alow\' isn\'t a word that Pintle knows")"#]
      ),
      (
        "version: 1\nowner: 日本 😀 #pintle:allow P404\n",
        [#"2:13-31 malformedSuppression(reason: "\'until\' and an end date are missing")"#]
      ),
    ] as [ProblemCase])
  func malformed(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "What only looks like one",
    arguments: [
      ("version: 1\nowner: \"# pintle:allow P404\"\n", []),
      ("version: 1\nowner: 'a\n  # pintle:allow P404'\n", []),
      ("version: 1\nowner: >\n  # pintle:allow P404\nhosts: []\n", []),
      ("version: 1\nowner: a#pintle:allow\n", []),
      (
        "version: 1\nowner: \"a\n  # pintle:allow P1\n  b\" # pintle:allow P2\n",
        [#"4:6-23 malformedSuppression(reason: "a rule\'s code (P404) is missing")"#]
      ),
      ("version: 1\n# pintle: says what\n# see pintle:allow\n# Pintle:allow\n", []),
      (
        """
        version: 1
        owner: | # pintle:allow P1
          text # pintle:allow P2
          # pintle:allow P3
        # pintle:allow P4

        """,
        [
          #"2:10-27 malformedSuppression(reason: "a rule\'s code (P404) is missing")"#,
          #"5:1-18 malformedSuppression(reason: "a rule\'s code (P404) is missing")"#,
        ]
      ),
      (
        "version: 1\nfoo: \"# pintle:allow P404\" # pintle:allow P405\n",
        [
          #"2:1-4 unknownField(name: "foo", within: "policy file")"#,
          #"2:28-47 malformedSuppression(reason: "\'until\' and an end date are missing")"#,
        ]
      ),
    ] as [ProblemCase])
  func none(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }
}

import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// The rules about tests of a policy, which `pintle test` runs.
  package static let testRules: [Rule] = [.testFailed, .testUnusable]

  private static let policy = """
    version: 1
    keys:
      root: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, position: root }
      spare: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: leaf }
    hosts:
      - { host: api.example.com, keys: { active: [root], backup: [spare] } }
    """

  /// A policy, and a test of it.
  private static func example(host: String = "api.example.com", _ expected: String) -> Example {
    Example([
      Example.File(path: "policy.yaml", text: policy),
      Example.File(
        path: "policy.test.yaml",
        text: """
          version: 1
          tests:
            - name: the backup works
              host: \"\(host)\"
              keys: [spare]
              expect: \(expected)
          """),
    ])
  }

  /// Clients answer something else than a test expects.
  package static let testFailed = Rule(
    code: "P918",
    name: "test-failed",
    severity: .error,
    title: "Clients answer something else than a test of the policy expects.",
    rationale: """
      A test says what its owners rely on. The answers come from the validator that clients run, with the manifest that
      the policy would give or with a released one. So either the policy doesn't do what it should, or the test is wrong.
      """,
    failing: example("block"),
    passing: example("allow"),
    citation: "docs/testing.md",
    isSuppressible: false,
    check: .elsewhere)

  /// A test that can't be asked.
  package static let testUnusable = Rule(
    code: "P919",
    name: "test-unusable",
    severity: .error,
    title: "A test of the policy names something that isn't there.",
    rationale: """
      A test that asks nothing proves nothing. It names a key, a host, an audience, a file or a release that isn't there
      any more, or a CA that isn't known.
      """,
    failing: example(host: "*.pay.example.com", "allow"),
    passing: example("allow"),
    citation: "docs/testing.md",
    isSuppressible: false,
    check: .elsewhere)
}

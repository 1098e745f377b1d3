import Diagnostics

extension Rule {
  /// Settings of the other tool that a policy doesn't have.
  static let otherSetting = Rule(
    code: "P917",
    name: "other-setting",
    severity: .note,
    title: "An imported file has a setting that a policy doesn't have.",
    rationale: """
      Network configurations also say whether an app may connect without TLS, follows HSTS, or asks for Certificate
      Transparency. A policy is only about pins and trust, so these settings stay where they are. Each is listed with
      its effect. Who replaces the file by an export loses them.
      """,
    failing: .networkConfiguration(attributes: " cleartextTrafficPermitted=\"false\""),
    passing: .networkConfiguration,
    citation: "docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}

import Diagnostics

extension Rule {
  /// The rules about pins that are in other files, which `pintle find` looks for.
  package static let findRules: [Rule] = [
    .unknownPinFound, .deniedPinFound, .pinFoundNowhere, .unreadablePinFound,
  ]

  private static let policy = """
    version: 1
    keys:
      root: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M= }
      spare: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc= }
      leaked: { pin: sha256/Vjs8r4z+80wjNcr1YKepWQboSIRi63WsWXhIMN+eWys=, denied: found in a public bucket }
    hosts:
      - { host: api.example.com, keys: { active: [root], backup: [spare] } }
    """

  /// A policy, and a file of an app in which some pins stand.
  private static func example(_ pins: String...) -> Example {
    let lines = pins.map { "  \"sha256/\($0)\"," }.joined(separator: "\n")
    return Example([
      Example.File(path: "policy.yaml", text: policy),
      Example.File(path: "pins.js", text: "export const pins = [\n\(lines)\n];"),
    ])
  }

  private static let root = "C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M="
  private static let spare = "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="
  private static let leaked = "Vjs8r4z+80wjNcr1YKepWQboSIRi63WsWXhIMN+eWys="
  private static let stranger = "BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs="

  /// A pin that the policy doesn't have.
  package static let unknownPinFound = Rule(
    code: "P913",
    name: "unknown-pin-found",
    severity: .warning,
    title: "A file has a pin that the policy doesn't know.",
    rationale: """
      If pins are also written by hand, a rotation of the policy doesn't change them: the app uses its own until the key
      is gone. This pin wasn't reviewed, and no check says when it has to change.
      """,
    failing: example(root, spare, stranger),
    passing: example(root, spare),
    citation: "docs/import.md#finding-pins",
    isSuppressible: false,
    check: .elsewhere)

  /// A pin that the policy denies.
  package static let deniedPinFound = Rule(
    code: "P914",
    name: "denied-pin-found",
    severity: .error,
    title: "A file has a pin that the policy denies.",
    rationale: """
      The policy denies a key because the wrong people have it. Code that pins it still trusts them, whatever the
      policy says.
      """,
    failing: example(root, spare, leaked),
    passing: example(root, spare),
    citation: "docs/import.md#finding-pins; docs/policy.md#denied-keys",
    isSuppressible: false,
    check: .elsewhere)

  /// A pin that is in none of the files.
  package static let pinFoundNowhere = Rule(
    code: "P915",
    name: "pin-found-nowhere",
    severity: .note,
    title: "None of the files has this pin of the policy.",
    rationale: """
      An app that lacks one of the policy's keys is locked out when the servers change to it. Where the app gets its pins
      in another way, by a manifest or by `pintle export`, this is as it should be.
      """,
    failing: example(root),
    passing: example(root, spare),
    citation: "docs/import.md#finding-pins",
    isSuppressible: false,
    check: .elsewhere)

  /// What looks like a pin and can't be read.
  package static let unreadablePinFound = Rule(
    code: "P916",
    name: "unreadable-pin-found",
    severity: .warning,
    title: "A file has something that looks like a pin and can't be read.",
    rationale: """
      A digest that was cut off, one by SHA-1, the digest of a certificate in DNS, or a compressed or binary file:
      nobody knows whether the policy has the pin. With `--fail-on unknown` it counts as an unknown pin.
      """,
    failing: Example([
      Example.File(path: "policy.yaml", text: policy),
      Example.File(path: "pins.js", text: "export const pin = \"sha256/\(root.dropLast(9))\";"),
    ]),
    passing: example(root, spare),
    citation: "docs/import.md#finding-pins",
    isSuppressible: false,
    check: .elsewhere)
}

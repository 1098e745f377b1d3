import Diagnostics
import PinPolicy

extension Rule {
  /// A field that the format doesn't have is an error, never skipped.
  static let unknownField = Rule(
    code: "P105",
    name: "unknown-field",
    severity: .error,
    title: "The policy format has no field of this name.",
    rationale: """
      If a misspelt field were ignored, it would leave a host with less protection than its policy seems to say:
      `include-subdomain: true` would silently cover no subdomain.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          include-subdomain: true
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          include-subdomains: true
          keys: public-web
      """),
    citation: "docs/policy.md#reference",
    isSuppressible: false,
    check: .problems { problem, input in
      guard case .unknownField(let name, let within, let known) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "unknown field \(Wording.quoted(name)) in \(Wording.mapping(within))",
        help: fieldMeant(by: name, in: within, among: known).map { "Did you mean '\($0)'?" }
          ?? "The fields that are allowed here are \(Wording.list(known.sorted(), most: 20)).",
        fixes: fixes(name, in: within, among: known, at: problem.place, input))
    })

  /// The field that was probably meant: the one with the nearest name, or a host's `keys` under another name.
  static func fieldMeant(by name: String, in within: String, among known: [String]) -> String? {
    if let nearest = Suggestion.nearest(to: name, among: known) { return nearest }
    return within == "host entry" && ["key-set", "key-sets", "pin-set", "pins"].contains(name) ? "keys" : nil
  }

  /// The field that is meant, where it isn't there already; beyond doubt where it is the only one so near, and no other
  /// field beside it may be meant for the same.
  private static func fixes(
    _ name: String, in within: String, among known: [String], at place: Place, _ input: CheckInput
  ) -> [Fix] {
    guard let meant = fieldMeant(by: name, in: within, among: known), let file = input.file(of: place),
      let names = file.names(besideFieldAt: place), !names.contains(meant)
    else { return [] }
    let rivals = names.count { !known.contains($0) && fieldMeant(by: $0, in: within, among: known) == meant }
    let isCertain = rivals == 1 && Suggestion.isOneSlip(from: name, to: meant, among: known)
    return input.writing(meant, at: place, isCertain ? .safe : .suggested)
  }
}

import Diagnostics
import PinFormat
import PinPolicy
import PinRules

/// The texts of the files that `pintle init` writes.
///
/// Those that don't depend on the answers are, word for word, the files of `examples/policy-repository`; a test holds
/// them equal.
enum StarterText {
  /// `policies/hosts.yaml`: the hosts and keys that were named, or how to write them.
  static func hosts(_ answers: StarterAnswers, expires: Instant) -> String {
    let owner =
      answers.owner.map { "owner: " + ScalarText.unmistakable($0) } ?? "# owner: payments-security@example.com"
    let isComplete = !answers.hosts.isEmpty && !answers.active.isEmpty
    // Defaults without hosts would be reported by `check`.
    let defaults = defaults(answers, expires: expires)
    return """
      # yaml-language-server: $schema=../schemas/policy.schema.json
      #
      # Which public keys each host may present. One file is enough to begin with; every *.yaml below this directory is
      # read, so split it by team or by service as you like. `pintle explain CODE` has the reason of each finding.
      version: 1

      # Who answers for the entries of this file.
      \(owner)

      \(isComplete ? entries(defaults, answers) : outline(defaults, answers.hosts.first))
      """
  }

  private static func defaults(_ answers: StarterAnswers, expires: Instant) -> [String] {
    [
      "defaults:",
      "  # Clients only report what doesn't match. Once the reports are quiet, change this to `enforce`.",
      "  mode: report-only",
      "  # Somebody looks at every entry again before this day; from then on it is not enforced any more.",
      "  expires: \(expires.description.prefix(10))",
      "  on-expiry: report-only",
      "  # Where clients send their reports: `pintle collect` receives them.",
      answers.reportURI.map { "  report-uris: [" + ScalarText.unmistakable($0, inFlow: true) + "]" }
        ?? "  # report-uris: [https://pins.example.org/reports]",
    ]
  }

  private static func entries(_ defaults: [String], _ answers: StarterAnswers) -> String {
    let keys = (answers.active + answers.backup).map { "  \($0.name): { \($0.source) }" }
    let hosts = answers.hosts.map { "  - host: \(ScalarText.unmistakable($0))\n    keys: web" }
    return """
      \(defaults.joined(separator: "\n"))

      # Every key has a name. Of a file the pin is computed, and more is known than of a pin alone.
      keys:
      \(keys.joined(separator: "\n"))

      # Active keys are those that the servers present, or that are in their chains. A backup is one that no server
      # presents yet, its private half kept somewhere else: you change to it if the active key is lost or stolen.
      key-sets:
        web:
          active: [\(answers.active.map(\.name).joined(separator: ", "))]
          backup: [\(answers.backup.map(\.name).joined(separator: ", "))]

      hosts:
      \(hosts.joined(separator: "\n"))

      """
  }

  /// How it is written, where there are no keys yet.
  private static func outline(_ defaults: [String], _ host: String?) -> String {
    let host = host ?? "api.example.com"
    return """
      \(defaults.map { "# " + $0 }.joined(separator: "\n"))

      # Now the keys: put your own in the place of these, and take the comment signs away from here and above.
      # `pintle pin \(host):443` shows what the server presents today, and this makes a spare key, whose private
      # half, spare.key, stays out of this repository:
      ## openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout spare.key -out policies/keys/spare.csr
      #
      # Every key has a name. Of a file the pin is computed, and more is known than of a pin alone.
      # keys:
      #   issuing-ca: { file: keys/issuing-ca.pem }
      #   spare: { file: keys/spare.csr, custody: the safe }

      # Active keys are those that the servers present, or that are in their chains. A backup is one that no server
      # presents yet, its private half kept somewhere else: you change to it if the active key is lost or stolen.
      # key-sets:
      #   web:
      #     active: [issuing-ca]
      #     backup: [spare]

      # hosts:
      #   - host: \(ScalarText.unmistakable(host))
      #     keys: web

      """
  }
}

import Diagnostics
import PinPolicy

extension Rule {
  /// A private key among a policy's files.
  static let privateKeyFile = Rule(
    code: "P328",
    name: "private-key-file",
    severity: .error,
    title: "A file that the policy names holds a private key.",
    rationale: """
      A policy is in git and is read by many people and machines. Anyone who has a server's private key can impersonate
      that server, and pins don't stop them. A pin needs the public key only, and Pintle reads nothing of a file that
      holds more.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web-spare: { file: keys/private-key.pem }
      """),
    passing: Example(
      """
      version: 1
      keys:
        web-spare: { file: keys/api-spare.csr }
      """),
    citation: "NIST SP 800-57 Part 1 Rev. 5, section 6.2.2",
    isSuppressible: false,
    check: .problems { problem in
      guard case .privateKeyFile(let path) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "\(Wording.quoted(path)) holds a private key",
        help: """
          Take the file away and name the public half, which 'openssl pkey -in FILE -pubout' prints. If the private key \
          was ever committed, take it as stolen: make a new one.
          """)
    })
}

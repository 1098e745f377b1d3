import Diagnostics
import PinFormat
import PinPolicy
import PinRules

/// The texts of the files that `pintle init` writes.
///
/// All but `hosts.yaml` are files of `examples/policy-repository`, which the build embeds; answers replace some words.
enum StarterText {
  /// `policies/manifest.yaml`.
  static func manifest(_ answers: StarterAnswers) -> String {
    text(PackageResources.manifest_yaml).replacing("audience: production", with: "audience: " + answers.audience)
  }

  /// `ci/pins`.
  static func stages(_ answers: StarterAnswers) -> String {
    text(PackageResources.pins)
      .replacing("PINS_AUDIENCE:-production}", with: "PINS_AUDIENCE:-\(answers.audience)}")
      .replacing("PINS_INTERNAL:-}", with: "PINS_INTERNAL:-\(answers.internalDomains ?? "")}")
  }

  /// `.github/workflows/pins.yml`.
  static func github(_ answers: StarterAnswers) -> String {
    guard let label = answers.insideRunner else {
      return withoutInside(text(PackageResources.github_yml), "  ").replacing("[servers, inside]", with: "servers")
    }
    return text(PackageResources.github_yml)
      .replacing("[self-hosted, inside]", with: "[self-hosted, \(ScalarText.unmistakable(label, inFlow: true))]")
  }

  /// `.gitlab-ci.yml`.
  static func gitlab(_ answers: StarterAnswers) -> String {
    guard let label = answers.insideRunner else {
      return withoutInside(text(PackageResources.gitlab_yml), "")
        .replacing("[servers, { job: inside, optional: true }]", with: "[servers]")
    }
    return text(PackageResources.gitlab_yml)
      .replacing("tags: [inside]", with: "tags: [\(ScalarText.unmistakable(label, inFlow: true))]")
  }

  /// A pipeline without the job that probes internal servers, which is before the gate.
  private static func withoutInside(_ pipeline: String, _ indent: String) -> String {
    guard let start = pipeline.firstRange(of: "\n\(indent)inside:\n")?.lowerBound,
      let end = pipeline[start...].firstRange(of: "\n\(indent)gate:\n")?.lowerBound
    else { return pipeline }
    return String(pipeline[..<start] + pipeline[end...])
  }

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

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

  /// `policies/hosts.test.yaml`: what clients should answer about the first host; nil where there is no host or key yet.
  static func tests(_ answers: StarterAnswers) -> String? {
    guard let host = answers.hosts.first, let active = answers.active.first else { return nil }
    func test(_ name: String, _ host: String, _ presented: String, _ expected: String, _ because: String) -> String {
      """
        - name: \(name)
          host: \(host)
          \(presented)
          expect: \(expected)
          because: \(because)

      """
    }
    let first = ScalarText.unmistakable(host)
    var tests = [
      test("a certificate with an active key is accepted", first, "keys: [\(active.name)]", "allow", "matched")
    ]
    if let backup = answers.backup.first {
      tests.append(test("the backup would be accepted", first, "keys: [\(backup.name)]", "allow", "matched"))
    }
    let others = "authority: \(answers.strangers)"
    let isOne = answers.strangers != PolicyTest.Presented.anyOther
    tests.append(
      answers.privateCA == nil
        ? (isOne ? "  # Not `any-other`: a CA of the key set certified another CA, which it lets in.\n" : "")
          + "  # Once the entries enforce, expect `block` because of a `mismatch`.\n"
          + test("another CA is noticed", "\"*\"", others, "allow", "mismatch-reported")
        : test("no public CA is accepted", "\"*\"", others, "block", "untrusted"))
    return """
      # yaml-language-server: $schema=../schemas/policy-test.schema.json
      #
      # What clients should answer: `pintle test` asks the validator that they run. Certificates for keys and for public
      # CAs are made up around what is known of them.
      version: 1

      tests:

      """ + tests.joined(separator: "\n")
  }

  private static func defaults(_ answers: StarterAnswers, expires: Instant) -> [String] {
    [
      "defaults:",
      "  # Clients only report what doesn't match. Once the reports are quiet, change this to `enforce`.",
      "  mode: report-only",
      "  # Somebody looks at every entry again before this day; from then on it is not enforced any more.",
      "  expires: \(expires.description.prefix(10))",
      "  # Pintle's own clients can do this, but no format of `pintle export` can say it: exported pins stay in force.",
      "  # If you export pins, choose `enforce` or `unpinned`: most formats can say one of them (`pintle export --list`).",
      "  on-expiry: report-only",
      "  # Where clients send their reports: pintle-collect receives them.",
      answers.reportURI.map { "  report-uris: [" + ScalarText.unmistakable($0, inFlow: true) + "]" }
        ?? "  # report-uris: [https://pins.example.org/reports]",
    ] + (answers.privateCA.map { trust(in: [$0] + answers.backup.filter(\.isRoot)) } ?? [])
  }

  private static func trust(in authorities: [StarterAnswers.Key]) -> [String] {
    let paths = authorities.compactMap { $0.file.map { ScalarText.unmistakable($0.path, inFlow: true) } }
    return [
      "  # Certificates come from \(paths.count == 1 ? "this authority" : "these authorities") alone; add `system` if public "
        + "ones are accepted too.",
      "  trust: { anchors: [\(paths.joined(separator: ", "))], reason: our own authority issues these certificates }",
    ]
  }

  private static func entries(_ defaults: [String], _ answers: StarterAnswers) -> String {
    let keys = (answers.active + answers.backup).flatMap { key in
      key.origin.map { "  # \($0)" } + ["  \(key.name): { \(key.source) }"]
    }
    let hosts = answers.hosts.map { "  - host: \(ScalarText.unmistakable($0))\n    keys: web" }
    return """
      \(defaults.joined(separator: "\n"))

      # Every key has a name. Of a file the pin is computed, and more is known than of a pin alone.
      keys:
      \(keys.joined(separator: "\n"))

      # Active keys are those that the servers present, or that are in their chains. A backup is one that no server
      # presents yet, its private half kept somewhere else: you change to it if a server's key is lost or stolen. For a
      # CA that is lost, you need the key of another CA here (and its certificate in 'anchors:', if it is your own).
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
      # presents yet, its private half kept somewhere else: you change to it if a server's key is lost or stolen. For a
      # CA that is lost, you need the key of another CA here (and its certificate in 'anchors:', if it is your own).
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

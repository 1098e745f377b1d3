import Diagnostics
import PinPolicy

extension Rule {
  /// Freshness settings that contradict each other.
  static let manifestFreshness = Rule(
    code: "P411",
    name: "manifest-freshness",
    severity: .error,
    title: "The manifest's freshness settings contradict each other.",
    rationale: """
      A client looks for a new manifest from `refresh-after` on and treats its own as stale from `expires-after` on. If the
      first isn't well before the second, each client runs on a stale manifest between the two, and one failed download
      is an incident. `client-max-age` says how long some clients may still run an older release: it can't be
      shorter than the time after which they begin to look for the next one.
      """,
    failing: Example(
      """
      version: 1
      manifest:
        audience: production
        refresh-after: 30d
        expires-after: 14d
      """),
    passing: Example(
      """
      version: 1
      manifest:
        audience: production
        refresh-after: 12h
        expires-after: 14d
      """),
    citation: "docs/policy.md#two-clocks",
    check: .policy(freshness))
}

private func freshness(_ input: CheckInput) -> [Finding] {
  guard let settings = input.policy.settings else { return [] }
  let written = input.policy.files.compactMap(\.settings).first { $0.place == settings.place }
  var findings: [Finding] = []
  if settings.refreshAfter >= settings.expiresAfter {
    findings.append(
      Finding(
        at: written?.refreshAfter?.place ?? written?.expiresAfter?.place ?? settings.place,
        "clients look for a new manifest after \(Wording.duration(settings.refreshAfter)), when theirs is stale after "
          + Wording.duration(settings.expiresAfter),
        help: "Let 'refresh-after' be a small part of 'expires-after', so that a few failed downloads do no harm.",
        fixes: written?.refreshAfter.map {
          settings.expiresAfter > 86_400 ? input.writing("1d", at: $0.place, .suggested) : []
        }
          ?? []))
  }
  if settings.clientMaxAge < settings.refreshAfter {
    findings.append(
      Finding(
        at: written?.clientMaxAge?.place ?? written?.refreshAfter?.place ?? settings.place,
        "clients run a release for \(Wording.duration(settings.clientMaxAge)) at most, but look for the next one only after "
          + Wording.duration(settings.refreshAfter),
        help: "Let 'client-max-age' cover at least 'refresh-after' and the time for which clients may be offline."))
  }
  return findings
}

import Diagnostics
import DomainNames
import PinFormat
import PinPolicy

extension Rule {
  /// An entry doesn't reach into other people's domains.
  static let publicSuffixSubdomains = Rule(
    code: "P204",
    name: "public-suffix-subdomains",
    severity: .error,
    title: "An entry includes the subdomains of a public suffix.",
    rationale: """
      Anybody may register a name below a public suffix, so names below it belong to many owners with keys of their own,
      and an entry that covers them all would block most of them. Below a suffix of the list's ICANN part (`com`,
      `co.uk`) that is an error. In its private part (`github.io`) it is a warning, because the company that gives out
      the names may mean it; so may the owner of a top-level domain of its own, who accepts the error with a suppression.

      Internal names are somebody's own: those that end in no top-level domain of the list (`corp`, `internal`, `local`)
      and those below `home.arpa` (RFC 8375) may be covered as a whole.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: co.uk
          include-subdomains: true
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: example.co.uk
          include-subdomains: true
          keys: public-web
        - host: corp
          include-subdomains: true
          keys: public-web
      """),
    citation: "publicsuffix.org/list; RFC 8375",
    check: .policy { input in
      input.policy.hosts.compactMap { entry in
        guard entry.coversSubdomains, entry.mode.value != .off, !isInternal(entry.host) else { return nil }
        let place = entry.includeSubdomains?.place
        let related =
          place.map { $0.file == entry.written.place.file && input.written(entry)?.includeSubdomains == nil } == true
          ? place.map { [Diagnostic.Related("subdomains are included because of this", at: $0)] } ?? [] : []
        let own = input.written(entry)?.includeSubdomains
        let fixes = own.map { input.deletingField("include-subdomains", at: $0.place, .suggested) } ?? []
        let owner = "Name the domain that is yours below '\(entry.host)', or leave out 'include-subdomains'."
        if let section = PublicSuffixList.section(of: entry.host) {
          return Finding(
            at: entry.written.place,
            section == .icann
              ? "'\(entry.host)' is a public suffix: anybody may register names below it"
              : "'\(entry.host)' is a public suffix: names below it are given to customers",
            related: related, help: owner, severity: section == .icann ? nil : .warning, fixes: fixes)
        }
        // A wildcard of the list makes suffixes of the names below it.
        guard let below = try? HostName(canonicalising: "any." + entry.host.text),
          let section = PublicSuffixList.section(of: below)
        else { return nil }
        return Finding(
          at: entry.written.place, "every name below '\(entry.host)' is a public suffix", related: related, help: owner,
          severity: section == .icann ? nil : .warning, fixes: fixes)
      }
    })

  private static func isInternal(_ host: HostName) -> Bool {
    host.text == "home.arpa" || host.text.hasSuffix(".home.arpa")
  }
}

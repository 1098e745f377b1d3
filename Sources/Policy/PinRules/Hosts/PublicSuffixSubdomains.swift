import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An entry doesn't reach into other people's domains.
  package static let publicSuffixSubdomains = Rule(
    code: "P204",
    name: "public-suffix-subdomains",
    severity: .error,
    title: "An entry includes the subdomains of a public suffix.",
    rationale: """
      Anybody may register a name below a public suffix, so names below it belong to many owners with keys of their own,
      and an entry that covers them all would block most of them. Below a suffix of the list's ICANN part (`com`,
      `co.uk`) that is an error. In its private part (`github.io`) it is a warning, because the company that gives out
      the names may intend it. So may the owner of a top-level domain, who can suppress the error.

      Internal names have one owner: those that end in no top-level domain of the list (`corp`, `internal`, `local`)
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
      input.hostFacts.entries(with: .coversSubdomains, without: .isOff).compactMap { index in
        suffix(input.policy.hosts[index].host).map { finding(input.policy.hosts[index], $0, input) }
      }
    })

  private typealias Suffix = (section: PublicSuffixList.Section, isBelow: Bool)

  private static func finding(_ entry: Policy.HostEntry, _ suffix: Suffix, _ input: CheckInput) -> Finding {
    let place = entry.includeSubdomains?.place
    let own = input.written(entry)?.terms.includeSubdomains
    let inherited = place?.file == entry.written.place.file && own == nil ? place : nil
    let message =
      if suffix.isBelow {
        "every name below '\(entry.host)' is a public suffix"
      } else if suffix.section == .icann {
        "'\(entry.host)' is a public suffix: anybody may register names below it"
      } else {
        "'\(entry.host)' is a public suffix: names below it are given to customers"
      }
    return Finding(
      at: entry.written.place, message,
      related: inherited.map { [Diagnostic.Related("subdomains are included because of this", at: $0)] } ?? [],
      help: "Name the domain that is yours below '\(entry.host)', or leave out 'include-subdomains'.",
      severity: suffix.section == .icann ? nil : .warning,
      fixes: own.map { input.deletingField("include-subdomains", at: $0.place, .suggested) } ?? [])
  }

  /// The part of the list that makes a suffix of a host or, by a wildcard, of all names below it.
  private static func suffix(_ host: HostName) -> Suffix? {
    if isInternal(host) { return nil }
    if let section = PublicSuffixList.section(of: host) { return (section, false) }
    guard let below = try? HostName(canonicalising: "any." + host.text) else { return nil }
    return PublicSuffixList.section(of: below).map { ($0, true) }
  }

  private static func isInternal(_ host: HostName) -> Bool {
    host.text == "home.arpa" || host.text.hasSuffix(".home.arpa")
  }
}

import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A host is written in the form in which it is compared.
  static let hostNotCanonical = Rule(
    code: "P202",
    name: "host-not-canonical",
    severity: .warning,
    title: "A host isn't written in canonical form.",
    rationale: """
      Policies are searched and compared as text, by people and by programs. The compiler brings each host into its
      canonical form, lower-case A-labels without a trailing dot or RFC 5952 text, but a search for that form doesn't find
      another spelling. U-labels are allowed, in the form that UTS 46 gives them.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: API.Example.com.
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          keys: public-web
        - host: bücher.example
          keys: public-web
      """),
    citation: "RFC 5890 section 2.3.2.1; UTS 46; RFC 5952 section 4",
    check: .policy { input in
      let hosts = input.policy.hosts
      // Compared as bytes: Swift's == also accepts canonically equivalent text.
      return hosts.indices.lazy.filter { !isWritten(hosts[$0].host.text, as: hosts[$0].written.value) }
        .compactMap { index in
          let entry = hosts[index]
          let canonical = entry.host.text
          let readable = InternationalName.unicode(entry.host)
          guard !readable.utf8.elementsEqual(entry.written.value.utf8) else { return nil }
          return Finding(
            at: entry.written.place, "\(Wording.quoted(entry.written.value)) isn't in canonical form",
            help: readable == canonical
              ? "Write '\(canonical)'." : "Write '\(readable)', or '\(canonical)' in A-labels.",
            fixes: input.writing(isASCII(entry.written.value) ? canonical : readable, at: entry.written.place, .safe))
        }
    })

  /// Another text that Swift takes for equal to one in ASCII has more bytes.
  private static func isWritten(_ canonical: String, as text: String) -> Bool {
    canonical.utf8.count == text.utf8.count && canonical == text
  }

  private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}

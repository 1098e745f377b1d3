private import CLibPSL
package import PinFormat

/// The Public Suffix List that comes with libpsl: names below which anybody may register one.
package enum PublicSuffixList {
  /// A part of the list.
  package enum Section: String, Hashable, Sendable {
    /// Registries of top-level domains and below: `com`, `co.uk`.
    case icann
    /// Companies that give names to their customers: `github.io`.
    case privateDomain
  }

  /// The part of the list that names this host as a public suffix.
  ///
  /// - Parameter host: Any host.
  /// - Returns: Nil where it isn't a public suffix. An address isn't, nor is a name under a top-level domain that the
  ///   list doesn't know: such names are somebody's internal ones.
  package static func section(of host: HostName) -> Section? {
    // The built-in list is constant data: it isn't freed, and all threads may read it.
    guard host.kind == .name, let list = psl_builtin() else { return nil }
    func isSuffix(_ type: Int32) -> Bool {
      psl_is_public_suffix2(list, host.text, type | PSL_TYPE_NO_STAR_RULE) == 1
    }
    // Nearly all names are in neither part, which a single lookup shows.
    guard isSuffix(PSL_TYPE_ANY) else { return nil }
    if isSuffix(PSL_TYPE_ICANN) { return .icann }
    return isSuffix(PSL_TYPE_PRIVATE) ? .privateDomain : nil
  }

  /// Whether a name is below a top-level domain that the list knows; names that aren't are somebody's internal ones.
  package static func isBelowKnownDomain(_ host: HostName) -> Bool {
    guard host.kind == .name, let domain = host.text.split(separator: ".").last, domain.count < host.text.count else {
      return false
    }
    // Of some domains, such as `ck`, the list has only what is below them: `*.ck`.
    return [String(domain), "name.\(domain)"].contains { text in
      (try? HostName(canonicalising: text)).flatMap { section(of: $0) } != nil
    }
  }
}

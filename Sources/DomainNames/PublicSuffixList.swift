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
  /// - Returns: Nil where it is no public suffix. An address isn't, nor is a name under a top-level domain that the list
  ///   doesn't know: such names are somebody's internal ones.
  package static func section(of host: HostName) -> Section? {
    guard host.kind == .name else { return nil }
    return section(of: host.text)
  }

  /// Whether the host's last label is a top-level domain that the list knows; false for addresses and internal names.
  package static func isUnderKnownTopLevelDomain(_ host: HostName) -> Bool {
    guard host.kind == .name, let last = host.text.split(separator: ".").last else { return false }
    // Some have rules only for what stands below them (`*.ck`).
    return section(of: String(last)) != nil || section(of: "any." + last) != nil
  }

  /// The name that somebody registered below a public suffix: `example.co.uk` for `www.example.co.uk`.
  ///
  /// - Parameter host: Any host.
  /// - Returns: Nil for addresses, for public suffixes and for names under an unknown top-level domain.
  package static func registrableDomain(of host: HostName) -> String? {
    guard isUnderKnownTopLevelDomain(host), let list = psl_builtin() else { return nil }
    // The answer points into the argument, so it is copied before that goes.
    return host.text.withCString { name in psl_registrable_domain(list, name).map { String(cString: $0) } }
  }

  private static func section(of name: String) -> Section? {
    // The builtin list is constant data of the library: nobody owns it, and all threads may read it.
    guard let list = psl_builtin() else { return nil }
    func isSuffix(_ type: Int32) -> Bool {
      psl_is_public_suffix2(list, name, type | PSL_TYPE_NO_STAR_RULE) == 1
    }
    if isSuffix(PSL_TYPE_ICANN) { return .icann }
    return isSuffix(PSL_TYPE_PRIVATE) ? .privateDomain : nil
  }
}

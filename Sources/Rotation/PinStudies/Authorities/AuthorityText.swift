import Diagnostics
import PinFormat
package import PinPolicy
import PinRules

/// What is known of authorities, in words.
package struct AuthorityText {
  private let known: Authorities

  package init(_ known: Authorities) {
    self.known = known
  }

  /// All authorities and services, a line each.
  package var list: String {
    var table = Table()
    for authority in known.authorities.sorted(by: { $0.name < $1.name }) {
      let change =
        switch authority.issuersChange?.notice {
        case .withoutNotice: "changes its intermediates without notice"
        case .announced: "announces changes of its intermediates"
        case nil: ""
        }
      table.add(authority.name, authority.owner, counted(authority.keys.count, "key"), change)
    }
    var services = Table()
    for service in known.services.sorted(by: { $0.name < $1.name }) {
      services.add(service.name, "gets certificates from " + service.authorities.listed())
    }
    return "Authorities:\n" + table.text(indent: 2)
      + (known.services.isEmpty ? "" : "\nServices:\n" + services.text(indent: 2)) + "\n" + age
  }

  /// How old the knowledge is: that of the file that was reviewed longest ago.
  private var age: String {
    guard let reviewed = known.reviewed else { return "" }
    let seconds = known.instant.seconds(since: reviewed)
    return "Last reviewed on \(Self.day(reviewed))" + (seconds >= 86_400 ? ", \(Wording.duration(seconds)) ago" : "")
      + (known.isOld ? ": install a newer version of pintle, or pass newer files with --authorities" : "") + ".\n"
  }

  /// One authority or service; nil for a name that neither has.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - citesAll: Whether all statements follow, each with its source.
  /// - Returns: The text, the answer first.
  package func details(of name: String, citesAll: Bool) -> String? {
    if let service = known.service(named: name) {
      return "\(Self.title(service.name, service.brands))\nGets certificates from \(service.authorities.listed()).\n"
        + Self.origin(service.source, indent: 2)
    }
    guard let authority = known.authority(named: name) else { return nil }
    var text = "\(Self.title(authority.name, authority.brands))\nOwner: \(authority.owner)\n"
    if let change = authority.issuersChange {
      text +=
        change.notice == .withoutNotice
        ? "Its intermediates change without notice.\n" : "It announces changes of its intermediates.\n"
      text += Self.origin(change.source, indent: 2)
    }
    guard !authority.keys.isEmpty else { return text }
    text += "\n" + answer(about: authority.keys)
    if citesAll { for key in authority.keys { text += "\n" + details(of: key) } }
    return text
  }

  /// Which roots can be pinned and until when, and what each store does with them.
  private func answer(about keys: [AuthorityKey]) -> String {
    let roots = keys.filter { $0.position == .root }
    guard !roots.isEmpty else { return "No root of it is known, so there is nothing to pin for a year.\n" }
    let nextYear = known.instant.adding(seconds: 365 * 86_400)
    let ends = roots.map { ($0, $0.end(in: TrustStoreName.mozillaLine)) }
    func isKnown(_ root: AuthorityKey) -> Bool { root.stores.values.contains { $0.since != nil } }
    let lasting = ends.count { $0.1.instant > nextYear && isKnown($0.0) }
    var table = Table()
    for (root, end) in ends.sorted(by: { $0.1.instant > $1.1.instant }) {
      let (isOver, isSoon) = (end.instant <= known.instant, end.instant <= nextYear)
      let day = "\(isOver ? "since" : "until") \(Self.day(end.instant)) (\(end.what))"
      table.add(
        root.name.key, "\(root.pin)", isOver ? "no" : !isKnown(root) ? "not yet" : isSoon ? "ends soon" : "yes",
        isOver || isKnown(root) ? day : "it is in no trust store that is known")
    }
    return "As of \(Self.day(known.instant)), "
      + (lasting == 0 ? "none of" : lasting == roots.count ? "all of" : "\(lasting) of")
      + " its \(counted(roots.count, "root")) can be pinned for a year or more:\n" + table.text(indent: 2)
      + stores(of: roots)
  }

  /// What each store does with roots, a line for each store that is known.
  private func stores(of roots: [AuthorityKey]) -> String {
    var table = Table()
    for store in TrustStoreName.allCases {
      let standings = roots.compactMap { $0.stores[store] }
      guard !standings.isEmpty else { continue }
      let inside = standings.count { $0.since != nil && $0.until.map { $0.instant > known.instant } ?? true }
      func days(_ verb: String, _ dates: [DatedStatement?]) -> String? {
        let days = Set(dates.compactMap { $0.map { Self.day($0.instant) } }).sorted()
        guard let first = days.first, let last = days.last else { return nil }
        return verb + (days.count == 1 ? first : "\(first) to \(last)")
      }
      let after = days("distrusts certificates issued after ", standings.map(\.distrustAfter))
      let left = days(
        "roots left it on ", standings.map { $0.until.flatMap { $0.instant <= known.instant ? $0 : nil } })
      let leave = days(
        "roots leave it on ", standings.map { $0.until.flatMap { $0.instant > known.instant ? $0 : nil } })
      table.add(store.title, "has \(inside)", [after, left, leave].compactMap(\.self).joined(separator: "; "))
    }
    let text = table.text(indent: 2)
    return text.isEmpty ? "" : "\nTrust stores, as far as it is known:\n" + text
  }

  /// The names of all authorities and services.
  package var names: [String] { known.authorities.map(\.name) + known.services.map(\.name) }

  private func details(of key: AuthorityKey) -> String {
    var text = "\(key.position == .root ? "root" : "intermediate") \(key.name.key)  \(key.pin)\n"
    text += "  \(key.subject)\n"
    text += "  created \(Self.day(key.created)), certificate expires on \(Self.day(key.expires))\n"
    func add(_ what: String, _ date: DatedStatement) {
      text += "  \(what) \(Self.day(date.instant))\n" + Self.origin(date.source, indent: 4)
    }
    for link in key.signedBy { add("certified by \(shown(link.key, of: key)) until", link.date) }
    if let end = key.issuesUntil { add("no new certificates under it from", end) }
    for link in key.successors {
      let verb = link.date.instant <= known.instant ? "moved" : "moves"
      add("issuance \(verb) to \(shown(link.key, of: key)) on", link.date)
    }
    for (store, standing) in key.stores.sorted(by: { $0.key < $1.key }) {
      if let since = standing.since { add("known to be in \(store.title) since", since) }
      if let after = standing.distrustAfter { add("\(store.title) distrusts certificates issued after", after) }
      if let until = standing.until {
        add("\(until.instant <= known.instant ? "left" : "leaves") \(store.title) on", until)
      }
    }
    return text
  }

  private func shown(_ name: AuthorityKeyName, of key: AuthorityKey) -> String {
    name.authority == key.name.authority ? name.key : name.description
  }

  private static func title(_ name: String, _ brands: [String]) -> String {
    name + (brands.isEmpty ? "" : " (\(brands.listed()))")
  }

  private static func origin(_ source: AuthoritySource, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    return "\(margin)\(source.says)\n\(margin)\(source.url), \(day(source.published))\n"
  }

  private static func day(_ instant: Instant) -> String { String("\(instant)".prefix { $0 != "T" }) }
}

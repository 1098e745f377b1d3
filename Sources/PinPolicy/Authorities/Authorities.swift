import Diagnostics
package import PinFormat

/// What is known of public CAs on a day: only what was published until then.
package struct Authorities: Sendable {
  /// For how long after its review knowledge counts as up to date.
  private static let reviewPeriod: Int64 = 183 * 86_400

  /// The day.
  package let instant: Instant
  /// The oldest of the files' reviews; nil if nothing is known.
  package private(set) var reviewed: Instant?
  /// Whether that was too long ago to rely on what isn't said.
  package var isOld: Bool { reviewed.map { instant.seconds(since: $0) > Self.reviewPeriod } ?? false }
  package private(set) var authorities: [Authority] = []
  package private(set) var services: [CertificateService] = []

  private var pins: [Pin: Place] = [:]
  private var names: [AuthorityKeyName: Place] = [:]
  private var numbers: [String: Int] = [:]

  private struct Place {
    var authority: Int
    var key: Int
  }

  /// No knowledge.
  package static func none(at instant: Instant) -> Authorities { Authorities([], at: instant) }

  /// - Parameters:
  ///   - files: Of several with the same authority or service, the first counts.
  ///   - instant: The day of judging.
  package init(_ files: [AuthorityFile], at instant: Instant) {
    self.instant = instant
    reviewed = files.compactMap(\.reviewed?.value).min()
    let schedules = Schedules(files.flatMap { $0.said($0.schedules, until: instant) })
    var serviceNames: Set<String> = []
    for file in files {
      for authority in file.authorities where numbers[authority.name.value] == nil {
        guard let known = file.authority(authority, schedules, at: instant) else { continue }
        numbers[known.name] = authorities.count
        for (index, key) in known.keys.enumerated() {
          let place = Place(authority: authorities.count, key: index)
          if pins[key.pin] == nil { pins[key.pin] = place }
          names[key.name] = place
        }
        authorities.append(known)
      }
      services += file.services(until: instant).filter { serviceNames.insert($0.name).inserted }
    }
  }

  /// What is known of a key.
  package subscript(pin: Pin) -> AuthorityKey? { pins[pin].map { authorities[$0.authority].keys[$0.key] } }

  package subscript(name: AuthorityKeyName) -> AuthorityKey? {
    names[name].map { authorities[$0.authority].keys[$0.key] }
  }

  /// The authority of a key.
  package func authority(of key: AuthorityKey) -> Authority? { authority(named: key.name.authority) }

  package func authority(named name: String) -> Authority? { numbers[name].map { authorities[$0] } }

  package func service(named name: String) -> CertificateService? { services.first { $0.name == name } }

  /// The key of a CA's certificate, by its name.
  package func key(ofSubject subject: String) -> AuthorityKey? {
    authorities.lazy.flatMap(\.keys).first { $0.subject == subject }
  }

  /// The roots that a key certified, so that a path that goes through the key may end at them instead.
  package func roots(certifiedBy key: AuthorityKey) -> [AuthorityKey] {
    authorities.flatMap(\.keys).filter { other in
      other.position == .root && other.pin != key.pin
        && other.signedBy.contains { $0.key == key.name && instant < $0.date.instant }
    }
  }
}

/// For each store, the rows of the schedule that was published last: when it removes roots of which age.
private typealias Schedules = [TrustStoreName: [(row: AuthorityFile.ParsedStatement, source: AuthoritySource)]]

extension Schedules {
  fileprivate init(_ rows: [(AuthorityFile.ParsedStatement, AuthoritySource)]) {
    self = [:]
    for (row, source) in rows {
      guard let store = row.store?.value else { continue }
      let published = self[store]?.first?.source.published ?? .earliest
      if published < source.published { self[store] = [] }
      if published <= source.published { self[store, default: []].append((row, source)) }
    }
  }
}

extension AuthorityFile {
  fileprivate func source(_ statement: ParsedStatement) -> AuthoritySource? { source(statement.source?.value) }

  private func source(_ name: String?) -> AuthoritySource? { name.flatMap { sources[$0]?.source } }

  /// The statements that were published until an instant, each with its source, the newest last.
  fileprivate func said(_ statements: [ParsedStatement], until instant: Instant) -> [(ParsedStatement, AuthoritySource)]
  {
    let published = statements.compactMap { statement in
      source(statement).flatMap { $0.published <= instant ? (statement, $0) : nil }
    }
    if published.count < 2 { return published }
    return published.enumerated().sorted { left, right in
      (left.element.1.published, left.offset) < (right.element.1.published, right.offset)
    }.map(\.element)
  }

  fileprivate func services(until instant: Instant) -> [CertificateService] {
    services.compactMap { service in
      said(service.issuesFrom, until: instant).last.map { statement, source in
        CertificateService(
          name: service.name.value, brands: service.brands.map(\.value),
          authorities: statement.authorities.map(\.value), source: source)
      }
    }
  }

  fileprivate func authority(
    _ parsed: ParsedAuthority, _ schedules: Schedules, at instant: Instant
  ) -> Authority? {
    guard let owner = parsed.owner?.value else { return nil }
    var authority = Authority(name: parsed.name.value, owner: owner, brands: parsed.brands.map(\.value))
    if let (change, source) = said(parsed.issuersChange, until: instant).last, let notice = change.notice?.value {
      authority.issuersChange = (notice, source)
    }
    authority.keys = parsed.keys.compactMap { key(of: authority.name, $0, schedules, at: instant) }
    // On an early day, nothing had been published about the keys of some.
    return authority.keys.isEmpty && !parsed.keys.isEmpty ? nil : authority
  }

  private func key(
    of authority: String, _ parsed: ParsedAuthorityKey, _ schedules: Schedules, at instant: Instant
  ) -> AuthorityKey? {
    guard let pin = parsed.pin?.value, let certificate = parsed.certificate?.value, let subject = parsed.subject?.value,
      let position = parsed.position?.value, let created = parsed.created?.value, let expires = parsed.expires?.value,
      let source = source(parsed.source?.value), source.published <= instant
    else { return nil }
    var key = AuthorityKey(
      name: AuthorityKeyName(authority: authority, key: parsed.name.value), pin: pin, certificate: certificate,
      subject: subject, position: position, created: created, expires: expires, source: source)
    key.issuesUntil = said(parsed.issuesUntil, until: instant).last.flatMap { dated($0.date, $1) }
    key.successors = links(parsed.successors, of: authority, until: instant, \.date)
    key.signedBy = links(parsed.signedBy, of: authority, until: instant, \.until)
    key.stores = standings(parsed.stores, until: instant)
    if position == .root { key.apply(schedules) }
    return key
  }

  private func dated(_ instant: Located<Instant>?, _ source: AuthoritySource) -> DatedStatement? {
    instant.map { DatedStatement(instant: $0.value, source: source) }
  }

  /// For each other key, the newest statement about it.
  private func links(
    _ statements: [ParsedStatement], of authority: String, until instant: Instant,
    _ date: KeyPath<ParsedStatement, Located<Instant>?>
  ) -> [AuthorityKey.Link] {
    said(statements, until: instant).reduce(into: []) { links, said in
      guard let name = said.0.key?.value, let date = dated(said.0[keyPath: date], said.1) else { return }
      let full = name.within(authority)
      links.removeAll { $0.key == full }
      links.append(AuthorityKey.Link(key: full, date: date))
    }
  }

  private func standings(
    _ statements: [ParsedStatement], until instant: Instant
  ) -> [TrustStoreName: AuthorityKey.Standing] {
    said(statements, until: instant).reduce(into: [:]) { stores, said in
      let (statement, source) = said
      guard let store = statement.store?.value else { return }
      var standing = stores[store] ?? AuthorityKey.Standing()
      standing.since = dated(statement.since, source) ?? standing.since
      standing.distrustAfter = dated(statement.distrustAfter, source) ?? standing.distrustAfter
      standing.until = dated(statement.until, source) ?? standing.until
      stores[store] = standing
    }
  }
}

extension AuthorityKey {
  /// Adds the day on which a store that has the root removes every root of this age, unless something is known of this
  /// root itself.
  fileprivate mutating func apply(_ schedules: Schedules) {
    for (store, rows) in schedules where stores[store]?.until == nil && isKnown(in: store) {
      let ofAge = rows.filter { row, _ in row.createdBefore.map { created < $0.value } ?? false }
        .min { ($0.row.createdBefore?.value ?? .latest) < ($1.row.createdBefore?.value ?? .latest) }
      let dated = (ofAge ?? rows.first { $0.row.years != nil }).flatMap { row, source in
        (row.until?.value ?? row.years.flatMap { created.adding(years: $0.value) }).map {
          DatedStatement(instant: $0, source: source)
        }
      }
      guard let dated else { continue }
      stores[store, default: Standing()].until = dated
    }
  }

  /// Whether a source has the root in a store; what is in a copy of Mozilla's list is in that.
  package func isKnown(in store: TrustStoreName) -> Bool {
    let line = TrustStoreName.mozillaLine
    return (line.contains(store) ? line : [store]).contains { stores[$0]?.since != nil }
  }
}

extension Instant {
  /// The same day so many years later; 28 February for a leap day in a year without one.
  fileprivate func adding(years: Int) -> Instant? {
    let day = description.prefix(10)
    guard let year = Int(day.prefix(4)) else { return nil }
    let later = String(year + years) + day.dropFirst(4)
    return Instant(written: later) ?? Instant(written: String(later.dropLast(2)) + "28")
  }
}

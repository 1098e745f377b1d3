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
    var schedules: [TrustStoreName: [ScheduleRow]] = [:]
    var isUsed = files.map { $0.add(&schedules, until: instant) }
    var serviceNames: Set<String> = []
    for (number, file) in files.enumerated() {
      for authority in file.authorities where numbers[authority.name.value] == nil {
        guard let known = file.authority(authority, schedules, at: instant) else { continue }
        numbers[known.name] = authorities.count
        for (index, key) in known.keys.enumerated() {
          let place = Place(authority: authorities.count, key: index)
          if pins[key.pin] == nil { pins[key.pin] = place }
          names[key.name] = place
        }
        authorities.append(known)
        isUsed[number] = true
      }
      let new = file.services(until: instant).filter { serviceNames.insert($0.name).inserted }
      if !new.isEmpty { isUsed[number] = true }
      services += new
    }
    reviewed = zip(files, isUsed).compactMap { file, isUsed in isUsed ? file.reviewed?.value : nil }.min()
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
    authorities.lazy.flatMap(\.keys).filter { other in
      other.position == .root && other.pin != key.pin
        && other.signedBy.contains { $0.key == key.name && instant < $0.date.instant }
    }
  }
}

/// When a store removes roots: those created before a day on a date, all others so many years after they were created.
private struct ScheduleRow {
  var createdBefore: Instant?
  var until: Instant?
  var years: Int?
  var source: AuthoritySource
}

extension AuthorityFile {
  /// Adds the rows of the schedules that were published until an instant; for each store, the last publication counts.
  ///
  /// - Returns: Whether there were any that no earlier file has.
  fileprivate func add(_ rows: inout [TrustStoreName: [ScheduleRow]], until instant: Instant) -> Bool {
    var own: Set<TrustStoreName> = []
    for (index, source) in said(schedules, until: instant) {
      guard let store = schedules[index].store?.value else { continue }
      if rows[store]?.first.map({ $0.source.published < source.published }) ?? true {
        rows[store] = []
        own.insert(store)
      }
      guard own.contains(store) else { continue }
      rows[store, default: []].append(ScheduleRow(schedules[index], source))
    }
    return !own.isEmpty
  }
}

extension ScheduleRow {
  fileprivate init(_ statement: AuthorityFile.ParsedStatement, _ source: AuthoritySource) {
    self.init(
      createdBefore: statement.createdBefore?.value, until: statement.until?.value, years: statement.years?.value,
      source: source)
  }
}

extension AuthorityFile {
  private func source(_ name: String?) -> AuthoritySource? { name.flatMap { sources[$0]?.source } }

  /// Which statements were published until an instant, each with its source, the newest last.
  fileprivate func said(
    _ statements: [ParsedStatement], until instant: Instant
  ) -> [(index: Int, source: AuthoritySource)] {
    var published: [(index: Int, source: AuthoritySource)] = []
    for (index, statement) in statements.enumerated() {
      guard let source = source(statement.source?.value), source.published <= instant else { continue }
      published.append((index, source))
    }
    if published.count < 2 { return published }
    return published.sorted { ($0.source.published, $0.index) < ($1.source.published, $1.index) }
  }

  fileprivate func services(until instant: Instant) -> [CertificateService] {
    services.compactMap { service in
      said(service.issuesFrom, until: instant).last.map { index, source in
        CertificateService(
          name: service.name.value, brands: service.brands.map(\.value),
          authorities: service.issuesFrom[index].authorities.map(\.value), source: source)
      }
    }
  }

  fileprivate func authority(
    _ parsed: ParsedAuthority, _ schedules: [TrustStoreName: [ScheduleRow]], at instant: Instant
  ) -> Authority? {
    guard let owner = parsed.owner?.value else { return nil }
    var authority = Authority(name: parsed.name.value, owner: owner, brands: parsed.brands.map(\.value))
    if let (index, source) = said(parsed.issuersChange, until: instant).last,
      let notice = parsed.issuersChange[index].notice?.value
    {
      authority.issuersChange = (notice, source)
    }
    authority.keys = parsed.keys.compactMap { key(of: authority.name, $0, schedules, at: instant) }
    // On an early day, nothing had been published about the keys of some.
    return authority.keys.isEmpty && !parsed.keys.isEmpty ? nil : authority
  }

  private func key(
    of authority: String, _ parsed: ParsedAuthorityKey, _ schedules: [TrustStoreName: [ScheduleRow]],
    at instant: Instant
  ) -> AuthorityKey? {
    guard let pin = parsed.pin?.value, let certificate = parsed.certificate?.value, let subject = parsed.subject?.value,
      let position = parsed.position?.value, let created = parsed.created?.value, let expires = parsed.expires?.value,
      let source = source(parsed.source?.value), source.published <= instant
    else { return nil }
    var key = AuthorityKey(
      name: AuthorityKeyName(authority: authority, key: parsed.name.value), pin: pin, certificate: certificate,
      subject: subject, position: position, created: created, expires: expires, source: source)
    key.issuesUntil = said(parsed.issuesUntil, until: instant).last.flatMap { dated(parsed.issuesUntil[$0].date, $1) }
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
      guard let name = statements[said.index].key?.value,
        let date = dated(statements[said.index][keyPath: date], said.source)
      else { return }
      let full = name.within(authority)
      links.removeAll { $0.key == full }
      links.append(AuthorityKey.Link(key: full, date: date))
    }
  }

  private func standings(
    _ statements: [ParsedStatement], until instant: Instant
  ) -> [TrustStoreName: AuthorityKey.Standing] {
    said(statements, until: instant).reduce(into: [:]) { stores, said in
      let (index, source) = said
      guard let store = statements[index].store?.value else { return }
      var standing = stores[store] ?? AuthorityKey.Standing()
      standing.since = dated(statements[index].since, source) ?? standing.since
      standing.distrustAfter = dated(statements[index].distrustAfter, source) ?? standing.distrustAfter
      standing.until = dated(statements[index].until, source) ?? standing.until
      stores[store] = standing
    }
  }
}

extension AuthorityKey {
  /// Adds the day on which a store that has the root removes every root of this age, unless something is known of this
  /// root itself.
  fileprivate mutating func apply(_ schedules: [TrustStoreName: [ScheduleRow]]) {
    for (store, rows) in schedules where stores[store]?.until == nil && isKnown(in: store) {
      let ofAge = rows.filter { $0.createdBefore.map { created < $0 } ?? false }
        .min { ($0.createdBefore ?? .latest) < ($1.createdBefore ?? .latest) }
      let dated = (ofAge ?? rows.first { $0.years != nil }).flatMap { row in
        (row.until ?? row.years.map { created.adding(years: Int64($0)) }).map {
          DatedStatement(instant: $0, source: row.source)
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

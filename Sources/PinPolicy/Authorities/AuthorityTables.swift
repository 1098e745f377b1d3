import CLibAuthorities
import Diagnostics
import Glibc
import PinFormat

/// The files of `authorities/` as tables: what the program was built with.
///
/// To read their YAML would take twice as long as a check of ten small files.
enum AuthorityTables {
  static var files: UnsafeBufferPointer<pintle_authority_file> {
    UnsafeBufferPointer(start: pintle_authority_files, count: pintle_authority_file_count)
  }

  /// Some keys, and those that statements link with them.
  ///
  /// - Parameters:
  ///   - subjects: Names of CAs (RFC 4514) whose keys aren't at hand.
  ///   - isWanted: Whether a pin is that of one of the keys.
  /// - Returns: Their names, and those of all keys that they name, of roots that name them, and so on; of the authority
  ///   of an issuing key, and of one that is known by its name only, also all roots.
  static func keys(ofSubjects subjects: Set<String>, pins isWanted: (Pin) -> Bool) -> Set<AuthorityKeyName> {
    var next: [AuthorityKeyName] = []
    for authority in files.lazy.flatMap(\.authorities.all) {
      for key in authority.keys.all {
        let isNamed = !subjects.isEmpty && subjects.contains(String(cString: key.subject))
        guard isNamed || key.pin.parsed(by: { Pin($0) }).map({ isWanted($0.value) }) ?? false else { continue }
        next.append(authority.name(of: key))
        if isNamed || !key.isRoot { next += authority.keys.all.lazy.filter(\.isRoot).map(authority.name) }
      }
    }
    if next.isEmpty { return [] }
    var links: [AuthorityKeyName: [AuthorityKeyName]] = [:]
    for authority in files.lazy.flatMap(\.authorities.all) {
      for key in authority.keys.all {
        let name = authority.name(of: key)
        for statement in [key.signed_by, key.successors].lazy.flatMap(\.all) {
          guard let other = statement.key.parsed(.authorityKey)?.value.within(name.authority) else { continue }
          links[name, default: []].append(other)
          if key.isRoot { links[other, default: []].append(name) }
        }
      }
    }
    var chosen: Set<AuthorityKeyName> = []
    while let name = next.popLast() {
      if chosen.insert(name).inserted { next += links[name] ?? [] }
    }
    return chosen
  }
}

extension AuthorityFile {
  /// A table, read.
  ///
  /// - Parameters:
  ///   - table: Without mistakes: a test compares it with its file.
  ///   - withServices: Whether to read CDNs and managed services.
  ///   - isWanted: Whether to read a key; authorities without one, and sources that nothing names then, aren't read.
  init(
    _ table: pintle_authority_file, withServices: Bool = true, keys isWanted: ((AuthorityKeyName) -> Bool)? = nil
  ) {
    authorities = table.authorities.all.compactMap { ParsedAuthority($0, keys: isWanted) }
    services = withServices ? table.services.all.compactMap(ParsedService.init) : []
    schedules = table.schedules.all.map(ParsedStatement.init)
    if authorities.isEmpty, services.isEmpty, schedules.isEmpty { return }
    reviewed = table.reviewed.parsed(.instant)
    let keys = authorities.flatMap(\.keys)
    let statements =
      schedules + services.flatMap(\.issuesFrom) + authorities.flatMap(\.issuersChange) + keys.flatMap(\.statements)
    let named = Set((statements.map(\.source) + keys.map(\.source)).compactMap { $0?.value })
    for source in table.sources.all {
      let name = String(cString: source.name)
      guard isWanted == nil || named.contains(name) else { continue }
      sources[name] = ParsedSource(
        published: source.published.parsed(.instant), url: source.url.parsed(.uri),
        says: source.says.parsed(.text))
    }
  }
}

extension AuthorityFile.ParsedAuthority {
  fileprivate init?(_ table: pintle_authority, keys isWanted: ((AuthorityKeyName) -> Bool)?) {
    let keys = table.keys.all.filter { isWanted?(table.name(of: $0)) ?? true }
    guard !keys.isEmpty, let name = table.name.parsed(.name) else { return nil }
    self.init(
      name: name, owner: table.owner.parsed(.text), brands: table.names.parsed(.text),
      issuersChange: table.changes_issuers.parsed, keys: keys.compactMap(AuthorityFile.ParsedAuthorityKey.init))
  }
}

extension AuthorityFile.ParsedAuthorityKey {
  fileprivate init?(_ table: pintle_authority_key) {
    guard let name = table.name.parsed(.name) else { return nil }
    self.init(
      name: name, pin: table.pin.parsed { Pin($0) },
      certificate: table.certificate.parsed(.fingerprint),
      subject: table.subject.parsed(.text), position: table.place.parsed(.word()),
      created: table.created.parsed(.instant), expires: table.expires.parsed(.instant),
      source: table.source.parsed(.name), signedBy: table.signed_by.parsed,
      issuesUntil: table.issues_until.parsed, successors: table.successors.parsed, stores: table.stores.parsed)
  }
}

extension AuthorityFile.ParsedService {
  fileprivate init?(_ table: pintle_service) {
    guard let name = table.name.parsed(.name) else { return nil }
    self.init(name: name, brands: table.names.parsed(.text), issuesFrom: table.issues_from.parsed)
  }
}

extension AuthorityFile.ParsedStatement {
  fileprivate init(_ table: pintle_statement) {
    self.init(
      source: table.source.parsed(.name), key: table.key.parsed(.authorityKey),
      date: table.date.parsed(.instant), store: table.store.parsed(.word()),
      since: table.since.parsed(.instant),
      distrustAfter: table.distrust_after.parsed(.instant),
      until: table.until.parsed(.instant), notice: table.notice.parsed(.word()),
      authorities: table.authorities.parsed(.name),
      createdBefore: table.created_before.parsed(.instant),
      years: table.years.parsed(.number(in: 1...100)))
  }
}

extension pintle_authority {
  fileprivate func name(of key: pintle_authority_key) -> AuthorityKeyName {
    AuthorityKeyName(authority: String(cString: name), key: String(cString: key.name))
  }
}

extension pintle_authority_key {
  fileprivate var isRoot: Bool { place.parsed(.word(AuthorityKey.Position.self))?.value == .root }
}

extension UnsafePointer<CChar>? {
  /// A value as the reader of YAML has it, but without its place.
  fileprivate func parsed<Value>(_ scalar: Scalar<Value>) -> Located<Value>? { parsed(by: scalar.parse) }

  fileprivate func parsed<Value>(by parse: (Span<UInt8>) -> Value?) -> Located<Value>? {
    guard let self else { return nil }
    let bytes = UnsafeRawBufferPointer(start: self, count: strlen(self)).bindMemory(to: UInt8.self)
    return parse(bytes.span).map { Located($0, at: .beginning(of: FileID(0))) }
  }
}

private protocol TableList {
  associatedtype Item
  // As pointers of C are imported.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var items: UnsafePointer<Item>! { get }
  var count: Int { get }
}

extension TableList {
  var all: UnsafeBufferPointer<Item> { UnsafeBufferPointer(start: items, count: count) }
}

extension pintle_words: TableList {
  fileprivate func parsed(_ scalar: Scalar<String>) -> [Located<String>] { all.compactMap { $0.parsed(scalar) } }
}

extension pintle_statements: TableList {
  fileprivate var parsed: [AuthorityFile.ParsedStatement] { all.map(AuthorityFile.ParsedStatement.init) }
}

extension pintle_sources: TableList {}
extension pintle_authorities: TableList {}
extension pintle_authority_keys: TableList {}
extension pintle_services: TableList {}

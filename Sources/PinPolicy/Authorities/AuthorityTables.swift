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

  /// The numbers of some keys, and of those that concern them (`linked`).
  ///
  /// - Parameters:
  ///   - subjects: Names of CAs (RFC 4514) whose keys aren't at hand, so that all roots of their authorities concern them.
  ///   - isWanted: Whether a pin is that of one of the keys.
  /// - Returns: Nothing where the tables have none of them.
  static func keys(ofSubjects subjects: Set<String>, pins isWanted: (Pin) -> Bool) -> Set<Int> {
    var chosen: Set<Int> = []
    for authority in files.lazy.flatMap(\.authorities.all) {
      for key in authority.keys.all {
        let isNamed = !subjects.isEmpty && subjects.contains(String(cString: key.subject))
        guard isNamed || key.pin.parsed(by: { Pin($0) }).map({ isWanted($0.value) }) ?? false else { continue }
        chosen.formUnion(key.linked.all.map(Int.init))
        guard isNamed else { continue }
        for root in authority.keys.all where root.isRoot { chosen.formUnion(root.linked.all.map(Int.init)) }
      }
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
  ///   - chosen: The numbers of the keys to read; authorities without one, and sources that nothing names then, aren't
  ///     read. Nil for all.
  init(_ table: pintle_authority_file, withServices: Bool = true, keys chosen: Set<Int>? = nil) {
    authorities = table.authorities.all.compactMap { ParsedAuthority($0, keys: chosen) }
    services = withServices ? table.services.all.compactMap(ParsedService.init) : []
    schedules = table.schedules.all.map(ParsedStatement.init)
    if authorities.isEmpty, services.isEmpty, schedules.isEmpty { return }
    reviewed = table.reviewed.parsed(.instant)
    let named = chosen == nil ? nil : namedSources
    for source in table.sources.all {
      let name = String(cString: source.name)
      guard named?.contains(name) ?? true else { continue }
      sources[name] = ParsedSource(
        published: source.published.parsed(.instant), url: source.url.parsed(.uri),
        says: source.says.parsed(.text))
    }
  }
}

extension AuthorityFile {
  /// The sources that statements and keys name.
  private var namedSources: Set<String> {
    let keys = authorities.flatMap { $0.keys.compactMap(\.source?.value) }
    let lists =
      [schedules] + services.map(\.issuesFrom) + authorities.map(\.issuersChange)
      + authorities.flatMap { $0.keys.flatMap(\.lists) }
    return Set(keys + lists.flatMap { $0.compactMap(\.source?.value) })
  }
}

extension AuthorityFile.ParsedAuthority {
  fileprivate init?(_ table: pintle_authority, keys chosen: Set<Int>?) {
    let keys = table.keys.all.enumerated().lazy.filter { chosen?.contains(Int(table.first) + $0.offset) ?? true }
      .compactMap { AuthorityFile.ParsedAuthorityKey($0.element) }
    guard !keys.isEmpty, let name = table.name.parsed(.name) else { return nil }
    self.init(
      name: name, owner: table.owner.parsed(.text), brands: table.names.parsed(.text),
      issuersChange: table.changes_issuers.parsed, keys: Array(keys))
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
extension pintle_numbers: TableList {}

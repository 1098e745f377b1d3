import CLibAuthorities
import Diagnostics
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
        guard isNamed || isWanted(Pin(SHA256Digest(key.pin))) else { continue }
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
    var reader = TableReader(table.sources.all, areAllNamed: chosen == nil)
    authorities = table.authorities.all.compactMap { reader.authority($0, keys: chosen) }
    services = withServices ? table.services.all.map { reader.service($0) } : []
    schedules = reader.statements(table.schedules)
    if authorities.isEmpty, services.isEmpty, schedules.isEmpty { return }
    reviewed = known(table.reviewed)
    for (source, isNamed) in zip(table.sources.all, reader.areNamed) where isNamed {
      sources[String(cString: source.name)] = ParsedSource(
        published: known(source.published), url: known(source.url), says: known(source.says))
    }
  }
}

/// Reads what a file's table says, and remembers the sources that it names.
private struct TableReader {
  private let sources: UnsafeBufferPointer<pintle_source>
  private(set) var areNamed: [Bool]

  init(_ sources: UnsafeBufferPointer<pintle_source>, areAllNamed: Bool) {
    self.sources = sources
    areNamed = Array(repeating: areAllNamed, count: sources.count)
  }

  mutating func authority(_ table: pintle_authority, keys chosen: Set<Int>?) -> AuthorityFile.ParsedAuthority? {
    var keys: [AuthorityFile.ParsedAuthorityKey] = []
    for (index, key) in table.keys.all.enumerated() where chosen?.contains(Int(table.first) + index) ?? true {
      keys.append(self.key(key))
    }
    if keys.isEmpty { return nil }
    return AuthorityFile.ParsedAuthority(
      name: located(String(cString: table.name)), owner: known(table.owner), brands: table.names.known,
      issuersChange: statements(table.changes_issuers), keys: keys)
  }

  private mutating func key(_ table: pintle_authority_key) -> AuthorityFile.ParsedAuthorityKey {
    AuthorityFile.ParsedAuthorityKey(
      name: located(String(cString: table.name)), pin: located(Pin(SHA256Digest(table.pin))),
      certificate: located(SHA256Digest(table.certificate)), subject: known(table.subject),
      position: named(table.place), created: known(table.created), expires: known(table.expires),
      source: source(table.source), signedBy: statements(table.signed_by),
      issuesUntil: statements(table.issues_until), successors: statements(table.successors),
      stores: statements(table.stores))
  }

  mutating func service(_ table: pintle_service) -> AuthorityFile.ParsedService {
    AuthorityFile.ParsedService(
      name: located(String(cString: table.name)), brands: table.names.known, issuesFrom: statements(table.issues_from))
  }

  mutating func statements(_ table: pintle_statements) -> [AuthorityFile.ParsedStatement] {
    table.all.map { table in
      AuthorityFile.ParsedStatement(
        source: source(table.source), key: keyName(table.key), date: known(table.date), store: named(table.store),
        since: known(table.since), distrustAfter: known(table.distrust_after), until: known(table.until),
        notice: named(table.notice), authorities: table.authorities.known, createdBefore: known(table.created_before),
        years: table.years == 0 ? nil : located(Int(table.years)))
    }
  }

  private mutating func source(_ number: UInt16) -> Located<String> {
    areNamed[Int(number)] = true
    return located(String(cString: sources[Int(number)].name))
  }

  private func keyName(_ name: UnsafePointer<CChar>?) -> Located<AuthorityKeyName>? {
    guard let name = known(name)?.value else { return nil }
    return Scalar<AuthorityKeyName>.authorityKey.parse(name.utf8Span.span).map(located)
  }
}

/// A value without its place.
private func located<Value>(_ value: Value) -> Located<Value> { Located(value, at: .beginning(of: FileID(0))) }

private func known(_ text: UnsafePointer<CChar>?) -> Located<String>? { text.map { located(String(cString: $0)) } }

private func known(_ seconds: Int64) -> Located<Instant>? {
  seconds == 0 ? nil : located(Instant(secondsSinceEpoch: seconds))
}

private func named<Value: RawRepresentable<String>>(_ word: UnsafePointer<CChar>?) -> Located<Value>? {
  word.flatMap { Value(rawValue: String(cString: $0)) }.map(located)
}

extension SHA256Digest {
  /// An array of 32 bytes as C has it.
  fileprivate init<Bytes>(_ bytes: Bytes) where Bytes: BitwiseCopyable {
    self = withUnsafeBytes(of: bytes) { SHA256Digest(InlineArray { [bytes = $0] index in bytes[index] }) }
  }
}

extension pintle_authority_key {
  fileprivate var isRoot: Bool { String(cString: place) == AuthorityKey.Position.root.rawValue }
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
  fileprivate var known: [Located<String>] { all.compactMap { PinPolicy.known($0) } }
}

extension pintle_statements: TableList {}
extension pintle_sources: TableList {}
extension pintle_authorities: TableList {}
extension pintle_authority_keys: TableList {}
extension pintle_services: TableList {}
extension pintle_numbers: TableList {}

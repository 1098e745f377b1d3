import Diagnostics
import PinFormat

/// The fields that a mapping may have, each with what reads its value into the record.
struct Fields<Record>: Sendable {
  /// Takes exactly one value from the reader.
  typealias Read = @Sendable (inout Record, inout DocumentReader) -> Void

  /// What the mapping is, as problems call it.
  let within: String
  /// The numbers of the fields that a mapping must have.
  let required: [Int]
  /// The numbers of the fields of which a mapping has exactly one.
  let alternatives: [Int]
  let names: [String]
  private let readers: [Read]
  private let keys: [FieldKey]

  /// `shared` are further fields, which other mappings have too.
  init(
    of within: String, required: [String] = [], oneOf alternatives: [String] = [],
    _ fields: KeyValuePairs<String, Read>, and shared: [(String, Read)] = []
  ) {
    let names = fields.map(\.key) + shared.map(\.0)
    self.within = within
    self.names = names
    self.required = required.compactMap { names.firstIndex(of: $0) }
    self.alternatives = alternatives.compactMap { names.firstIndex(of: $0) }
    readers = fields.map(\.value) + shared.map(\.1)
    keys = names.map { FieldKey($0.utf8Span.span) }
    precondition(
      self.required.count == required.count && self.alternatives.count == alternatives.count,
      "the requested fields must be fields")
  }

  /// The number of a field, by its name in UTF-8.
  func index(of name: Span<UInt8>) -> Int? {
    let key = FieldKey(name)
    for index in keys.indices where keys[index] == key {
      if name.count <= FieldKey.capacity || names[index].utf8Span.span.equals(name) { return index }
    }
    return nil
  }

  subscript(index: Int) -> Read { readers[index] }
}

/// A name's length and its first bytes: one comparison distinguishes most names.
private struct FieldKey: Equatable {
  static let capacity = 7

  private var number: UInt64

  init(_ name: Span<UInt8>) {
    number = UInt64(truncatingIfNeeded: name.count)
    for index in 0..<min(name.count, Self.capacity) {
      number = number << 8 | UInt64(name[index])
    }
  }
}

extension ParsedFile {
  static let fields = Fields<ParsedFile>(
    of: "policy file", required: ["version"],
    [
      "version": { $1.version() },
      "owner": { $0.owner = $1.scalar(.text) },
      "owners": { $0.owners = $1.list(of: .name, atLeastOne: true) ?? [] },
      "audiences": { $0.audiences = $1.list(of: .name, atLeastOne: true) ?? [] },
      "manifest": { $0.settings = $1.settings() },
      "defaults": { $1.mapping(ParsedTerms.fields, into: &$0.defaults) },
      "keys": { file, reader in
        reader.entries { reader, name in
          var key = KeyDraft()
          reader.mapping(KeyDraft.fields, into: &key)
          file.keys.append(key.key(named: name))
        }
      },
      "key-sets": { file, reader in
        reader.entries { reader, name in
          var set = ParsedKeySet(name: name, place: name.place)
          reader.mapping(ParsedKeySet.fields, into: &set)
          file.keySets.append(consume set)
        }
      },
      "hosts": { $0.hosts = $1.list { $0.host() } ?? [] },
    ])
}

extension ParsedSettings {
  static let fields = Fields<ParsedSettings>(
    of: "manifest",
    [
      "audience": { $0.audience = $1.scalar(.name) },
      "audiences": { settings, reader in
        reader.entries { reader, name in
          var audience = ParsedAudience(name: name)
          reader.mapping(ParsedAudience.fields, into: &audience)
          settings.audiences.append(audience)
        }
      },
    ], and: shared.map { ($0.key, $0.value) })

  /// What can be said of all audiences, and of one.
  static let shared: KeyValuePairs<String, Fields<ParsedSettings>.Read> = [
    "refresh-after": { $0.refreshAfter = $1.scalar(.duration) },
    "expires-after": { $0.expiresAfter = $1.scalar(.duration) },
    "on-stale": { $0.onStale = $1.scalar(.word()) },
    "client-max-age": { $0.clientMaxAge = $1.scalar(.duration) },
    "clients": { $0.clients = $1.list(of: .word(), atLeastOne: true) ?? [] },
    "signer-keys": { $0.signerKinds = $1.list(of: .word(), atLeastOne: true) ?? [] },
    "stores": { $0.stores = $1.list(of: .word(), atLeastOne: true) ?? [] },
    "unpinned-hosts": { $0.unpinnedHosts = $1.scalar(.word()) },
    "limits": { $1.mapping(limits, into: &$0) },
  ]

  private static let limits = Fields<ParsedSettings>(
    of: "limits",
    [
      "max-lifetime": { $0.maximumLifetime = $1.scalar(.duration) },
      "expiry-warning": { $0.expiryWarning = $1.scalar(.duration) },
      "max-hosts": { $0.maximumHosts = $1.scalar(.number(in: 1...1_000_000)) },
      "max-blast-radius": { $0.maximumBlastRadius = $1.scalar(.percent) },
    ])
}

extension ParsedAudience {
  static let fields = Fields<ParsedAudience>(
    of: "audience",
    [
      "slice-of": { $0.sliceOf = $1.scalar(.name) },
      "hosts": { $0.hosts = $1.list(of: .host, atLeastOne: true) ?? [] },
      "development": { $0.development = $1.scalar(.bool) },
      "domains": { $0.domains = $1.list(of: .host, atLeastOne: true) ?? [] },
      "anchors": { $0.anchors = $1.list(of: .path, atLeastOne: true, atMost: FormatLimits.trustItems) ?? [] },
      "defaults": { $1.mapping(ParsedTerms.fields, into: &$0.defaults) },
      "overlays": { $0.overlays = $1.list { $0.overlay() } ?? [] },
    ],
    and: ParsedSettings.shared.map { name, read in (name, { read(&$0.settings, &$1) }) })
}

extension DocumentReader {
  /// Reads `version:`; of a version that isn't known, nothing further can be read.
  mutating func version() {
    guard isTextNext(expected: "1, without quotes") else { return }
    let (scalar, place) = written()
    if scalar.text == "1", scalar.style == .plain { return }
    // Several words are a wrongly indented line, not a version.
    guard scalar.style == .plain, !scalar.text.utf8.contains(UInt8(ascii: " ")) else {
      return add(.badScalar(field: field.value, text: scalar.text, expected: "1, without quotes"), at: place)
    }
    add(.unsupportedVersion(scalar.text), at: place)
    stop()
  }

  fileprivate mutating func settings() -> ParsedSettings? {
    var settings = ParsedSettings(place: field.place)
    return mapping(ParsedSettings.fields, into: &settings) == nil ? nil : settings
  }
}

package import Diagnostics
package import PinFormat

/// A file of `authorities/`, as it was written: typed, each value with its place.
///
/// Its format is described by `schemas/authorities.schema.json`.
package struct AuthorityFile: Sendable {
  /// More bytes than such a file needs.
  package static let sizeLimit = 1 << 20

  /// When somebody last compared it with its sources.
  package internal(set) var reviewed: Located<Instant>?
  var sources: [String: ParsedSource] = [:]
  var authorities: [ParsedAuthority] = []
  var services: [ParsedService] = []
  var schedules: [ParsedStatement] = []

  struct ParsedSource: Sendable {
    var published: Located<Instant>?
    var url: Located<String>?
    var says: Located<String>?

    var source: AuthoritySource? {
      guard let published, let url, let says else { return nil }
      return AuthoritySource(published: published.value, url: url.value, says: says.value)
    }
  }

  struct ParsedAuthority: Sendable {
    let name: Located<String>
    var owner: Located<String>?
    var brands: [Located<String>] = []
    var issuersChange: [ParsedStatement] = []
    var keys: [ParsedAuthorityKey] = []
  }

  struct ParsedAuthorityKey: Sendable {
    let name: Located<String>
    var pin: Located<Pin>?
    var certificate: Located<SHA256Digest>?
    var subject: Located<String>?
    var position: Located<AuthorityKey.Position>?
    var created: Located<Instant>?
    var expires: Located<Instant>?
    var source: Located<String>?
    var signedBy: [ParsedStatement] = []
    var issuesUntil: [ParsedStatement] = []
    var successors: [ParsedStatement] = []
    var stores: [ParsedStatement] = []

    var lists: [[ParsedStatement]] { [signedBy, issuesUntil, successors, stores] }
  }

  struct ParsedService: Sendable {
    let name: Located<String>
    var brands: [Located<String>] = []
    var issuesFrom: [ParsedStatement] = []
  }

  /// An item of a list of statements; each list has its own of these fields.
  struct ParsedStatement: Sendable {
    var source: Located<String>?
    var key: Located<AuthorityKeyName>?
    var date: Located<Instant>?
    var store: Located<TrustStoreName>?
    var since: Located<Instant>?
    var distrustAfter: Located<Instant>?
    var until: Located<Instant>?
    var notice: Located<Authority.Notice>?
    var authorities: [Located<String>] = []
    var createdBefore: Located<Instant>?
    var years: Located<Int>?
  }

  /// Reads a file: a function of its bytes alone.
  ///
  /// - Returns: What could be read, and all problems in order of place.
  package static func read(_ bytes: [UInt8], file id: FileID) -> (file: AuthorityFile, problems: [PolicyProblem]) {
    var file = AuthorityFile()
    var problems = DocumentReader.read(
      bytes, file: id, called: "authorities file", limit: sizeLimit, fields, into: &file)
    problems += file.references()
    return (file, problems.sorted { $0.place < $1.place })
  }

  static let fields = Fields<AuthorityFile>(
    of: "authorities file", required: ["version", "reviewed"],
    [
      "version": { $1.version() },
      "reviewed": { $0.reviewed = $1.scalar(.instant) },
      "sources": { file, reader in
        reader.entries { reader, name in
          var source = ParsedSource()
          reader.mapping(ParsedSource.fields, into: &source)
          file.sources[name.value] = source
        }
      },
      "schedules": { $0.schedules = $1.statements(ParsedStatement.schedule) },
      "authorities": { file, reader in
        reader.entries { reader, name in
          // The keys' references without a slash are to keys of the same authority.
          var authority = ParsedAuthority(name: name)
          reader.mapping(ParsedAuthority.fields, into: &authority)
          file.authorities.append(authority)
        }
      },
      "services": { file, reader in
        reader.entries { reader, name in
          var service = ParsedService(name: name)
          reader.mapping(ParsedService.fields, into: &service)
          file.services.append(service)
        }
      },
    ])
}

extension AuthorityFile.ParsedSource {
  static let fields = Fields<Self>(
    of: "source", required: ["published", "url", "says"],
    [
      "published": { $0.published = $1.scalar(.instant) },
      "url": { $0.url = $1.scalar(.uri) },
      "says": { $0.says = $1.scalar(.text) },
    ])
}

extension AuthorityFile.ParsedAuthority {
  static let fields = Fields<Self>(
    of: "authority", required: ["owner"],
    [
      "owner": { $0.owner = $1.scalar(.text) },
      "names": { $0.brands = $1.list(of: .text) ?? [] },
      "changes-issuers": { $0.issuersChange = $1.statements(AuthorityFile.ParsedStatement.issuersChange) },
      "keys": { authority, reader in
        reader.entries { reader, name in
          var key = AuthorityFile.ParsedAuthorityKey(name: name)
          reader.mapping(AuthorityFile.ParsedAuthorityKey.fields, into: &key)
          authority.keys.append(key)
        }
      },
    ])
}

extension AuthorityFile.ParsedAuthorityKey {
  static let fields = Fields<Self>(
    of: "authority's key",
    required: ["pin", "certificate", "subject", "place", "created", "expires", "source"],
    [
      "pin": { $0.pin = $1.pin() },
      "certificate": { $0.certificate = $1.scalar(.fingerprint) },
      "subject": { $0.subject = $1.scalar(.text) },
      "place": { $0.position = $1.scalar(.word()) },
      "created": { $0.created = $1.scalar(.instant) },
      "expires": { $0.expires = $1.scalar(.instant) },
      "source": { $0.source = $1.scalar(.name) },
      "signed-by": { $0.signedBy = $1.statements(AuthorityFile.ParsedStatement.signature) },
      "issues-until": { $0.issuesUntil = $1.statements(AuthorityFile.ParsedStatement.end) },
      "successors": { $0.successors = $1.statements(AuthorityFile.ParsedStatement.succession) },
      "stores": { $0.stores = $1.statements(AuthorityFile.ParsedStatement.standing) },
    ])
}

extension AuthorityFile.ParsedService {
  static let fields = Fields<Self>(
    of: "service", required: ["issues-from"],
    [
      "names": { $0.brands = $1.list(of: .text) ?? [] },
      "issues-from": { $0.issuesFrom = $1.statements(AuthorityFile.ParsedStatement.issuance) },
    ])
}

extension AuthorityFile.ParsedStatement {
  static let signature = Fields<Self>(
    of: "signature", required: ["key", "until", "source"],
    [
      "key": { $0.key = $1.scalar(.authorityKey) },
      "until": { $0.until = $1.scalar(.instant) },
      "source": { $0.source = $1.scalar(.name) },
    ])

  static let end = Fields<Self>(
    of: "end of issuance", required: ["date", "source"],
    [
      "date": { $0.date = $1.scalar(.instant) },
      "source": { $0.source = $1.scalar(.name) },
    ])

  static let succession = Fields<Self>(
    of: "successor", required: ["key", "from", "source"],
    [
      "key": { $0.key = $1.scalar(.authorityKey) },
      "from": { $0.date = $1.scalar(.instant) },
      "source": { $0.source = $1.scalar(.name) },
    ])

  static let standing = Fields<Self>(
    of: "store", required: ["store", "source"], oneOf: ["since", "distrust-after", "until"],
    [
      "store": { $0.store = $1.scalar(.word()) },
      "since": { $0.since = $1.scalar(.instant) },
      "distrust-after": { $0.distrustAfter = $1.scalar(.instant) },
      "until": { $0.until = $1.scalar(.instant) },
      "source": { $0.source = $1.scalar(.name) },
    ])

  static let issuersChange = Fields<Self>(
    of: "change of issuers", required: ["notice", "source"],
    [
      "notice": { $0.notice = $1.scalar(.word()) },
      "source": { $0.source = $1.scalar(.name) },
    ])

  static let issuance = Fields<Self>(
    of: "issuance", required: ["authorities", "source"],
    [
      "authorities": { $0.authorities = $1.list(of: .name, atLeastOne: true) ?? [] },
      "source": { $0.source = $1.scalar(.name) },
    ])

  static let schedule = Fields<Self>(
    of: "schedule", required: ["store", "source"], oneOf: ["until", "years"],
    [
      "store": { $0.store = $1.scalar(.word()) },
      "created-before": { $0.createdBefore = $1.scalar(.instant) },
      "until": { $0.until = $1.scalar(.instant) },
      "years": { $0.years = $1.scalar(.number(in: 1...100)) },
      "source": { $0.source = $1.scalar(.name) },
    ])
}

extension DocumentReader {
  fileprivate mutating func statements(_ fields: Fields<AuthorityFile.ParsedStatement>)
    -> [AuthorityFile.ParsedStatement]
  {
    list { reader in
      var statement = AuthorityFile.ParsedStatement()
      return reader.mapping(fields, into: &statement) == nil ? nil : statement
    } ?? []
  }
}

extension Scalar where Value == AuthorityKeyName {
  /// A key of the same authority by its name, or one of another as `AUTHORITY/KEY`.
  static let authorityKey = Scalar(expected: "a key of this authority, or AUTHORITY/KEY") { text in
    let name = Scalar<String>.name.parse
    guard let slash = text.indices.first(where: { text[$0] == UInt8(ascii: "/") }) else {
      return name(text).map { AuthorityKeyName(authority: "", key: $0) }
    }
    guard let authority = name(text.extracting(..<slash)), let key = name(text.extracting((slash + 1)...)) else {
      return nil
    }
    return AuthorityKeyName(authority: authority, key: key)
  }
}

extension Scalar where Value == SHA256Digest {
  static let fingerprint = Scalar(expected: "a certificate's SHA-256 fingerprint, 64 lower-case hex digits") { text in
    text.count == 64 ? SHA256Digest(hex: text.withUnsafeBytes(Array.init)) : nil
  }
}

extension AuthorityFile {
  /// What refers to a source or to a key of the same authority that isn't there.
  private func references() -> [PolicyProblem] {
    var problems: [PolicyProblem] = []
    func check(_ statement: ParsedStatement) {
      guard let source = statement.source, sources[source.value] == nil else { return }
      problems.append(Self.unknown(source, field: "source", Self.sourceName))
    }
    schedules.forEach(check)
    services.flatMap(\.issuesFrom).forEach(check)
    for authority in authorities {
      authority.issuersChange.forEach(check)
      let names = Set(authority.keys.map(\.name.value))
      for key in authority.keys {
        check(ParsedStatement(source: key.source))
        for statement in key.lists.joined() {
          check(statement)
          guard let other = statement.key, other.value.authority.isEmpty, !names.contains(other.value.key) else {
            continue
          }
          problems.append(
            Self.unknown(other.map(\.key), field: "key", Self.keyName))
        }
      }
    }
    return problems
  }

  /// What doesn't agree among files that are used together: a pin, an authority or a service that two of them have, and
  /// names of authorities and keys that none has.
  ///
  /// - Parameters:
  ///   - files: The files.
  ///   - known: Other files, which these may refer to and may replace.
  /// - Returns: A problem for each.
  package static func contradictions(
    among files: [AuthorityFile], known: [AuthorityFile] = []
  ) -> [PolicyProblem] {
    var problems: [PolicyProblem] = []
    var pins: [Pin: Place] = [:]
    var keys: [String: Set<String>] = [:]
    for authority in files.flatMap(\.authorities) {
      if keys.updateValue(Set(authority.keys.map(\.name.value)), forKey: authority.name.value) != nil {
        problems.append(PolicyProblem(.duplicateField(name: authority.name.value), at: authority.name.place))
      }
      for pin in authority.keys.compactMap(\.pin) {
        if let first = pins.updateValue(pin.place, forKey: pin.value) {
          problems.append(
            PolicyProblem(.duplicateField(name: pin.value.description), at: pin.place, related: first))
        }
      }
    }
    var services: Set<String> = []
    for service in files.flatMap(\.services).map(\.name) where !services.insert(service.value).inserted {
      problems.append(PolicyProblem(.duplicateField(name: service.value), at: service.place))
    }
    for authority in known.flatMap(\.authorities) where keys[authority.name.value] == nil {
      keys[authority.name.value] = Set(authority.keys.map(\.name.value))
    }
    for key in files.flatMap(\.authorities).flatMap(\.keys) {
      for name in (key.signedBy + key.successors).compactMap(\.key) where !name.value.authority.isEmpty {
        guard keys[name.value.authority]?.contains(name.value.key) != true else { continue }
        problems.append(
          unknown(
            name.map(\.description), field: "key", "AUTHORITY/KEY of one of these files, or one that pintle knows"))
      }
    }
    for name in files.flatMap(\.services).flatMap(\.issuesFrom).flatMap(\.authorities) where keys[name.value] == nil {
      problems.append(
        unknown(name, field: "authorities", "the name of an authority in these files, or one that pintle knows"))
    }
    return problems
  }

  /// The problem of a review that is in the future: newer files would count as older.
  package func problem(reviewedAfter latest: Instant) -> PolicyProblem? {
    guard let reviewed, reviewed.value > latest else { return nil }
    return Self.unknown(reviewed.map { "\($0)" }, field: "reviewed", "a day that isn't in the future")
  }

  static let sourceName = "a name under 'sources:' of this file"
  static let keyName = "a key of the same authority, or AUTHORITY/KEY"

  private static func unknown(_ name: Located<String>, field: String, _ expected: String) -> PolicyProblem {
    PolicyProblem(.badScalar(field: field, text: name.value, expected: expected), at: name.place)
  }
}

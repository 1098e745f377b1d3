import Diagnostics
import Foundation
import PinFormat
import PolicySupport
import Testing

@testable import PinPolicy

@Suite("What is known of authorities")
struct AuthorityLibraryTests {
  static let folder = ExampleFiles.directory.appending(path: "../../../authorities")
  static let today = Instant(written: "2026-11-24") ?? .latest

  static let files: [(name: String, bytes: [UInt8])] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted().compactMap { name in
      (try? Data(contentsOf: folder.appending(path: name))).map { (name, Array($0)) }
    }
  }()

  @Test("The files are built in, without a mistake, and in the layout")
  func embedded() throws {
    let tables = AuthorityLibrary.embedded.files
    try #require(tables.count == Self.files.count, "run 'Scripts/update-authorities --embed'")
    for (table, (name, bytes)) in zip(tables, Self.files) {
      let (file, problems) = AuthorityFile.read(bytes, file: FileID(0))
      #expect(problems == [], "\(name)")
      let isCurrent = Self.values(of: table) == Self.values(of: file)
      #expect(isCurrent, "\(name) isn't what was built in: run 'Scripts/update-authorities --embed'")
      let isLaidOut = try PolicyFormat.format(bytes) == bytes
      #expect(isLaidOut, "\(name): run 'pintle fmt authorities'")
    }
    #expect(AuthorityFile.contradictions(among: tables) == [])
  }

  /// All values that something is made of, without their places and in an order of their own.
  private static func values(of subject: Any) -> [String] {
    let parts = Mirror(reflecting: subject)
    if parts.children.isEmpty { return ["\(subject)"] }
    let inner = parts.children.filter { $0.label != "place" }.map { part in
      values(of: part.value).map { "\(part.label ?? "").\($0)" }
    }
    return (parts.displayStyle == .dictionary ? inner.sorted { $0.lexicographicallyPrecedes($1) } : inner).flatMap(
      \.self)
  }

  @Test("What concerns a key says the same of it as all that is known")
  func concerning() throws {
    let all = AuthorityLibrary.embedded.all(at: Self.today)
    let keys = all.authorities.flatMap(\.keys)
    #expect(keys.count > 200)
    func concerning(subjects: Set<String> = [], withServices: Bool = false, _ pin: Pin? = nil) -> Authorities {
      AuthorityLibrary.embedded.concerning(subjects: subjects, withServices: withServices, at: Self.today) { $0 == pin }
    }
    for key in keys {
      let few = concerning(key.pin)
      #expect(few[key.pin] == key)
      #expect(few.authority(of: key)?.owner == all.authority(of: key)?.owner)
      let (change, expected) = (few.authority(of: key)?.issuersChange, all.authority(of: key)?.issuersChange)
      #expect(change?.notice == expected?.notice && change?.source == expected?.source)
      for other in few.authorities.flatMap(\.keys) {
        #expect(Set(few.roots(certifiedBy: other)) == Set(all.roots(certifiedBy: other)), "\(other.name)")
        for link in other.successors + other.signedBy { #expect(few[link.key] == all[link.key], "\(link.key)") }
      }
      func roots(_ known: Authorities) -> [AuthorityKey] {
        known.authority(of: key)?.keys.filter { $0.position == .root } ?? []
      }
      if key.position == .issuing { #expect(roots(few) == roots(all)) }
      let named = concerning(subjects: [key.subject])
      #expect(named.key(ofSubject: key.subject) == all.key(ofSubject: key.subject))
      #expect(roots(named) == roots(all))
    }
    #expect(concerning(subjects: ["CN=x"]).authorities.isEmpty)
    #expect(concerning(withServices: true).services.map(\.name) == all.services.map(\.name))
  }

  // MARK: As of a day

  static let text = """
    version: 1
    reviewed: 2026-01-01
    sources:
      first: { published: 2020-01-01, url: https://example.com/1, says: It says so. }
      second: { published: 2021-01-01, url: https://example.com/2, says: It says otherwise. }
      third: { published: 2022-01-01, url: https://example.com/3, says: There is more. }
    schedules:
      - { store: mozilla, created-before: 2006-01-01, until: 2025-04-15, source: second }
      - { store: mozilla, created-before: 2014-04-15, until: 2029-04-15, source: second }
      - { store: mozilla, years: 15, source: second }
      - { store: mozilla, years: 20, source: third }
    authorities:
      one:
        owner: One Ltd
        changes-issuers:
          - { notice: none, source: second }
          - { notice: announced, source: first }
        keys:
          a:
            pin: \(pin(1))
            certificate: \(fingerprint)
            subject: CN=A
            place: root
            created: 2012-02-29
            expires: 2040-01-01
            source: first
            issues-until:
              - { date: 2027-01-01, source: second }
              - { date: 2026-01-01, source: first }
            successors:
              - { key: b, from: 2025-01-01, source: first }
              - { key: b, from: 2025-06-01, source: third }
            stores:
              - { store: debian, since: 2015-01-01, source: first }
              - { store: chrome, until: 2030-01-01, source: first }
              - { store: chrome, distrust-after: 2029-01-01, source: second }
          b:
            pin: \(pin(2))
            certificate: \(fingerprint)
            subject: CN=B
            place: root
            created: 2016-02-29
            expires: 2050-01-01
            source: second
            signed-by:
              - { key: a, until: 2030-01-01, source: second }
            stores:
              - { store: certifi, since: 2016-03-01, source: second }
          c:
            pin: \(pin(3))
            certificate: \(fingerprint)
            subject: CN=C
            place: root
            created: 2016-02-29
            expires: 2050-01-01
            source: second
    """

  static func pin(_ number: UInt8) -> String {
    "sha256/" + Data(repeating: number, count: 32).base64EncodedString()
  }
  static let fingerprint = String(repeating: "ab", count: 32)

  /// Each fact on a day, as `pintle authorities show` has it.
  @Test(
    "Only what was published counts, and the newest of it",
    arguments: [
      ("2019-12-31", []),
      ("2020-06-01", ["announced", "2026-01-01", "b 2025-01-01", "chrome – 2030-01-01"]),
      (
        "2021-01-01",
        [
          "none", "2027-01-01", "b 2025-01-01", "chrome 2029-01-01 2030-01-01", "mozilla – 2029-04-15",
          "b mozilla – 2031-02-28", "certified b",
        ]
      ),
      (
        "2022-01-01",
        [
          "none", "2027-01-01", "b 2025-06-01", "chrome 2029-01-01 2030-01-01", "mozilla – 2032-02-29",
          "b mozilla – 2036-02-29", "certified b",
        ]
      ),
    ])
  func published(day: String, expected: [String]) throws {
    let (file, problems) = AuthorityFile.read(Array(Self.text.utf8), file: FileID(0))
    #expect(problems == [])
    let known = Authorities([file], at: try #require(Instant(written: day)))
    var facts: [String] = []
    if let change = known.authorities.first?.issuersChange { facts.append(change.notice.rawValue) }
    func shown(_ statement: DatedStatement?) -> String { statement.map { "\($0.instant)".prefix(10) + "" } ?? "–" }
    func stores(_ key: AuthorityKey) -> [String] {
      key.stores.sorted { $0.key < $1.key }.filter { $0.value.until != nil }
        .map { "\($0.key) \(shown($0.value.distrustAfter)) \(shown($0.value.until))" }
    }
    let a = known[AuthorityKeyName(authority: "one", key: "a")]
    if let a {
      facts.append(shown(a.issuesUntil))
      facts += a.successors.map { "\($0.key.key) \(shown($0.date))" } + stores(a)
    }
    // Of 'c' it isn't known whether any store has it.
    for name in ["b", "c"] {
      guard let key = known[AuthorityKeyName(authority: "one", key: name)] else { continue }
      facts += stores(key).map { "\(name) " + $0 }
    }
    if let a, !known.roots(certifiedBy: a).isEmpty { facts.append("certified b") }
    #expect(facts == expected)
  }

  @Test("Of schedules in several files, the one that was published last counts, whatever the order of the files")
  func schedules() throws {
    let schedules = Self.text.components(separatedBy: "\n").filter { $0.hasPrefix("  - { store: mozilla") }
    func file(_ lines: [String], _ rest: String = "") -> AuthorityFile {
      let head = Self.text.prefix(upTo: Self.text.range(of: "schedules:")?.lowerBound ?? Self.text.endIndex)
      return AuthorityFile.read(
        Array((head + "schedules:\n" + lines.joined(separator: "\n") + "\n" + rest).utf8), file: FileID(0)
      ).file
    }
    let keys = String(Self.text.suffix(from: try #require(Self.text.range(of: "authorities:")).lowerBound))
    let (older, newer) = (file(Array(schedules.prefix(3))), file([schedules[3]], keys))
    for files in [[older, newer], [newer, older]] {
      let key = Authorities(files, at: Self.today)[AuthorityKeyName(authority: "one", key: "a")]
      #expect(key?.stores[.mozilla]?.until?.instant == Instant(written: "2032-02-29"))
    }
  }

  // MARK: Files of users

  @Test("A given file replaces what is known of its authorities, unless it is older")
  func given() throws {
    let known = AuthorityFile.read(Array(Self.text.utf8), file: FileID(0)).file
    let library = try AuthorityLibrary.none.adding([known])
    func file(_ change: (String) -> String) -> AuthorityFile {
      AuthorityFile.read(Array(change(Self.text).utf8), file: FileID(0)).file
    }
    let newer = file { $0.replacing("One Ltd", with: "Two Ltd").replacing("2026-01-01", with: "2026-02-01") }
    #expect(try library.adding([newer]).all(at: Self.today).authority(named: "one")?.owner == "Two Ltd")
    let older = file { $0.replacing("reviewed: 2026-01-01", with: "reviewed: 2025-12-31") }
    #expect(throws: OutdatedAuthorities.self) { _ = try library.adding([older]).files.count }
    let other = file {
      $0.replacing("  one:", with: "  other:").replacing("reviewed: 2026", with: "reviewed: 2001")
        .replacing(Self.pin(1), with: Self.pin(4)).replacing(Self.pin(2), with: Self.pin(5))
        .replacing(Self.pin(3), with: Self.pin(6))
    }
    #expect(try library.adding([other]).all(at: Self.today).authorities.count == 2)
  }

  private static let service = """

    services:
      cdn:
        issues-from:
          - { authorities: [one], source: first }
    """

  private static let serviceAlone =
    """
    version: 1
    reviewed: 2026-01-01
    sources:
      first: { published: 2020-01-01, url: https://example.com/1, says: It says so. }
    """ + service

  /// Files, and what of a newer one they would replace.
  @Test(
    "An older file replaces no authority, no key of one under another name, and no service",
    arguments: [
      (text, "one"), (text.replacing("  one:", with: "  other:"), "one"),
      (text.replacing("  one:", with: "  other:").replacing(pin(1), with: pin(4)), "one"), (serviceAlone, "cdn"),
    ])
  func older(text: String, name: String) throws {
    let known = AuthorityFile.read(Array((Self.text + Self.service).utf8), file: FileID(0)).file
    let library = try AuthorityLibrary.none.adding([known])
    #expect(try library.adding([AuthorityFile.read(Array(text.utf8), file: FileID(0)).file]).files.count == 2)
    let old = text.replacing("reviewed: 2026-01-01", with: "reviewed: 2025-12-31")
    let (older, problems) = AuthorityFile.read(Array(old.utf8), file: FileID(0))
    #expect(problems == [])
    let error = #expect(throws: OutdatedAuthorities.self) { _ = try library.adding([older]).files.count }
    #expect(error?.authority == name)
  }

  @Test("Of several files that are given, none replaces what another one says")
  func several() {
    let file = AuthorityFile.read(Array((Self.text + Self.service).utf8), file: FileID(0)).file
    let names = AuthorityFile.contradictions(among: [file, file]).compactMap { problem -> String? in
      if case .duplicateField(let name) = problem.kind { name } else { nil }
    }
    #expect(names == ["one", Self.pin(1), Self.pin(2), Self.pin(3), "cdn"])
    let service = AuthorityFile.read(Array(Self.serviceAlone.utf8), file: FileID(0)).file
    #expect(AuthorityFile.contradictions(among: [service]).count == 1)
    #expect(AuthorityFile.contradictions(among: [service], known: [file]) == [])
  }

  @Test("The age of what is known is that of the files that count")
  func age() throws {
    let file = AuthorityFile.read(Array((Self.text + Self.service).utf8), file: FileID(0)).file
    let newer = AuthorityFile.read(
      Array((Self.text + Self.service).replacing("reviewed: 2026-01-01", with: "reviewed: 2026-06-01").utf8),
      file: FileID(0)
    ).file
    let service = AuthorityFile.read(Array(Self.serviceAlone.utf8), file: FileID(0)).file
    func reviewed(_ files: [AuthorityFile]) -> String { "\(Authorities(files, at: Self.today).reviewed ?? .latest)" }
    #expect(reviewed([newer, file]) == "2026-06-01T00:00:00Z")
    #expect(reviewed([file, newer]) == "2026-01-01T00:00:00Z")
    #expect(reviewed([service, newer]) == "2026-01-01T00:00:00Z")
    #expect(Authorities([], at: Self.today).reviewed == nil)
  }

  @Test("A review can't be in the future", arguments: [("2025-12-31T23:59:59Z", false), ("2026-01-01", true)])
  func future(latest: String, isAccepted: Bool) throws {
    let file = AuthorityFile.read(Array(Self.text.utf8), file: FileID(0)).file
    #expect((file.problem(reviewedAfter: try #require(Instant(written: latest))) == nil) == isAccepted)
  }

  @Test(
    "Mistakes in a file of authorities have their place",
    arguments: [
      ("    owner: One Ltd\n", "", "missingField"),
      ("source: third }\n        stores", "source: fourth }\n        stores", "badScalar(field: \"source\""),
      ("key: a, until", "key: d, until", "badScalar(field: \"key\""),
      ("notice: none", "notice: later", "badScalar(field: \"notice\""),
      ("since: 2015-01-01, source", "since: 2015-01-01, until: 2016-01-01, source", "conflictingFields"),
      (pin(1), "sha256/abc", "badPin"),
      (fingerprint, "ABCD", "badScalar(field: \"certificate\""),
      ("version: 1", "version: 2", "unsupportedVersion"),
    ])
  func mistakes(text: String, other: String, expected: String) {
    let changed = Self.text.replacing(text, with: other)
    #expect(changed != Self.text)
    let problems = AuthorityFile.read(Array(changed.utf8), file: FileID(0)).problems
    #expect(problems.contains { "\($0.kind)".contains(expected) }, "\(problems)")
  }
}

package import Diagnostics
package import PinFormat

/// A question about a policy, and the answer that its owners expect.
package struct PolicyTest: Sendable {
  /// What clients are expected to answer.
  package enum Expected: String, Sendable, CaseIterable {
    case allow
    case block
    case notPinned = "not-pinned"
  }

  /// What servers present.
  ///
  /// Paths are relative to the test file.
  package enum Presented: Sendable {
    /// A PEM file, leaf first.
    case chain(Located<String>)
    /// Names of the policy's keys, leaf first, in certificates that are made up.
    case keys([Located<String>])
    /// A record of `pintle probe`.
    case evidence(Located<String>)
    /// A public CA, whose certificates are made up; or ``anyOther``.
    case authority(Located<String>)

    /// Every public CA that is known, but those that the host's key set pins.
    package static let anyOther = "any-other"
  }

  /// The manifest that clients have.
  package enum Subject: Sendable {
    /// The policy, as if it were released at the time of the question.
    case policy
    /// The policy, as if it were released then.
    case issued(Located<Instant>)
    /// The newest release of that time.
    case newest(at: Located<Instant>)
    case serial(Located<Int>)
    /// Each release that clients may still run.
    case window(Place)
  }

  /// Where the test begins.
  package let place: Place
  package internal(set) var name: Located<String>
  /// `HOST`, `HOST:PORT`, `*`, or `*.DOMAIN` for each host of the policy below it.
  package internal(set) var host: Located<String>
  package internal(set) var expected: Located<Expected>
  package internal(set) var presented = Presented.keys([])
  /// Only for these; none for all.
  package internal(set) var audiences: [Located<String>] = []
  /// When clients ask; none for the time of the run.
  package internal(set) var instants: [Located<Instant>] = []
  package internal(set) var subject = Subject.policy
  package internal(set) var tlsVersion: TLSVersion?
  /// The code of the reason, such as `matched`.
  package internal(set) var because: Located<String>?
  /// The step of the decision, from 1 to 5.
  package internal(set) var step: Located<Int>?
  /// The key that matched, or that is denied.
  package internal(set) var key: Located<String>?
  /// Exactly these events, by name.
  package internal(set) var events: Located<[String]>?

  /// A test of which nothing is read yet; what it must have is a problem of its file if it is missing.
  fileprivate init(place: Place) {
    self.place = place
    (name, host) = (Located("", at: place), Located("", at: place))
    expected = Located(.allow, at: place)
  }
}

/// A file `*.test.yaml`; `schemas/policy-test.schema.json` describes it.
package struct PolicyTestFile: Sendable {
  /// The most bytes that are read.
  package static let sizeLimit = FileReader.sizeLimit

  package let id: FileID
  /// Files of certificates that count in place of the system's trust store.
  package internal(set) var anchors: [Located<String>] = []
  package internal(set) var tests: [PolicyTest] = []
  private var hasTests = false
  /// In order of place.
  ///
  /// A file that has some is not run: what they are about may be what a test needs.
  package internal(set) var problems: [PolicyProblem] = []

  /// Reads a file: a function of its bytes alone.
  package init(reading bytes: [UInt8], file id: FileID) {
    self.id = id
    problems = DocumentReader.read(
      bytes, file: id, called: "test file", limit: Self.sizeLimit, Self.fields, into: &self)
  }

  /// Whether a file has tests, whatever is wrong with them, and nothing of a policy.
  ///
  /// A part of a policy that is named like tests would be left out silently.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    let file = PolicyTestFile(reading: bytes, file: FileID(0))
    return file.hasTests
      && !file.problems.contains { problem in
        guard case .unknownField(let name, _, let known) = problem.kind, known.contains("tests") else { return false }
        return ["hosts", "keys", "key-sets", "defaults", "manifest"].contains(name)
      }
  }

  /// A file that can't be read at all.
  package init(unread id: FileID, because reason: String) {
    self.id = id
    problems = [PolicyProblem(.unreadableFile(reason: reason), at: .beginning(of: id))]
  }

  private static let fields = Fields<Self>(
    of: "test file", required: ["version", "tests"],
    [
      "version": { $1.version() },
      "anchors": { $0.anchors = $1.list(of: .path, atLeastOne: true) ?? [] },
      "tests": { file, reader in
        file.hasTests = true
        file.tests =
          reader.list(atLeastOne: true) { reader in
            var test = PolicyTest(place: reader.upcoming.place)
            return reader.mapping(PolicyTest.fields, into: &test) == nil ? nil : test
          } ?? []
      },
    ])
}

extension PolicyTest {
  fileprivate static let fields = Fields<Self>(
    of: "test", required: ["name", "host", "expect"], oneOf: ["chain", "keys", "evidence", "authority"],
    [
      "name": { $0.name = $1.scalar(.text) ?? $0.name },
      "host": { $0.host = $1.scalar(.text) ?? $0.host },
      "audiences": { $0.audiences = $1.list(of: .name, atLeastOne: true) ?? [] },
      "chain": { $0.presented = $1.scalar(.path).map { .chain($0) } ?? $0.presented },
      "keys": { $0.presented = $1.list(of: .name, atLeastOne: true).map { .keys($0) } ?? $0.presented },
      "evidence": { $0.presented = $1.scalar(.path).map { .evidence($0) } ?? $0.presented },
      "authority": { $0.presented = $1.scalar(.name).map { .authority($0) } ?? $0.presented },
      "tls-version": { $0.tlsVersion = $1.scalar(.word())?.value },
      "at": { $0.instants = $1.list(of: .instant, atLeastOne: true, atMost: 1_000) ?? [] },
      "release": { $1.subject(&$0.subject) },
      "expect": { $0.expected = $1.scalar(.word()) ?? $0.expected },
      "because": { $0.because = $1.scalar(.reason) },
      "step": { $0.step = $1.scalar(.number(in: 1...5)) },
      "key": { $0.key = $1.scalar(.name) },
      "events": { test, reader in
        let place = reader.field.place
        test.events = reader.list(of: .event).map { Located($0.map(\.value).sorted(), at: place) }
      },
    ])
}

extension PolicyTest.Subject {
  fileprivate static let fields = Fields<Self>(
    of: "release", oneOf: ["newest-at", "serial", "issued"],
    [
      "newest-at": { $0 = $1.scalar(.instant).map { .newest(at: $0) } ?? $0 },
      "serial": { $0 = $1.scalar(.number(in: 1...999_999_999)).map { .serial($0) } ?? $0 },
      "issued": { $0 = $1.scalar(.instant).map { .issued($0) } ?? $0 },
    ])
}

extension DocumentReader {
  /// Reads `release:`, a mapping or words.
  fileprivate mutating func subject(_ subject: inout PolicyTest.Subject) {
    guard isMappingNext else {
      let shape = "a mapping or '\(PolicyTest.window)'"
      subject = scalar(.window, shape: shape).map { .window($0.place) } ?? subject
      return
    }
    mapping(PolicyTest.Subject.fields, into: &subject)
  }
}

extension PolicyTest {
  /// What `release:` says for each release that clients may still run.
  fileprivate static let window = "each in the window"
}

extension Scalar where Value == String {
  fileprivate static let window = word(among: [PolicyTest.window])
  fileprivate static let reason = word(among: PolicyTest.reasons)
  fileprivate static let event = word(among: PolicyTest.eventNames)

  private static func word(among words: [String]) -> Scalar {
    Scalar(expected: words.listed("or")) { text in
      let word = String(text)
      return words.contains(word) ? word : nil
    }
  }
}

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
  package var place: Place
  package var name: Located<String>
  /// `HOST`, `HOST:PORT`, `*`, or `*.DOMAIN` for each host of the policy below it.
  package var host: Located<String>
  package var expected: Located<Expected>
  package var presented: Presented
  /// Only for these; none for all.
  package var audiences: [Located<String>]
  /// When clients ask; none for the time of the run.
  package var instants: [Located<Instant>]
  package var subject: Subject
  package var tlsVersion: TLSVersion
  /// The code of the reason, such as `matched`.
  package var because: Located<String>?
  /// The step of the decision, from 1 to 5.
  package var step: Located<Int>?
  /// The key that matched, or that is denied.
  package var key: Located<String>?
  /// Exactly these events, by name.
  package var events: Located<[String]>?
}

/// A file `*.test.yaml`; `schemas/policy-test.schema.json` describes it.
package struct PolicyTestFile: Sendable {
  /// The most bytes that are read.
  package static let sizeLimit = FileReader.sizeLimit

  package let id: FileID
  /// Files of certificates that count in place of the system's trust store.
  package internal(set) var anchors: [Located<String>] = []
  package internal(set) var tests: [PolicyTest] = []
  /// In order of place.
  ///
  /// A file that has some is not run: what they are about may be what a test needs.
  package internal(set) var problems: [PolicyProblem] = []

  /// Reads a file: a function of its bytes alone.
  package init(reading bytes: [UInt8], file id: FileID) {
    self.id = id
    var draft = Draft()
    problems = DocumentReader.read(
      bytes, file: id, called: "test file", limit: Self.sizeLimit, Self.fields, into: &draft)
    (anchors, tests) = (draft.anchors, draft.tests.compactMap(\.test))
  }

  /// A file that can't be read at all.
  package init(unread id: FileID, because reason: String) {
    self.id = id
    problems = [PolicyProblem(.unreadableFile(reason: reason), at: .beginning(of: id))]
  }

  /// The file while it is read.
  private struct Draft {
    var anchors: [Located<String>] = []
    var tests: [PolicyTestDraft] = []
  }

  private static let fields = Fields<Draft>(
    of: "test file", required: ["version", "tests"],
    [
      "version": { $1.version() },
      "anchors": { $0.anchors = $1.list(of: .path, atLeastOne: true) ?? [] },
      "tests": { file, reader in
        file.tests =
          reader.list(atLeastOne: true) { reader in
            var draft = PolicyTestDraft()
            guard let place = reader.mapping(PolicyTestDraft.fields, into: &draft) else { return nil }
            draft.place = place
            return draft
          } ?? []
      },
    ])
}

/// The fields of a test while they are read.
private struct PolicyTestDraft {
  var place: Place?
  var name: Located<String>?
  var host: Located<String>?
  var expected: Located<PolicyTest.Expected>?
  var presented: PolicyTest.Presented?
  var audiences: [Located<String>] = []
  var instants: [Located<Instant>] = []
  var subject = PolicyTest.Subject.policy
  var tlsVersion: Located<TLSVersion>?
  var because: Located<String>?
  var step: Located<Int>?
  var key: Located<String>?
  var events: Located<[String]>?

  /// Nil where something is missing, which is a problem of its own.
  var test: PolicyTest? {
    guard let place, let name, let host, let expected, let presented else { return nil }
    return PolicyTest(
      place: place, name: name, host: host, expected: expected, presented: presented, audiences: audiences,
      instants: instants, subject: subject, tlsVersion: tlsVersion?.value ?? .tls13, because: because, step: step,
      key: key, events: events)
  }

  static let fields = Fields<PolicyTestDraft>(
    of: "test", required: ["name", "host", "expect"], oneOf: ["chain", "keys", "evidence", "authority"],
    [
      "name": { $0.name = $1.scalar(.text) },
      "host": { $0.host = $1.scalar(.text) },
      "audiences": { $0.audiences = $1.list(of: .name, atLeastOne: true) ?? [] },
      "chain": { $0.presented = $1.scalar(.path).map { .chain($0) } },
      "keys": { $0.presented = $1.list(of: .name, atLeastOne: true).map { .keys($0) } },
      "evidence": { $0.presented = $1.scalar(.path).map { .evidence($0) } },
      "authority": { $0.presented = $1.scalar(.name).map { .authority($0) } },
      "tls-version": { $0.tlsVersion = $1.scalar(.word()) },
      "at": { $0.instants = $1.list(of: .instant, atLeastOne: true) ?? [] },
      "release": { $0.subject = $1.subject() ?? $0.subject },
      "expect": { $0.expected = $1.scalar(.word()) },
      "because": { $0.because = $1.scalar(.reason) },
      "step": { $0.step = $1.scalar(.number(in: 1...5)) },
      "key": { $0.key = $1.scalar(.name) },
      "events": { test, reader in
        let place = reader.field.place
        test.events = reader.list(of: .event).map { Located($0.map(\.value).sorted(), at: place) }
      },
    ])
}

/// `release:` while it is read.
private struct SubjectDraft {
  var subject: PolicyTest.Subject?

  static let fields = Fields<SubjectDraft>(
    of: "release", oneOf: ["newest-at", "serial", "issued"],
    [
      "newest-at": { $0.subject = $1.scalar(.instant).map { .newest(at: $0) } },
      "serial": { $0.subject = $1.scalar(.number(in: 1...999_999_999)).map { .serial($0) } },
      "issued": { $0.subject = $1.scalar(.instant).map { .issued($0) } },
    ])
}

extension DocumentReader {
  fileprivate mutating func subject() -> PolicyTest.Subject? {
    guard isMappingNext else {
      return scalar(.window, shape: "a mapping or '\(PolicyTest.window)'").map { .window($0.place) }
    }
    var draft = SubjectDraft()
    mapping(SubjectDraft.fields, into: &draft)
    return draft.subject
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

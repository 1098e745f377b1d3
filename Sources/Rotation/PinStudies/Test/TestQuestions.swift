import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// Puts the tests of one file to clients.
struct TestQuestions {
  private let files: FileReader
  /// The file's path in the policy's directory.
  private let path: String
  private let clients: [TestClients]
  private let anchors: [Located<String>]
  private let system: TrustAnchors
  private let now: Instant
  private var store: TrustAnchors?
  private var chains: [String: [[UInt8]]] = [:]
  private var records: [String: Record] = [:]

  private struct Record {
    var evidence: Evidence
    var stores: [(name: String?, anchors: TrustAnchors)]
  }

  /// What a server presents, and how messages name it.
  private struct Shown {
    var presented: TestClients.Presented
    var text: String
    var tlsVersion: TLSVersion?
  }

  /// The anchors are the files that the file of tests names in place of the system's trust store; none for that store.
  init(
    _ files: FileReader, _ path: String, _ clients: [TestClients], _ anchors: [Located<String>],
    besides system: TrustAnchors, at now: Instant
  ) {
    (self.files, self.path, self.clients, self.now) = (files, path, clients, now)
    (self.anchors, self.system) = (anchors, system)
  }

  /// The trust store that the file names; nil if it names none.
  private mutating func ownStore() throws(TestMistake) -> TrustAnchors? {
    guard let first = anchors.first else { return nil }
    if let store { return store }
    var bytes: [[UInt8]] = []
    for file in anchors { bytes.append(try read(file)) }
    do throws(TrustFailure) { store = try TrustAnchors(bytes) } catch {
      throw TestMistake(place: first.place, message: "these anchors can't be used: \(error.message)", help: Self.pem)
    }
    return store
  }

  private static let pem = "Name files of certificates in PEM."

  /// Every CA at every host of a large policy would take minutes.
  private static let mostAnswers = 100_000

  /// What clients answer to a test.
  mutating func answers(to test: PolicyTest) throws(TestMistake) -> [TestAnswer] {
    var answers: [TestAnswer] = []
    for clients in try asked(test) {
      let audience = clients.policy.audiences.isEmpty ? nil : clients.policy.settings?.audience?.value
      for place in try hosts(of: test, clients.policy) {
        for instant in test.instants.isEmpty ? [now] : test.instants.map(\.value) {
          for subject in try subjects(of: test, clients, at: instant) {
            let all = try self.shown(test, place, clients, subject, at: instant)
            guard !all.isEmpty else {
              throw TestMistake(
                place: test.place,
                message: "nothing is known that a server could present at \(instant), so nothing was asked",
                help: "Ask about another time, or another CA.")
            }
            for shown in all {
              let found: [(client: String?, verdict: Verdict)]
              do throws(TrustFailure) {
                found = try clients.answers(
                  to: shown.presented, place, subject, shown.tlsVersion ?? test.tlsVersion ?? .tls13, at: instant)
              } catch {
                throw TestMistake(place: test.place, message: error.message, help: "")
              }
              guard answers.count < Self.mostAnswers else {
                throw TestMistake(
                  place: test.host.place, message: "it asks more than \(Self.mostAnswers) questions",
                  help: "Name fewer hosts, or a CA.")
              }
              for (client, verdict) in found {
                var isMadeUp = false
                if case .madeUp = shown.presented { isMadeUp = true }
                answers.append(
                  TestAnswer(
                    audience: audience, client: client, host: HostLabel.text(host: place.host, port: place.port),
                    instant: instant, release: subject.name, presented: shown.text, isMadeUp: isMadeUp,
                    verdict: verdict, manifest: subject.manifest))
              }
            }
          }
        }
      }
    }
    guard !answers.isEmpty else {
      throw TestMistake(
        place: test.host.place, message: "no host of the policy is named by \(Wording.quoted(test.host.value))",
        help: "Write a host of the policy, or '*' for all of them.")
    }
    return answers
  }

  private func asked(_ test: PolicyTest) throws(TestMistake) -> [TestClients] {
    guard !test.audiences.isEmpty else { return clients }
    let all = clients.first.map(\.policy)
    let several = all?.audiences ?? []
    let known = several.isEmpty ? [all?.settings?.audience?.value].compactMap(\.self) : several
    for name in test.audiences where !known.contains(name.value) {
      throw TestMistake(
        place: name.place, message: "the policy has no audience \(Wording.quoted(name.value))",
        help: Suggestion.help(name.value, among: known, else: "Name an audience of 'manifest:'."))
    }
    let wanted = Set(test.audiences.map(\.value))
    return clients.filter { $0.policy.settings?.audience.map { wanted.contains($0.value) } ?? false }
  }

  /// The host that a test names, or each host of the policy that its pattern names.
  private func hosts(of test: PolicyTest, _ policy: Policy) throws(TestMistake) -> [HostPort] {
    let text = test.host.value
    guard text.hasPrefix("*") else {
      do throws(WorkFailure) {
        let target = try Target(text)
        guard let host = try? HostName(canonicalising: target.host) else {
          throw WorkFailure(.usage, "\(Wording.quoted(text)) is not a valid host name")
        }
        return [HostPort(host, target.port)]
      } catch {
        throw TestMistake(
          place: test.host.place, message: error.message, help: error.help ?? "Write a host, or a host and port.")
      }
    }
    guard text == "*" || text.hasPrefix("*."), let below = text == "*" ? "" : canonical(text) else {
      throw TestMistake(
        place: test.host.place, message: "\(Wording.quoted(text)) is not a pattern of hosts",
        help: "Write '*' for all hosts of the policy, or '*.example.com' for those below example.com.")
    }
    return policy.hosts.filter { below.isEmpty || $0.host.text.hasSuffix(below) }.map {
      HostPort($0.host, $0.port?.value ?? 443)
    }
  }

  /// `.example.com` of `*.example.com`.
  private func canonical(_ pattern: String) -> String? {
    (try? InternationalName.host(String(pattern.dropFirst(2)))).map { "." + $0.text }
  }

  private func subjects(
    of test: PolicyTest, _ clients: TestClients, at instant: Instant
  ) throws(TestMistake) -> [TestClients.Subject] {
    func policy(issued: Instant, _ place: Place) throws(TestMistake) -> TestClients.Subject {
      do throws(RehearsalError) { return try clients.subject(issued: issued) } catch {
        throw TestMistake(place: place, message: "the policy makes no manifest: \(error.message)", help: "")
      }
    }
    let numbers: [Int]
    let (place, what): (Place, String)
    let all = clients.released
    switch test.subject {
    case .policy: return [try policy(issued: instant, test.place)]
    case .issued(let date): return [try policy(issued: date.value, date.place)]
    case .newest(let date):
      numbers = all.lastIndex { $0.issued <= date.value }.map { [$0] } ?? []
      (place, what) = (date.place, "no release was issued by \(date.value)")
    case .serial(let serial):
      numbers = all.firstIndex { $0.serial == Int64(serial.value) }.map { [$0] } ?? []
      (place, what) = (serial.place, "no release has the serial \(serial.value)")
      if let later = numbers.first, all[later].issued > instant {
        throw TestMistake(
          place: place, message: "serial \(serial.value) is issued at \(all[later].issued), after \(instant)",
          help: "Ask about a later time.")
      }
    case .window(let written):
      let window = clients.policy.effectiveSettings.clientMaxAge
      let used = Set(all.inUse(at: instant, window: window).map(\.name))
      numbers = all.indices.filter { used.contains(all[$0].name) && all[$0].issued <= instant }
      (place, what) = (written, "clients have no release at \(instant)")
    }
    guard numbers.isEmpty else { return numbers.map(clients.subject(release:)) }
    throw TestMistake(
      place: place, message: all.isEmpty ? "no releases are known to ask about" : what,
      help: all.isEmpty
        ? "Pass them with --against DIRECTORY and --key or --keyset."
        : "Correct the test, or pass all releases with --against.")
  }

  // MARK: What servers present

  private mutating func shown(
    _ test: PolicyTest, _ place: HostPort, _ clients: TestClients, _ subject: TestClients.Subject, at instant: Instant
  ) throws(TestMistake) -> [Shown] {
    switch test.presented {
    case .chain(let file):
      return [Shown(presented: .served(try chain(file), try ownStore() ?? system), text: VisibleText.of(file.value))]
    case .keys(let names):
      do throws(RotationWorldError) {
        let chain = try clients.chain(of: names.map(\.value))
        return [Shown(presented: .madeUp(chain), text: "made-up certificates for \(Self.list(names.map(\.value)))")]
      } catch {
        let wrong = names.first { error.message.contains("'\($0.value)'") } ?? names[0]
        throw TestMistake(place: wrong.place, message: error.message, help: error.help ?? "")
      }
    case .evidence(let file):
      guard test.tlsVersion == nil else {
        throw TestMistake(
          place: test.place, message: "'evidence' has the TLS version that was negotiated, and the test gives another",
          help: "Remove 'tls-version'.")
      }
      return try recorded(file, place)
    case .authority(let name): return try issued(name, place, clients, subject, at: instant)
    }
  }

  private static func list(_ names: [String]) -> String { names.map { Wording.quoted($0) }.listed() }

  private mutating func chain(_ file: Located<String>) throws(TestMistake) -> [[UInt8]] {
    if let known = chains[file.value] { return known }
    let bytes = try read(file)
    do throws(WorkFailure) {
      let chain = try ChainFile(bytes, of: file.value).certificates
      chains[file.value] = chain
      return chain
    } catch {
      throw TestMistake(place: file.place, message: error.message, help: error.help ?? Self.pem)
    }
  }

  /// What a record shows of a host, under each recorded trust store unless the tests name their own.
  private mutating func recorded(
    _ file: Located<String>, _ place: HostPort
  ) throws(TestMistake) -> [Shown] {
    let record = try record(file)
    let label = HostLabel.text(host: place.host, port: place.port)
    let views = record.evidence.targets.filter { $0.host == place.host && $0.port == place.port }
      .flatMap { $0.views(in: record.evidence) }
    guard !views.isEmpty else {
      throw TestMistake(
        place: file.place,
        message: "'\(VisibleText.of(file.value))' has no chain of \(label)",
        help: "Record it: pintle probe --host \(label) --record FILE.")
    }
    return views.flatMap { view in
      record.stores.map { store in
        Shown(
          presented: .served(view.chain, store.anchors),
          text: "what \(view.places.joined(separator: ", ")) presented"
            + (store.name.map { ", under the trust store '\($0)'" } ?? ""), tlsVersion: view.tlsVersion)
      }
    }
  }

  private mutating func record(_ file: Located<String>) throws(TestMistake) -> Record {
    if let known = records[file.value] { return known }
    let bytes = try read(file)
    let evidence: Evidence
    do throws(WorkFailure) { evidence = try EvidenceFile.evidence(in: bytes, of: file.value) } catch {
      throw TestMistake(place: file.place, message: error.message, help: error.help ?? "")
    }
    let own = try ownStore()
    var record = Record(evidence: evidence, stores: [(nil, own ?? system)])
    if own == nil, !evidence.stores.isEmpty {
      let certificates = Dictionary(evidence.certificates.map { ($0.fingerprint, $0.der) }) { first, _ in first }
      do throws(TrustFailure) {
        record.stores = []
        for store in evidence.stores {
          record.stores.append((store.name, try TrustAnchors(store: store.anchors.compactMap { certificates[$0] })))
        }
      } catch {
        throw TestMistake(
          place: file.place, message: "a recorded trust store can't be used: \(error.message)", help: "")
      }
    }
    records[file.value] = record
    return record
  }

  /// What an authority might issue, or every known one that the host's set doesn't pin.
  private func issued(
    _ name: Located<String>, _ place: HostPort, _ clients: TestClients, _ subject: TestClients.Subject,
    at instant: Instant
  ) throws(TestMistake) -> [Shown] {
    let known = clients.authorities(at: instant)
    let authorities: [Authority]
    if name.value == PolicyTest.Presented.anyOther {
      let pinned = subject.manifest.entryKeys(host: place.host.text, port: place.port).map(\.pin)
      authorities = known.others(than: Set(pinned))
    } else if let one = known.authority(named: name.value) {
      authorities = [one]
    } else {
      let names = known.authorities.map(\.name)
      throw TestMistake(
        place: name.place, message: "no public CA \(Wording.quoted(name.value)) is known at \(instant)",
        help: Suggestion.help(
          name.value, among: names, else: "'pintle authorities list' lists the known ones; 'any-other' is all others."))
    }
    // Of all others, those count that some client trusts.
    let hasRejected = name.value != PolicyTest.Presented.anyOther
    var shown: [Shown] = []
    for authority in authorities {
      for key in known.issuing(authority) {
        guard let ways = known.ways(up: key) else {
          throw TestMistake(
            place: name.place, message: "'\(key.name)' was certified in more than \(Authorities.mostWays) ways",
            help: "Correct the files of --authorities.")
        }
        for way in ways {
          let keys = Self.list(way.map(\.name.key))
          let text = "a made-up certificate of '\(authority.name)' below \(keys)"
          let rejecting = clients.policy.effectiveSettings.stores.filter { known.end(of: way, in: $0) != nil }
          if rejecting.isEmpty || rejecting.count < clients.policy.effectiveSettings.stores.count {
            shown.append(Shown(presented: .madeUp(PresentedChain([nil] + way.map(\.pin))), text: text))
          }
          for store in rejecting where hasRejected {
            let day = (known.end(of: way, in: store) ?? instant).day
            let failure = TrustFailure(.rejected, "\(store.title) trusts nothing issued below \(keys) from \(day) on")
            shown.append(Shown(presented: .distrusted(failure), text: text + ", under \(store.title)"))
          }
        }
      }
    }
    return shown
  }

  private func read(_ file: Located<String>) throws(TestMistake) -> [UInt8] {
    do throws(FileReadError) { return try files.read(file.value, in: path) } catch {
      throw TestMistake(
        place: file.place, message: "can't read '\(VisibleText.of(file.value))': \(error.reason)",
        help: "Name a file in the policy's directory, relative to the test file.")
    }
  }
}

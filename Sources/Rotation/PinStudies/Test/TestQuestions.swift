import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// Puts the tests of one file to clients.
struct TestQuestions {
  private let clients: [TestClients]
  private let now: Instant
  private var servers: TestServers

  init(_ clients: [TestClients], _ servers: TestServers, at now: Instant) {
    (self.clients, self.servers, self.now) = (clients, servers, now)
  }

  /// Every CA at every host of a large policy would take minutes.
  private static let mostAnswers = 100_000

  /// What the last test couldn't ask, though it got answers.
  var unread: TestMistake? { servers.unread }

  /// What clients answer to a test.
  mutating func answers(to test: PolicyTest) throws(TestMistake) -> [TestAnswer] {
    var answers: [TestAnswer] = []
    var unnamed: [String] = []
    servers.unread = nil
    try requireKey(of: test)
    for clients in try asked(test) {
      let audience = clients.policy.audiences.isEmpty ? nil : clients.policy.settings?.audience?.value
      let places = try hosts(of: test, clients.policy)
      if places.isEmpty { unnamed.append(audience ?? "") }
      for place in places {
        for instant in test.instants.isEmpty ? [now] : test.instants.map(\.value) {
          for subject in try subjects(of: test, clients, at: instant) {
            let all = try servers.shown(test, place, clients, subject, at: instant)
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
                answers.append(
                  TestAnswer(
                    audience: audience, client: client, host: HostLabel.text(host: place.host, port: place.port),
                    instant: instant, release: subject.name, presented: shown.text,
                    isMadeUp: shown.presented.isMadeUp,
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
    if let audience = unnamed.first {
      throw TestMistake(
        place: test.host.place,
        message: "\(Wording.quoted(test.host.value)) names no host for the audience '\(audience)', which is asked",
        help: "Say which audiences are meant with 'audiences:'.")
    }
    return answers
  }

  /// Refuses a key that the policy doesn't have, if it is the policy that is asked about.
  private func requireKey(of test: PolicyTest) throws(TestMistake) {
    switch test.subject {
    case .policy, .issued: break
    case .newest, .serial, .window: return
    }
    let known = Set(clients.flatMap { $0.policy.keys.flatMap { [$0.name.value] + $0.manifestKeys.map(\.name) } })
    guard let key = test.key, !known.contains(key.value) else { return }
    throw TestMistake(
      place: key.place, message: "the policy has no key \(Wording.quoted(key.value))",
      help: Suggestion.help(key.value, among: Array(known), else: "Name a key of the policy."))
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
    return Self.places(below, policy)
  }

  /// A place for each entry with such a name, and one for the names without an entry that an entry covers.
  private static func places(_ below: String, _ policy: Policy) -> [HostPort] {
    let own = Dictionary(grouping: policy.hosts, by: \.host.text)
    var places: [HostPort] = []
    func add(_ name: String, _ entry: Policy.HostEntry, besides others: [Policy.HostEntry]) {
      // An entry for all ports leaves out those that others of its host have.
      let taken = Set(others.compactMap(\.port?.value))
      guard let host = try? HostName(canonicalising: name),
        let port = entry.port?.value ?? (443...UInt16.max).first(where: { !taken.contains($0) })
      else { return }
      places.append(HostPort(host, port))
    }
    for entry in policy.hosts {
      let name = entry.host.text
      let others = own[name] ?? []
      if below.isEmpty || name.hasSuffix(below) { add(name, entry, besides: others) }
      guard entry.includeSubdomains?.value ?? false else { continue }
      // Names of the pattern that the entry covers are below the lower of the two.
      let isAbove = !below.isEmpty && (below.hasSuffix("." + name) || below == "." + name)
      guard isAbove || below.isEmpty || name.hasSuffix(below) else { continue }
      let parent = isAbove ? String(below.dropFirst()) : name
      let free = (1...).lazy.map { ($0 == 1 ? "any-name" : "any-name-\($0)") + "." + parent }.first { own[$0] == nil }
      if let free { add(free, entry, besides: others) }
    }
    var seen: Set<HostPort> = []
    return places.filter { seen.insert($0).inserted }
  }

  /// `.example.com` of `*.example.com`.
  private func canonical(_ pattern: String) -> String? {
    (try? InternationalName.host(String(pattern.dropFirst(2)))).map { "." + $0.text }
  }

  /// Nobody has what is issued later.
  private func requireNotAfter(_ instant: Instant, _ date: Located<Instant>, _ what: String) throws(TestMistake) {
    guard date.value > instant else { return }
    throw TestMistake(
      place: date.place, message: "\(what) as of \(date.value), after \(instant)", help: "Ask about a later time.")
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
    case .issued(let date):
      try requireNotAfter(instant, date, "the policy is issued")
      return [try policy(issued: date.value, date.place)]
    case .newest(let date):
      try requireNotAfter(instant, date, "the release is asked for")
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
}

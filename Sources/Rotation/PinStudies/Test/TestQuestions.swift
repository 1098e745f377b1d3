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

  /// What clients answer to a test.
  mutating func answers(to test: PolicyTest) throws(TestMistake) -> [TestAnswer] {
    var answers: [TestAnswer] = []
    for clients in try asked(test) {
      let audience = clients.policy.audiences.isEmpty ? nil : clients.policy.settings?.audience?.value
      for place in try hosts(of: test, clients.policy) {
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
}

#if CryptoKit && !canImport(Security)
import AppleStandIn
import PinFormat
import PinURLSession
import PinValidator
import Synchronization
import Testing

import struct Foundation.Data

/// One challenge, and its outcome.
struct Row: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// What is answered, and the reason that the store's observers got.
  var answer: String
  /// The settings of the trust object at each evaluation.
  var told: [String] = []
  var entries: [Manifest.HostEntry]? = []
  var denied: String?
  var unpinnedHosts = UnpinnedHosts.allow
  var withoutManifest = WithoutManifest.block
  var method = NSURLAuthenticationMethodServerTrust
  var host = "api.example.com"
  var port = 443
  var hasTrust = true
  var served = ["leaf-1", "int-1"]
  var chain: [String]? = ["leaf-1", "int-1", "root-1"]
  var error: String?
  var status: OSStatus = errSecSuccess
  var startStatus: OSStatus = errSecSuccess
  var minimumTLS = tls_protocol_version_t.TLSv12
  /// The entries of a manifest that takes effect during the evaluation of this number, from 1.
  var replacements: [[Manifest.HostEntry]] = []

  init(_ name: String, _ answer: String, told: [String] = [], _ change: (inout Row) throws -> Void = { _ in }) rethrows
  {
    testDescription = name
    self.answer = answer
    self.told = told
    try change(&self)
  }
}

private let system = "api.example.com, of leaf-1 int-1, anchors: system"

private func rows() throws -> [Row] {
  let root3 = Manifest.Trust(systemAnchors: false, anchors: [try Certificates.fingerprint("root-3")])
  let beside = Manifest.Trust(anchors: [try Certificates.fingerprint("root-3")])
  let under3 = ["leaf-3", "int-3", "root-3"]
  let exception = Manifest.Exception(
    failure: .expired, certificate: try Certificates.fingerprint("expired"), until: now.adding(seconds: 60), reason: "r"
  )
  func one(_ name: String) throws -> Manifest.Trust {
    Manifest.Trust(certificate: try Certificates.fingerprint(name))
  }
  let other = try HostName(canonicalising: "other.example.net")
  return [
    try Row("another method", "performDefaultHandling") {
      $0.entries = [try entry()]
      $0.method = "NSURLAuthenticationMethodHTTPBasic"
    },
    try Row("a client certificate is asked for", "performDefaultHandling") {
      $0.entries = [try entry()]
      $0.method = "NSURLAuthenticationMethodClientCertificate"
    },
    try Row("no trust object", "cancelAuthenticationChallenge") {
      $0.entries = [try entry()]
      $0.hasTrust = false
    },
    try Row("a port that isn't one", "cancelAuthenticationChallenge") {
      $0.entries = [try entry()]
      $0.port = 65_536
    },
    try Row("not a host", "cancelAuthenticationChallenge: invalid-host") {
      $0.entries = [try entry()]
      $0.host = "api example.com"
    },
    try Row("not pinned", "performDefaultHandling: no-entry") {
      $0.entries = [try entry()]
      $0.host = "elsewhere.example"
    },
    try Row("not pinned, and denied", "cancelAuthenticationChallenge: unpinned-host") {
      $0.entries = [try entry()]
      $0.host = "elsewhere.example"
      $0.unpinnedHosts = .deny
    },
    try Row("mode off", "performDefaultHandling: off") { $0.entries = [try entry(mode: .off)] },
    try Row("pinned at the root", "useCredential: matched", told: [system]) { $0.entries = [try entry()] },
    try Row("pinned at the leaf", "useCredential: matched", told: [system]) { $0.entries = [try entry("leaf-1")] },
    try Row("in upper case, with a dot", "useCredential: matched", told: [system]) {
      $0.entries = [try entry()]
      $0.host = "API.Example.com."
    },
    try Row("an address", "useCredential: matched", told: ["10.0.0.5, of leaf-1 int-1, anchors: system"]) {
      $0.entries = [
        Manifest.HostEntry(
          host: try HostName(canonicalising: "10.0.0.5"), port: nil, includeSubdomains: false, mode: .enforce,
          keySet: "root-1", requirement: .any, expires: nil, onExpiry: nil, reportURIs: [], trust: nil)
      ]
      $0.host = "10.0.0.5"
    },
    try Row("mismatch", "cancelAuthenticationChallenge: mismatch", told: [system]) {
      $0.entries = [try entry("strange")]
    },
    try Row(
      "a pin that was sent, and isn't in the validated chain", "cancelAuthenticationChallenge: mismatch",
      told: [
        "api.example.com, of leaf-1 int-1 root-3, anchors: system"
      ]
    ) {
      $0.entries = [try entry("root-3")]
      $0.served = ["leaf-1", "int-1", "root-3"]
    },
    try Row("mismatch, only reported", "useCredential: mismatch-reported", told: [system]) {
      $0.entries = [try entry("strange", mode: .reportOnly)]
    },
    try Row("denied", "cancelAuthenticationChallenge: denied-key", told: [system]) {
      $0.entries = [try entry("leaf-1")]
      $0.denied = "root-1"
    },
    try Row("denied, in an entry that only reports", "cancelAuthenticationChallenge: denied-key", told: [system]) {
      $0.entries = [try entry("leaf-1", mode: .reportOnly)]
      $0.denied = "int-1"
    },
    try Row("expired: enforce", "cancelAuthenticationChallenge: mismatch", told: [system]) {
      $0.entries = [try entry("strange", expired: .enforce)]
    },
    try Row("expired: report-only", "useCredential: mismatch-reported", told: [system]) {
      $0.entries = [try entry("strange", expired: .reportOnly)]
    },
    try Row("expired: unpinned", "performDefaultHandling: expired") {
      $0.entries = [try entry("strange", expired: .unpinned)]
    },
    try Row("expired: block", "cancelAuthenticationChallenge: expired") {
      $0.entries = [try entry("root-1", expired: .block)]
    },
    try Row(
      "anchors in place of the system's", "useCredential: matched",
      told: [
        "api.example.com, of leaf-1 int-1, anchors: root-3"
      ]
    ) {
      $0.entries = [try entry("root-3", trust: root3)]
      $0.chain = under3
    },
    try Row(
      "anchors beside the system's", "useCredential: matched",
      told: [
        "api.example.com, of leaf-1 int-1, anchors: system root-3"
      ]
    ) {
      $0.entries = [try entry("root-3", trust: beside)]
      $0.chain = under3
    },
    try Row(
      "intermediates", "useCredential: matched",
      told: [
        "api.example.com, of leaf-1 int-1, anchors: system"
      ]
    ) {
      $0.entries = [try entry(trust: Manifest.Trust(intermediates: [try Certificates.fingerprint("int-1")]))]
      $0.served = ["leaf-1"]
    },
    try Row("intermediates, and nothing was sent", "cancelAuthenticationChallenge: untrusted") {
      $0.entries = [try entry(trust: Manifest.Trust(intermediates: [try Certificates.fingerprint("int-1")]))]
      $0.served = []
    },
    try Row(
      "server name", "useCredential: matched",
      told: [
        "other.example.net, of leaf-1 int-1, anchors: system"
      ]
    ) { $0.entries = [try entry(trust: Manifest.Trust(serverName: other))] },
    try Row(
      "an exception for what the platform finds", "cancelAuthenticationChallenge: untrusted",
      told: [
        "api.example.com, of expired int-1, anchors: system"
      ]
    ) {
      $0.entries = [try entry(trust: Manifest.Trust(exceptions: [exception]))]
      $0.served = ["expired", "int-1"]
      $0.error = "“expired” certificate is expired"
    },
    try Row("the one certificate", "useCredential: matched") {
      $0.entries = [try entry("leaf-1", trust: try one("leaf-1"))]
    },
    try Row("the one certificate, and behind it one that can't be read", "useCredential: matched") {
      $0.entries = [try entry("leaf-1", trust: try one("leaf-1"))]
      $0.served = ["leaf-1", "cut-short"]
    },
    try Row("not the one certificate", "cancelAuthenticationChallenge: untrusted") {
      $0.entries = [try entry("leaf-1", trust: try one("leaf-2"))]
    },
    try Row("the one certificate has expired", "cancelAuthenticationChallenge: untrusted") {
      $0.entries = [try entry("leaf-1", trust: try one("expired"))]
      $0.served = ["expired"]
    },
    try Row("TLS 1.3 is asked for, the session takes 1.2", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry(trust: Manifest.Trust(minimumTLS: .tls13))]
    },
    try Row("TLS 1.3 is asked for, the session takes nothing else", "useCredential: matched", told: [system]) {
      $0.entries = [try entry(trust: Manifest.Trust(minimumTLS: .tls13))]
      $0.minimumTLS = .TLSv13
    },
    try Row("TLS 1.2 is asked for, the session takes 1.0", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry(trust: Manifest.Trust(minimumTLS: .tls12))]
      $0.minimumTLS = .TLSv10
    },
    try Row("stronger keys are asked for", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry(trust: Manifest.Trust(minimumECBits: 384))]
    },
    try Row("other signatures are asked for", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry(trust: Manifest.Trust(signatures: [.eddsa]))]
    },
    try Row("the platform doesn't trust the server", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry()]
      $0.error = "“leaf-1” certificate is not trusted"
    },
    try Row("nor where mismatches are only reported", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry(mode: .reportOnly)]
      $0.error = "“leaf-1” certificate is not trusted"
    },
    try Row("the platform doesn't evaluate", "cancelAuthenticationChallenge: untrusted") {
      $0.entries = [try entry()]
      $0.startStatus = -67_662
    },
    try Row("the platform rejects the settings", "cancelAuthenticationChallenge: untrusted") {
      $0.entries = [try entry()]
      $0.status = -50
    },
    try Row("no chain", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry()]
      $0.chain = nil
    },
    try Row("an empty chain", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry()]
      $0.chain = []
    },
    try Row("a key in another encoding", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry(mode: .reportOnly)]
      $0.chain = ["ec-compressed-leaf", "int-1", "root-1"]
    },
    try Row("a weak key", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry()]
      $0.chain = ["rsa-1024", "int-1", "root-1"]
    },
    try Row("a weak signature", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry()]
      $0.chain = ["sha1", "int-1", "root-1"]
    },
    try Row("a certificate that can't be read", "cancelAuthenticationChallenge: untrusted", told: [system]) {
      $0.entries = [try entry()]
      $0.chain = ["leaf-1", "cut-short", "root-1"]
    },
    Row("without a manifest: block", "cancelAuthenticationChallenge: no-manifest") { $0.entries = nil },
    Row("without a manifest: not pinned", "performDefaultHandling: no-manifest") {
      $0.entries = nil
      $0.withoutManifest = .notPinned
    },
    try Row(
      "another manifest takes effect meanwhile", "useCredential: matched",
      told: [
        system, "api.example.com, of leaf-1 int-1, anchors: root-3",
      ]
    ) {
      $0.entries = [try entry("strange")]
      $0.chain = under3
      $0.replacements = [[try entry("root-3", trust: root3)]]
    },
    try Row("another manifest that blocks", "cancelAuthenticationChallenge: mismatch", told: [system, system]) {
      $0.entries = [try entry()]
      $0.replacements = [[try entry("strange")]]
    },
    try Row("another manifest that doesn't pin", "performDefaultHandling: off", told: [system]) {
      $0.entries = [try entry()]
      $0.replacements = [[try entry(mode: .off), try entry(host: "elsewhere.example")]]
    },
    try Row(
      "a manifest takes effect in each evaluation", "cancelAuthenticationChallenge: untrusted",
      told: [
        system, system, system,
      ]
    ) {
      $0.entries = [try entry()]
      $0.replacements = [[try entry()], [try entry()], [try entry()]]
    },
  ]
}

/// What was answered, how often, and the reasons that observers of the store got.
private final class Answers: Sendable {
  struct State: Sendable {
    var answers: [String] = []
    var hasCredential = false
    var reasons: [String] = []
    var evaluations = 0
  }

  let state = Mutex(State())
}

extension SecTrust.Settings {
  /// Name, certificates and anchors, as rows write them.
  fileprivate var text: String {
    let own = (anchors ?? []).map(Certificates.name)
    let all = (isOnlyAnchors ? [] : ["system"]) + own
    return (isForServer ? "" : "not for a server, ") + (name ?? "no name") + ", of "
      + certificates.map(Certificates.name).joined(separator: " ") + ", anchors: " + all.joined(separator: " ")
  }
}

@Suite("Challenges") struct ChallengeTests {
  /// The delegate's two methods, and the asynchronous form.
  enum Way: CaseIterable {
    case session, task, asynchronous
  }

  @Test("Each challenge is answered once", arguments: try rows(), Way.allCases)
  func answer(row: Row, way: Way) async throws {
    let answers = Answers()
    let store = try store(
      try row.entries.map { try file($0, denied: row.denied, unpinnedHosts: row.unpinnedHosts) },
      withoutManifest: row.withoutManifest
    ) { decision in answers.state.withLock { $0.reasons.append(decision.verdict.reasonCode) } }
    let chain = try row.chain?.map(Certificates.data)
    let replacements = try row.replacements.enumerated().map { try file($0.element, serial: Int64($0.offset) + 2) }
    let simulation = SecTrust.Simulation(status: row.status, startStatus: row.startStatus) { _ in
      let number = answers.state.withLock { state in
        state.evaluations += 1
        return state.evaluations
      }
      return SecTrust.Outcome(chain: chain, error: row.error) {
        guard number <= replacements.count else { return }
        #expect(throws: Never.self) { try store.update(replacements[number - 1]) }
      }
    }
    let trust = row.hasTrust ? SecTrust(try row.served.map(Certificates.data), simulation) : nil
    let space = URLProtectionSpace(
      host: row.host, port: row.port, authenticationMethod: row.method, serverTrust: trust)
    let delegate = ExperimentalPinnedDelegate(store: store)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.tlsMinimumSupportedProtocolVersion = row.minimumTLS
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    await ask(delegate, URLAuthenticationChallenge(space), session, way, answers)

    let state = answers.state.withLock { $0 }
    #expect(state.answers.count == 1)
    #expect(([state.answers.first ?? ""] + state.reasons.suffix(1)).joined(separator: ": ") == row.answer)
    #expect(state.hasCredential == row.answer.hasPrefix("useCredential"))
    #expect(simulation.evaluations.map(\.text) == row.told)
  }

  private func ask(
    _ delegate: ExperimentalPinnedDelegate, _ challenge: URLAuthenticationChallenge, _ session: URLSession, _ way: Way,
    _ answers: Answers
  ) async {
    @Sendable func note(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) -> Int {
      answers.state.withLock { state in
        state.answers.append(String(describing: disposition))
        state.hasCredential = credential != nil
        return state.answers.count
      }
    }
    if way == .asynchronous {
      let (disposition, credential) = await delegate.serverTrust.answer(challenge, of: session)
      _ = note(disposition, credential)
      return
    }
    await withCheckedContinuation { continuation in
      let handler: ExperimentalServerTrust.CompletionHandler = { disposition, credential in
        if note(disposition, credential) == 1 { continuation.resume() }
      }
      switch way {
      case .session: delegate.urlSession(session, didReceive: challenge, completionHandler: handler)
      default:
        delegate.urlSession(session, task: URLSessionTask(), didReceive: challenge, completionHandler: handler)
      }
    }
  }
}
#endif

import Diagnostics
import PinFormat
import PinPolicy
import PolicySupport
import Testing

@Suite("Values and their places")
struct ValueTests {
  /// Every field of the format, once.
  static let text = """
    version: 1
    owner: セキュリティ班 😀 # a comment
    defaults:
      mode: report-only
      include-subdomains: true
      expires: 2027-06-01
      on-expiry: unpinned
      report-uris: [https://pins.example.org/a, "https://pins.example.org/b"]
      require: leaf-and-ca
    manifest:
      audience: eu
      refresh-after: 12h
      expires-after: 30d
      on-stale: block
      client-max-age: 45m
      unpinned-hosts: deny
      limits: { max-lifetime: 400d, expiry-warning: 7d, max-hosts: 500, max-blast-radius: 7% }
      clients: [full-chain, leaf-only, openssl-3.5]
    keys:
      web: { file: keys/web.pem, position: leaf, custody: "HSM 甲", created: 2026-09-01T12:30:00Z, status: retiring }
      old:
        pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=
        denied: 'it''s leaked'
        steps: { published: 2026-01-01, active: 2026-02-01, retiring: 2026-03-01T08:00:00Z, retired: 2027-01-01 }
        reason: |
          two
          lines
    key-sets:
      set: { active: [web], backup: [old, web], reason: no }
    hosts:
      - { "host": 例え.テスト, port: 8443, keys: set, mode: off, include-subdomains: false }
      - host: b.example
        keys:
          active: [web]
        require: any
        expires: 2027-01-01
        on-expiry: enforce
        report-uris: []
        owner: b
        reason: >-
          folded
          text
        probe: [c.b.example]
        trust:
          anchors: [system, keys/root.pem]
          intermediates: [keys/mid.pem]
          certificate: keys/b.pem
          server-name: name.example
          exceptions:
            - failure: wrong-usage
              certificate: keys/b.pem
              until: 2027-02-02
              reason: 😀
          minimum-rsa-bits: 4096
          minimum-ec-bits: 384
          signatures: [ecdsa, eddsa]
          minimum-tls: 1.3
          reason: r
    """

  let policy = read(text)
  var file: ParsedFile { policy.files[0] }

  @Test("A file with every field has no problems")
  func clean() {
    #expect(policy.problems.map(describe) == [])
    #expect(file.isComplete)
  }

  @Test("The file, its defaults and the manifest's settings")
  func top() throws {
    #expect(show(file.owner) == "2:8-17 セキュリティ班 😀")
    #expect(show(file.defaults.mode) == "4:9-20 reportOnly")
    #expect(show(file.defaults.includeSubdomains) == "5:23-27 true")
    #expect(show(file.defaults.expires) == "6:12-22 2027-06-01T00:00:00Z")
    #expect(show(file.defaults.onExpiry) == "7:14-22 unpinned")
    #expect(
      file.defaults.reportURIs?.map(show)
        == ["8:17-43 https://pins.example.org/a", "8:45-73 https://pins.example.org/b"])
    #expect(show(file.defaults.requirement) == "9:12-23 leafAndCA")
    let settings = try #require(file.settings)
    #expect(describe(settings.place) == "10:1-9")
    #expect(show(settings.audience) == "11:13-15 eu")
    #expect(show(settings.refreshAfter) == "12:18-21 43200")
    #expect(show(settings.expiresAfter) == "13:18-21 2592000")
    #expect(show(settings.onStale) == "14:13-18 block")
    #expect(show(settings.clientMaxAge) == "15:19-22 2700")
    #expect(show(settings.unpinnedHosts) == "16:19-23 deny")
    #expect(show(settings.maximumLifetime) == "17:27-31 34560000")
    #expect(show(settings.expiryWarning) == "17:49-51 604800")
    #expect(show(settings.maximumHosts) == "17:64-67 500")
    #expect(show(settings.maximumBlastRadius) == "17:87-89 7")
    #expect(settings.clients.map(show) == ["18:13-23 fullChain", "18:25-34 leafOnly", "18:36-47 openSSL35"])
  }

  @Test("Keys and key sets")
  func keys() throws {
    try #require(file.keys.count == 2)
    let (web, old) = (file.keys[0], file.keys[1])
    #expect(show(web.name) == "20:3-6 web")
    #expect(show(web.source) == "20:16-28 keys/web.pem")
    #expect(show(web.notes?.position) == "20:40-44 leaf")
    #expect(show(web.notes?.custody) == "20:55-62 HSM 甲")
    #expect(show(web.notes?.created) == "20:73-93 2026-09-01T12:30:00Z")
    #expect(show(web.notes?.status) == "20:103-111 retiring")
    #expect(web.notes?.steps.dated.isEmpty == true)
    #expect(show(old.name) == "21:3-6 old")
    #expect(show(old.source) == "22:10-61 sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=")
    #expect(show(old.notes?.denied) == "23:13-27 it's leaked")
    #expect(old.notes?.status == nil)
    #expect(
      old.notes?.steps.dated.map { "\($0.status) " + show($0.instant) } == [
        "published 24:25-35 2026-01-01T00:00:00Z", "active 24:45-55 2026-02-01T00:00:00Z",
        "retiring 24:67-87 2026-03-01T08:00:00Z", "retired 24:98-108 2027-01-01T00:00:00Z",
      ])
    #expect(show(old.notes?.reason) == "25:13-28:1 two\nlines\n")
    let set = try #require(file.keySets.first)
    #expect(show(set.name) == "29:3-6 set")
    #expect(describe(set.place) == "29:3-6")
    #expect(set.active.map(show) == ["29:19-22 web"])
    #expect(set.backup.map(show) == ["29:34-37 old", "29:39-42 web"])
    #expect(show(set.reason) == "29:53-55 no")
  }

  @Test("Host entries")
  func hosts() throws {
    try #require(file.hosts.count == 2)
    let (a, b) = (file.hosts[0], file.hosts[1])
    #expect(describe(a.place) == "31:5-6")
    #expect(show(a.host) == "31:15-21 例え.テスト")
    #expect(show(a.port) == "31:29-33 8443")
    #expect(show(a.terms.mode) == "31:52-55 off")
    #expect(show(a.terms.includeSubdomains) == "31:77-82 false")
    guard case .named(let name) = a.keys else { return #expect(Bool(false), "the keys aren't named") }
    #expect(show(name) == "31:41-44 set")

    #expect(describe(b.place) == "32:5-9")
    #expect(show(b.host) == "32:11-20 b.example")
    guard case .inline(let set) = b.keys else { return #expect(Bool(false), "the keys aren't inline") }
    #expect(set.name == nil)
    #expect(describe(set.place) == "33:5-9")
    #expect(set.active.map(show) == ["34:16-19 web"])
    #expect(show(b.terms.requirement) == "35:14-17 any")
    #expect(show(b.terms.expires) == "36:14-24 2027-01-01T00:00:00Z")
    #expect(show(b.terms.onExpiry) == "37:16-23 enforce")
    #expect(b.terms.reportURIs == [])
    #expect(show(b.owner) == "39:12-13 b")
    #expect(show(b.reason) == "40:13-43:1 folded text")
    #expect(b.probe.map(show) == ["43:13-24 c.b.example"])
  }

  @Test("Trust")
  func trust() throws {
    let trust = try #require(file.hosts.last?.terms.trust)
    #expect(describe(trust.place) == "44:5-10")
    #expect(trust.anchors?.map(show) == ["45:17-23 system", "45:25-38 keys/root.pem"])
    #expect(trust.intermediates.map(show) == ["46:23-35 keys/mid.pem"])
    #expect(show(trust.certificate) == "47:20-30 keys/b.pem")
    #expect(show(trust.serverName) == "48:20-32 name.example")
    let exception = try #require(trust.exceptions.first)
    #expect(describe(exception.place) == "50:11-18")
    #expect(show(exception.failure) == "50:20-31 wrongUsage")
    #expect(show(exception.certificate) == "51:24-34 keys/b.pem")
    #expect(show(exception.until) == "52:18-28 2027-02-02T00:00:00Z")
    #expect(show(exception.reason) == "53:19-20 😀")
    #expect(show(trust.minimumRSABits) == "54:25-29 4096")
    #expect(show(trust.minimumECBits) == "55:24-27 384")
    #expect(trust.signatures.map(show) == ["56:20-25 ecdsa", "56:27-32 eddsa"])
    #expect(show(trust.minimumTLS) == "57:20-23 tls13")
    #expect(show(trust.reason) == "58:15-16 r")
  }

  private func show<Value>(_ value: Located<Value>?) -> String {
    value.map { "\(describe($0.place)) \($0.value)" } ?? "nil"
  }

  private func show(_ source: ParsedKey.Source?) -> String {
    switch source {
    case .pin(let pin): show(pin)
    case .file(let path): show(path)
    case nil: "nil"
    }
  }
}

import Diagnostics
import PinFormat
import PinPolicy
import PolicySupport
import Testing

@Suite("Names and defaults")
struct ResolverTests {
  @Test("A policy without mistakes has no problems, and is complete")
  func clean() throws {
    let policy = try ExampleFiles.resolve(
      """
      keys:
        api: { file: keys/api.pem, position: leaf }
        spare: { file: keys/api-spare.csr }
      hosts:
        - host: Bücher.example
          keys: { active: [api], backup: [spare] }
      """)
    #expect(describe(policy) == [])
    #expect(policy.isComplete)
  }

  @Test("Names are looked up in all files, and every list is sorted")
  func lookup() throws {
    let policy = try ExampleFiles.resolve([
      "z.yaml": "version: 1\nkeys: { b: { file: keys/api.pem }, a: { file: keys/api-spare.csr } }\n",
      "m.yaml": "version: 1\nmanifest: { audience: test }\nkey-sets: { set: { active: [b], backup: [a] } }\n",
      "a/hosts.yaml": """
      version: 1
      hosts:
        - { host: b.example, keys: set }
        - { host: a.example, port: 8443, keys: { active: [b] } }
        - { host: a.example, port: 443, keys: { active: [a], backup: [b] } }
        - { host: a.example, keys: set }
      """,
    ])
    #expect(describe(policy) == [])
    #expect(policy.keys.map(\.name.value) == ["a", "b"])
    #expect(policy.keySets.map(\.name) == ["host:a.example:443", "host:a.example:8443", "set"])
    #expect(policy.keySets.map(\.isInline) == [true, true, false])
    #expect(policy.keySets.map { $0.active.map(\.key) } == [[0], [1], [1]])
    #expect(policy.keySets.map { $0.backup.map(\.key) } == [[1], [], [0]])
    #expect(policy.hosts.map(\.label) == ["a.example", "a.example:443", "a.example:8443", "b.example"])
    #expect(policy.hosts.map { $0.keySet?.value } == [2, 0, 1, 2])
  }

  @Test(
    "Names that lead nowhere, or to two things",
    arguments: [
      (
        "key-sets: { a: { active: [none], backup: [x] } }\nkeys: { x: { file: keys/api.pem } }",
        [#"3:27-31 undefinedKey(name: "none", known: ["x"])"#]
      ),
      (
        "hosts: [{ host: a.example, keys: none }]\nkey-sets: { b: {}, a: {} }",
        [#"3:34-38 undefinedKeySet(name: "none", known: ["a", "b"])"#]
      ),
      (
        "keys: { x: { file: keys/api.pem } }\nkey-sets: { a: { active: [x, x], backup: [x] } }",
        [#"4:30-31 repeatedKey(name: "x", keySet: "a") <- 4:27-28"#]
      ),
      (
        """
        hosts:
          - { host: Bücher.example }
          - { host: xn--bcher-kva.example, port: 1 }
          - { host: xn--bcher-kva.example. }
        """, [#"6:13-35 duplicateHost(label: "xn--bcher-kva.example") <- 4:13-27"#]
      ),
      (
        """
        hosts:
          - { host: "*.example.com" }
          - { host: 10.0.0.256 }
          - { host: a.example, probe: [b.a.example, a_b], trust: { server-name: -x } }
        """,
        [
          #"4:13-28 badHost(text: "*.example.com", reason: "wildcards aren\'t hosts")"#,
          #"5:13-23 badHost(text: "10.0.0.256", reason: "it looks like an IP address but isn\'t one in canonical form")"#,
          #"6:45-48 badHost(text: "a_b", reason: "an underscore isn\'t allowed in a host")"#,
          #"6:73-75 badHost(text: "-x", reason: "a label begins or ends with a hyphen")"#,
        ]
      ),
    ])
  func names(text: String, problems: [String]) throws {
    #expect(try describe(ExampleFiles.resolve(text)) == problems)
  }

  @Test("Of two declarations in different files the first counts, whatever order the files came in")
  func duplicates() throws {
    let policy = try ExampleFiles.resolve([
      "b.yaml":
        "version: 1\nmanifest: { audience: two }\nkeys: { k: { file: keys/api-spare.csr } }\nkey-sets: { s: {} }\n",
      "a.yaml": """
      version: 1
      manifest: { audience: one }
      keys: { k: { file: keys/api.pem } }
      key-sets: { s: { active: [k] } }
      """,
    ])
    #expect(
      describe(policy) == [
        "2:1-9 duplicateSettings <- 2:1-9", #"3:9-10 duplicateKey(name: "k") <- 3:9-10"#,
        #"4:13-14 duplicateKeySet(name: "s") <- 4:13-14"#,
      ])
    #expect(policy.problems.allSatisfy { $0.place.file == FileID(1) && $0.related?.file == FileID(0) })
    #expect(policy.settings?.audience?.value == "one")
    #expect(policy.keys.map { $0.material?.kind } == [.certificate])
    #expect(policy.keySets.map(\.active.count) == [1])
  }

  @Test("Where a file can't be read to its end, names that may be in it aren't called undefined")
  func incomplete() throws {
    let policy = try ExampleFiles.resolve([
      "a.yaml": "version: 1\nkeys: { a: { file: keys/api.pem\n",
      "b.yaml": "version: 1\nkey-sets: { s: { active: [b] } }\nhosts: [{ host: a.example, keys: t }]\n",
    ])
    #expect(policy.problems.count == 1)
    #expect(!policy.isComplete)
  }

  @Test("Defaults fill in what an entry doesn't say, and each value keeps its place")
  func defaults() throws {
    let policy = try ExampleFiles.resolve(
      """
      owner: file
      defaults: { mode: report-only, include-subdomains: true, expires: 2027-01-01, on-expiry: block, require: leaf-and-ca, report-uris: [https://a.example/] }
      hosts:
        - { host: 10.0.0.5 }
        - { host: a.example }
        - { host: b.example, mode: enforce, include-subdomains: false, expires: 2027-02-02, on-expiry: enforce, require: any, report-uris: [], owner: entry }
        - { host: c.example, mode: off }
      """)
    let hosts = policy.hosts
    try #require(hosts.map(\.label) == ["10.0.0.5", "a.example", "b.example", "c.example"])
    #expect(hosts.map(\.mode.value) == [.reportOnly, .reportOnly, .enforce, .off])
    #expect(hosts.map { $0.includeSubdomains?.value } == [nil, true, false, true])
    #expect(hosts.map { $0.expires?.value.description.prefix(10) } == ["2027-01-01", "2027-01-01", "2027-02-02", nil])
    #expect(hosts.map { $0.onExpiry?.value } == [.block, .block, .enforce, nil])
    #expect(hosts.map { $0.requirement?.value } == [.leafAndCA, .leafAndCA, .any, nil])
    #expect(hosts.map { $0.reportURIs.map(\.value) } == [["https://a.example/"], ["https://a.example/"], [], []])
    #expect(hosts.map { $0.owner?.value } == ["file", "file", "entry", "file"])
    #expect(hosts[1].expires.map { describe($0.place) } == "4:67-77")
  }

  @Test("Without defaults an entry enforces, from where its host is written")
  func noDefaults() throws {
    let host = try #require(try ExampleFiles.resolve("hosts: [{ host: a.example }]").hosts.first)
    #expect(host.mode == Located(.enforce, at: host.written.place))
    #expect(host.onExpiry == nil && host.requirement == nil && !host.coversSubdomains)
  }

  @Test("Manifest-wide settings have defaults, and are missed where no file has them")
  func settings() throws {
    let stated = try #require(
      try ExampleFiles.resolve(["a.yaml": "version: 1\nmanifest: { on-stale: block, limits: { max-hosts: 5 } }\n"])
        .settings)
    #expect(stated.audience == nil)
    #expect(
      (stated.onStale, stated.maximumHosts, stated.refreshAfter, stated.expiresAfter) == (.block, 5, 86_400, 2_592_000))
    #expect(try describe(ExampleFiles.resolve(["a.yaml": "version: 1\n"])) == ["1:1-2 missingSettings"])
  }
}

@Suite("More problems than anybody reads")
struct ManyProblemsTests {
  @Test("Resolving stops adding them, and says so")
  func limit() throws {
    let hosts = (0..<10_050).map { "  - { host: h\($0).example.com, keys: nowhere-\($0) }\n" }.joined()
    let policy = try ExampleFiles.resolve("hosts:\n" + hosts)
    #expect(policy.problems.count == 10_001)
    #expect(policy.problems.count { $0.kind == .tooManyProblems(limit: 10_000) } == 1)
    #expect(!policy.isComplete)
  }
}

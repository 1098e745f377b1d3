import Testing

/// lego's commands, its configuration file of version 5, and what it stores.
struct LegoRenewalTests {
  private static let commands: [(text: String, lines: [String])] = [
    ("lego --email a@example.com --domains a.example.com --http renew", ["new-key 1 a.example.com"]),
    ("lego -d a.example.com -d *.b.example.com --http renew --reuse-key", ["keeps 1 a.example.com *.b.example.com"]),
    (
      "35 3 * * * root /usr/bin/lego --domains=a.example.com,b.example.com renew",
      ["new-key 1 a.example.com b.example.com"]
    ),
    ("[Service]\nExecStart=/usr/bin/lego -d a.example.com renew --reuse-key=true", ["keeps 2 a.example.com"]),
    ("docker run goacme/lego:v4 -d \"a.example.com\" renew --days 45 \\\n  --reuse-key", ["keeps 1 a.example.com"]),
    ("lego -d a.example.com renew --reuse-key=false", ["new-key 1 a.example.com"]),
    // Flags as Go's strconv.ParseBool reads them; lego itself refuses other values.
    ("lego -d a.example.com renew --reuse-key=1", ["keeps 1 a.example.com"]),
    ("lego -d a.example.com renew -reuse-key=t", ["keeps 1 a.example.com"]),
    ("lego -d a.example.com renew --reuse-key=TRUE", ["keeps 1 a.example.com"]),
    ("lego -d a.example.com renew --reuse-key=0", ["new-key 1 a.example.com"]),
    ("lego -d a.example.com renew --reuse-key=F", ["new-key 1 a.example.com"]),
    ("lego -d a.example.com renew --reuse-key=yes", ["new-key 1 a.example.com"]),
    ("lego -d a.example.com renew --reuse-key=", ["new-key 1 a.example.com"]),
    // Version 5 renews with `run`, and takes the names behind it; in version 4, `run` always makes a new key.
    ("lego run -d a.example.com --http --reuse-key", ["keeps 1 a.example.com"]),
    ("lego run -d a.example.com --http", ["new-key 1 a.example.com"]),
    ("lego -d a.example.com run", ["unknown 1 a.example.com"]),
    (
      "lego -d a.example.com renew --reuse-key || lego -d a.example.com run",
      ["keeps 1 a.example.com", "unknown 1 a.example.com"]
    ),
    ("lego -d a.example.com --private-key a.key run", ["keeps 1 a.example.com"]), ("lego run", []),
    // Go's flags end at the first word that isn't one.
    ("lego -d a.example.com renew \u{2013}days 30 --reuse-key", ["unknown 1 a.example.com"]),
    ("# lego -d a.example.com renew", []),
    ("true # lego -d a.example.com renew", []),
    ("echo 'lego -d a.example.com renew'", []),
    // What may set the option isn't read.
    ("lego -d a.example.com $OPTIONS renew", ["unknown 1 a.example.com"]),
    ("export LEGO_REUSE_KEY=true\nlego -d a.example.com renew", ["unknown 2 a.example.com"]),
    ("lego -d a.example.com renew --reuse-key=$REUSE", ["unknown 1 a.example.com"]),
    ("lego -d a.example.com renew --reuse-key --reuse-key=false", ["new-key 1 a.example.com"]),
    ("lego list && legolas -d a.example.com renew", []),
    ("lego --csr a.csr renew", ["keeps 1 ? the names are in a certificate request"]),
    ("lego -d \"$name\" renew", ["new-key 1 ? the names aren't written in the command"]),
    ("lego renew", ["new-key 1 ? the names aren't written in the command"]),
    ("lego -d 'a.example.com", []),
  ]

  @Test(arguments: commands)
  func answersOfCommands(_ text: String, _ lines: [String]) throws {
    #expect(try RenewalScene(["renew.sh": text]).lines() == lines.map { "lego " + $0 })
    #expect(try RenewalScene(["cron.d/lego": text]).lines() == lines.map { "lego " + $0 })
  }

  private static let configurations: [(text: String, lines: [String])] = [
    ("certificates:\n  a:\n    domains: [a.example.com]", ["new-key 2 a.example.com"]),
    ("certificates:\n  a:\n    domains: [a.example.com]\n    renew: { reuseKey: true }", ["keeps 4 a.example.com"]),
    ("certificates:\n  a:\n    domains: [a.example.com]\n    renew: { reuseKey: false }", ["new-key 4 a.example.com"]),
    ("certificates:\n  a:\n    domains: [a.example.com]\n    renew: { reuseKey: yes }", ["unknown 4 a.example.com"]),
    ("certificates:\n  a: { csr: a.csr }", ["keeps 2 ? 'domains' is missing, empty or not a list of names"]),
    (
      "certificates:\n  a: { domains: [a.example.com] }\n  b: { domains: ['*.b.example.com'] }",
      ["new-key 2 a.example.com", "new-key 3 *.b.example.com"]
    ),
    (
      "certificates:\n  a: { domains: [a.example.com], renew: { reuseKey: true, reuseKey: false } }",
      ["unknown 2 a.example.com"]
    ),
    ("certificates: [", ["unknown 1 ? the file can't be read: a value is missing"]),
    ("storage: /tmp/lego", []),
  ]

  @Test(arguments: configurations)
  func answersOfConfigurations(_ text: String, _ lines: [String]) throws {
    #expect(try RenewalScene([".lego.yml": text]).lines() == lines.map { "lego " + $0 })
  }

  /// Under another name, the file has to look like lego's.
  @Test func configurationUnderAnotherName() throws {
    let text = "certificates:\n  a: { domains: [a.example.com]%@ }"
    #expect(try RenewalScene(["a.yml": text.replacing("%@", with: "")]).lines() == [])
    #expect(
      try RenewalScene(["a.yml": text.replacing("%@", with: ", challenge: http-01")]).lines()
        == ["lego new-key 2 a.example.com"])
  }

  private static let stored = "{\"domain\": \"api.example.com\",\n\"certUrl\": \"https://example.com/1\"}"

  /// What lego stores says nothing about the key, so a command about the same name counts instead.
  @Test func storedCertificates() throws {
    let path = "certificates/api.example.com.json"
    #expect(try RenewalScene([path: Self.stored]).lines() == ["lego unknown 1 api.example.com"])
    #expect(
      try RenewalScene([path: Self.stored], certificates: ["certificates/api.example.com.crt"]).lines()
        == ["lego unknown 1 api.example.com www.example.com"])
    let command = "lego -d api.example.com renew --reuse-key"
    #expect(try RenewalScene([path: Self.stored, "a.sh": command]).lines() == ["lego keeps 1 api.example.com"])
    let other = try RenewalScene([path: Self.stored, "a.sh": command.replacing("api", with: "b")])
    #expect(try other.lines() == ["lego keeps 1 b.example.com", "lego unknown 1 api.example.com"])
    let broken = try RenewalScene([path: "{\"domain\": 1, \"certUrl\""]).lines()
    #expect(broken.count == 1 && broken[0].hasPrefix("lego unknown 1 ? the file can't be read: "))
  }
}

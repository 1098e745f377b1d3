import Testing

/// acme.sh's files of domains.
struct AcmeShRenewalTests {
  private static let rows: [(text: String, line: String)] = [
    ("Le_Domain='a.example.com'\nLe_Alt='no'\nLe_Keylength='ec-256'", "keeps 1 a.example.com"),
    (
      "Le_Domain='a.example.com'\nLe_Alt='b.example.com,*.c.example.com'",
      "keeps 1 a.example.com b.example.com *.c.example.com"
    ),
    ("Le_Domain='a.example.com'\nLe_Alt='no'\nLe_ForceNewDomainKey='1'", "new-key 3 a.example.com"),
    ("Le_Domain=\"a.example.com\"\nLe_ForceNewDomainKey=\"1\" # always", "new-key 2 a.example.com"),
    ("Le_Domain=a.example.com\nLe_ForceNewDomainKey=1", "new-key 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey=''", "keeps 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey='0'", "keeps 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey='1'\nLe_ForceNewDomainKey='0'", "keeps 3 a.example.com"),
    ("Le_Domain='a.example.com'\n#Le_ForceNewDomainKey='1'", "keeps 1 a.example.com"),
    // The shell runs what isn't an assignment.
    ("Le_Domain='a.example.com'\n. ./other.conf", "unknown 2 a.example.com"),
    ("Le_Domain='a.example.com'\nexport Le_ForceNewDomainKey=1", "unknown 2 a.example.com"),
    // Nothing is expanded.
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey=$FORCE", "unknown 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey=\"`cat force`\"", "unknown 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey='1", "unknown 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey='1'1", "unknown 2 a.example.com"),
    ("Le_Domain=\"$NAME\"", "keeps 1 ? 'Le_Domain' or 'Le_Alt' isn't a plain value"),
    ("Le_Domain='a.example.com'\nLe_Alt=$ALT", "keeps 1 ? 'Le_Domain' or 'Le_Alt' isn't a plain value"),
  ]

  /// A command's option, and what `account.conf` has, count if the domain's own file doesn't say otherwise.
  @Test(arguments: [
    ("acme.sh --cron --home /root/.acme.sh", "", "keeps 1"),
    ("acme.sh --cron --always-force-new-domain-key", "", "new-key 1"),
    ("acme.sh --cron --always-force-new-domain-key > /dev/null", "", "new-key 1"),
    ("acme.sh --cron --always-force-new-domain-key >/dev/null 2>&1", "", "new-key 1"),
    ("acme.sh --cron --always-force-new-domain-key>/dev/null", "", "new-key 1"),
    ("acme.sh --cron --always-force-new-domain-key < /dev/null", "", "new-key 1"),
    ("acme.sh --cron --always-force-new-domain-key 2>> $LOG", "", "new-key 1"),
    ("acme.sh --cron --always-force-new-domain-key 0 > /dev/null", "", "keeps 1"),
    // As acme.sh's installer writes it.
    (
      "\"/root/.acme.sh\"/acme.sh --cron --home \"/root/.acme.sh\" --always-force-new-domain-key > /dev/null", "",
      "new-key 1"
    ),
    ("acme.sh --cron --always-force-new-domain-key 1", "", "new-key 1"),
    ("acme.sh --cron --always-force-new-domain-key 0", "", "keeps 1"),
    ("acme.sh --cron --always-force-new-domain-key", "Le_ForceNewDomainKey='0'", "unknown 1"),
    ("acme.sh --issue -d a.example.com --always-force-new-domain-key", "", "new-key 1"),
    ("acme.sh --issue -d other --always-force-new-domain-key", "", "keeps 1"),
    ("acme.sh --create-domain-key -d a.example.com --force", "", "new-key 1"),
    ("acme.sh --issue -d a.example.com --keylength 4096", "Le_Keylength='ec-256'", "unknown 1"),
    ("acme.sh --issue -d a.example.com --keylength ec-256", "Le_Keylength='ec-256'", "keeps 1"),
    ("acme.sh --renew -d $DOMAIN --always-force-new-domain-key", "", "new-key 1"),
    ("acme.sh --renew-all $OPTIONS", "", "unknown 1"), ("acme.sh --cron > $LOG", "", "keeps 1"),
    ("$ACME --cron", "", "unknown 1"), ("acme.sh --list --always-force-new-domain-key", "", "keeps 1"),
  ])
  func commands(_ command: String, _ line: String, _ answer: String) throws {
    let scene = try RenewalScene([
      "a.example.com/a.example.com.conf": "Le_Domain='a.example.com'\n" + line, "renew.sh": command,
    ])
    #expect(try scene.lines() == ["acme.sh \(answer) a.example.com"])
  }

  @Test(arguments: [
    ("Le_ForceNewDomainKey='1'", "", "new-key 1"), ("Le_ForceNewDomainKey='1'", "Le_ForceNewDomainKey=''", "new-key 1"),
    ("Le_ForceNewDomainKey=$F", "", "unknown 1"), ("LOG_LEVEL=1", "", "keeps 1"),
  ])
  func accounts(_ account: String, _ line: String, _ answer: String) throws {
    let scene = try RenewalScene([
      "a.example.com/a.example.com.conf": "Le_Domain='a.example.com'\n" + line, "account.conf": account,
    ])
    #expect(try scene.lines() == ["acme.sh \(answer) a.example.com"])
  }

  @Test(arguments: rows)
  func answers(_ text: String, _ line: String) throws {
    let scene = try RenewalScene(["a.example.com_ecc/a.example.com.conf": text])
    #expect(try scene.lines() == ["acme.sh " + line])
  }
}

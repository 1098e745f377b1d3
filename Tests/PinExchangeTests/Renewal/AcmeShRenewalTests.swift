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
    // Nothing is expanded.
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey=$FORCE", "unknown 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey=\"`cat force`\"", "unknown 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey='1", "unknown 2 a.example.com"),
    ("Le_Domain='a.example.com'\nLe_ForceNewDomainKey='1'1", "unknown 2 a.example.com"),
    ("Le_Domain=\"$NAME\"", "keeps 1 ? 'Le_Domain' or 'Le_Alt' isn't a plain value"),
    ("Le_Domain='a.example.com'\nLe_Alt=$ALT", "keeps 1 ? 'Le_Domain' or 'Le_Alt' isn't a plain value"),
  ]

  @Test(arguments: rows)
  func answers(_ text: String, _ line: String) throws {
    let scene = try RenewalScene(["a.example.com_ecc/a.example.com.conf": text])
    #expect(try scene.lines() == ["acme.sh " + line])
  }
}

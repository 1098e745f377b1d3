import DomainNames
import PinFormat
import Testing

@Suite("Public suffixes")
struct PublicSuffixListTests {
  @Test(
    "Which part of the list names a host",
    arguments: [
      ("com", .icann), ("co.uk", .icann), ("example.com", nil), ("example.co.uk", nil),
      ("github.io", .privateDomain), ("user.github.io", nil),
      ("xn--p1ai", .icann), ("example.xn--p1ai", nil),
      ("anything.ck", .icann), ("www.ck", nil),
      ("corp", nil), ("internal", nil), ("db.internal", nil), ("localhost", nil),
      ("10.0.0.5", nil), ("2001:db8::1", nil),
    ] as [(String, PublicSuffixList.Section?)])
  func section(text: String, section: PublicSuffixList.Section?) throws {
    #expect(PublicSuffixList.section(of: try HostName(canonicalising: text)) == section)
  }

  @Test(
    "Names under top-level domains of the list",
    arguments: [
      ("com", true), ("a.b.example.com", true), ("www.ck", true), ("ck", true), ("example.xn--p1ai", true),
      ("db.internal", false), ("printer.corp", false), ("localhost", false), ("10.0.0.5", false),
    ])
  func known(text: String, isKnown: Bool) throws {
    #expect(PublicSuffixList.isUnderKnownTopLevelDomain(try HostName(canonicalising: text)) == isKnown)
  }

  @Test(
    "What somebody registered",
    arguments: [
      ("www.example.co.uk", "example.co.uk"), ("a.b.user.github.io", "user.github.io"), ("example.com", "example.com"),
      ("com", nil), ("github.io", nil), ("a.db.internal", nil), ("10.0.0.5", nil),
    ] as [(String, String?)])
  func registrable(text: String, domain: String?) throws {
    #expect(PublicSuffixList.registrableDomain(of: try HostName(canonicalising: text)) == domain)
  }
}

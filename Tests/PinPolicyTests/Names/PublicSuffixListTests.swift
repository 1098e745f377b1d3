import PinFormat
import PinPolicy
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
}

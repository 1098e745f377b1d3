import PinFormat
import PinPolicy
import Testing

@Suite("Hosts as people write them")
struct InternationalNameTests {
  @Test(
    "Canonical form",
    arguments: [
      ("example.com", "example.com"),
      ("EXAMPLE.com.", "example.com"),
      ("bücher.example", "xn--bcher-kva.example"),
      ("BÜCHER.example", "xn--bcher-kva.example"),
      ("bu\u{308}cher.example", "xn--bcher-kva.example"),
      ("xn--bcher-kva.example", "xn--bcher-kva.example"),
      ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
      ("straße.example", "xn--strae-oqa.example"),
      ("日本語。ｊｐ", "xn--wgv71a119e.jp"),
      ("ｅｘａｍｐｌｅ.com", "example.com"),
      ("r3---sn-abc.bücher.example", "r3---sn-abc.xn--bcher-kva.example"),
      ("пример.рф", "xn--e1afmkfd.xn--p1ai"),
      ("xn--ls8h.la", "xn--ls8h.la"),
      ("XN--N3H.net", "xn--n3h.net"),
      ("xn--i-7iq.ws", "xn--i-7iq.ws"),
      ("bücher.xn--ls8h.la", "xn--bcher-kva.xn--ls8h.la"),
      ("10.0.0.5", "10.0.0.5"),
      ("[2001:DB8::1]", "2001:db8::1"),
      ("::ffff:10.0.0.5", "10.0.0.5"),
    ])
  func canonical(written: String, host: String) throws {
    #expect(try InternationalName.host(written).text == host)
  }

  @Test(
    "An invalid host is rejected with the reason",
    arguments: [
      ("", "it is empty"),
      ("a..b", "it has an empty label"),
      ("ü..example", "it has an empty label"),
      ("*.example.com", "wildcards aren't hosts"),
      ("https://example.com/", "a path or URL isn't a host"),
      ("example.com:443", "a port belongs in a field of its own"),
      ("example.com/ü", "a path or URL isn't a host"),
      ("a_b.example", "an underscore isn't allowed in a host"),
      ("a_b.bücher.example", "an underscore isn't allowed in a host"),
      ("a b", "a space isn't allowed in a host"),
      ("-a.example", "a label begins or ends with a hyphen"),
      ("xn--.example", "a label begins or ends with a hyphen"),
      ("xn--a.example", "its label \'xn--a\' can\'t be used: it isn't a valid A-label"),
      ("xn--0.example", "its label 'xn--0' can't be used: it isn't a valid A-label"),
      // A capital letter and a number with a full stop, which UTS 46 maps; and a joiner before a symbol.
      ("xn--ab-yuc.example", "its label 'xn--ab-yuc' can't be used: it isn't a valid A-label"),
      ("xn--a-ecp.example", "its label 'xn--a-ecp' can't be used: it isn't a valid A-label"),
      ("xn--1ug66vq44b.example", "its label 'xn--1ug66vq44b' can't be used: it isn't a valid A-label"),
      ("xn--99999999.example", "its label \'xn--99999999\' can\'t be used: it isn't a valid A-label"),
      ("xn--bcher-KVA0.example", "its label \'xn--bcher-kva0\' can\'t be used: it isn't a valid A-label"),
      ("\u{301}a.example", "its label \'\u{301}a\' can\'t be used: it begins with a combining mark"),
      (
        "a\u{200B}é\u{2028}.example",
        "its label 'a\u{200B}é\u{2028}' can't be used: it has a character that IDNA2008 doesn't allow there"
      ),
      ("１０.0.0.5", "it has digits of another script"),
      ("ü\u{0}.example", "a control character isn't allowed in a host"),
      (
        String(repeating: "ü", count: 70) + ".example",
        "its label '\(String(repeating: "ü", count: 70))' can't be used: as an A-label it is longer than 63 octets"
      ),
      ("😀.example", "its label '😀' can't be used: it has a character that IDNA2008 doesn't allow there"),
      ("10.0.0.05", "it looks like an IP address but isn't one in canonical form"),
    ])
  func refused(written: String, reason: String) {
    do {
      let host = try InternationalName.host(written)
      Issue.record("\(written) became \(host.text)")
    } catch {
      #expect(error.reason == reason)
    }
  }
}

import Testing

@testable import PinRules

/// Reading attributes back from RFC 4514 text.
@Suite struct DistinguishedNameTests {
  static let cases: [(text: String, organization: String?, commonName: String?)] = [
    ("CN=Example Root CA,O=Example Trust", "Example Trust", "Example Root CA"),
    (#"CN=Root\, G2,O=Starfield Technologies\, Inc.,C=US"#, "Starfield Technologies, Inc.", "Root, G2"),
    ("OU=Sales+CN=J.  Smith,O=Widget", "Widget", "J.  Smith"),
    (#"CN=Lu\C4\8Di\C4\87"#, nil, "Lučić"),
    (#"CN=Before\0DAfter,O=a\\"#, #"a\"#, "Before\rAfter"),
    (##"CN=1\+1\=2,O=\#x"##, "#x", "1+1=2"),
    ("cn=lower,o=case", "case", "lower"),
    ("", nil, nil),
    ("no attribute", nil, nil),
    (#"CN=broken\"#, nil, "broken"),
  ]

  @Test(arguments: cases)
  func attributes(_ test: (text: String, organization: String?, commonName: String?)) {
    let name = CertificateSubject(test.text)
    #expect(name.first("O") == test.organization)
    #expect(name.first("CN") == test.commonName)
  }
}

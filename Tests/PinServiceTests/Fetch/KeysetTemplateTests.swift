#if Service
import Testing

@testable import PinService

@Suite struct KeysetTemplateTests {
  @Test(arguments: [
    ("https://a.test/{version}.keyset.json", "https://a.test/7.keyset.json"),
    ("https://a.test:8443/k/v{version}?x=1", "https://a.test:8443/k/v7?x=1"),
    ("https://a.test/keyset?number={version}", "https://a.test/keyset?number=7"),
    ("https://[::1]/{version}", "https://[::1]/7"),
  ])
  func `the number is where the template says`(text: String, expected: String) throws {
    #expect(try KeysetTemplate(text, allowsPlainHTTP: false).address(of: 7).text == expected)
  }

  @Test(arguments: [
    ("https://a.test/keyset.json", "has no {version}"),
    ("https://a.test/{version}/{version}.json", "more than one {version}"),
    ("https://a.test/{Version}.json", "has no {version}"),
    ("https://a.test/{region}/{version}.json", "braces besides"),
    ("https://a.test/{{version}}.json", "braces besides"),
    ("https://{version}.test/keyset.json", "outside of its path"),
    ("https://a.test:{version}/keyset.json", "outside of its path"),
    ("https://a{version}@a.test/keyset.json", "user name"),
    ("https://a.test/keyset.json#{version}", "fragment"),
    ("http://a.test/{version}.json", "not an https URL"),
    ("{version}://a.test/", "is not a"),
    ("ftp://a.test/{version}", "not an https URL"),
    ("{version}", "not an https URL"),
    ("", "has no {version}"),
  ])
  func `a template that can't be used says why`(text: String, expected: String) {
    let error = #expect(throws: AddressError.self) { try KeysetTemplate(text, allowsPlainHTTP: false) }
    #expect(error?.message.contains(expected) == true, "\(error?.message ?? "taken")")
  }

  @Test func `plain http is taken where it is allowed, and what may be a secret is not shown`() throws {
    let template = try KeysetTemplate("http://a.test/{version}?token=secret", allowsPlainHTTP: true)
    #expect(template.shown == "http://a.test/{version}")
    #expect(try template.address(of: 2).shown == "http://a.test/2")
  }
}
#endif

import Testing

@testable import Diagnostics

/// The password of a URL is in no output.
@Suite struct CredentialsTests {
  @Test(arguments: [
    ("https://u:secret@h.test/p?q@r", "https://********@h.test/p?q@r"),
    (
      "can't read 'https://secret@h.test': no 'postgres://a:b@c'",
      "can't read 'https://******@h.test': no 'postgres://***@c'"
    ),
    ("https://a@b@h.test", "https://***@h.test"), ("http://é@h", "http://*@h"), ("x ://u@h", "x ://*@h"),
    ("://u@", "://*@"), ("https://u:secret@", "https://********@"),
    // Not credentials.
    ("https://h.test/u@p", "https://h.test/u@p"), ("https://h.test?u@p", "https://h.test?u@p"),
    ("https://h.test#u@p", "https://h.test#u@p"), ("https://h.test u@p", "https://h.test u@p"),
    ("'https://h.test' u@p", "'https://h.test' u@p"), ("security@example.com", "security@example.com"),
    ("git@h.test:p", "git@h.test:p"), (":// @", ":// @"), (":/", ":/"), ("@", "@"), ("", ""),
  ])
  func hiding(_ text: String, _ shown: String) {
    #expect(Credentials.hidden(in: text) == shown)
    #expect(VisibleText.of(text) == shown)
    // A mark under the line stays under what it marks.
    #expect(text.unicodeScalars.count == shown.unicodeScalars.count)
  }
}

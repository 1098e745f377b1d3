import PinFormat
import PinValidator
import Testing

@Suite("Which entry applies")
struct EntryChoiceTests {
  private func governing(_ host: String, _ port: UInt16, in manifest: LoadedManifest) throws -> String? {
    switch manifest.govern(host: host, port: port, at: try instant("2026-11-20")) {
    case .answered(let verdict): verdict.context.entry.flatMap { manifest.entryLabel($0) }
    case .pinned(let entry): manifest.entryLabel(entry.number)
    }
  }

  @Test("The most specific entry governs, and pins are never merged")
  func examples() throws {
    let manifest = try loaded(
      .sample(hosts: [
        .init("example.com", subdomains: true), .init("a.example.com"),
        .init("off.example.com", subdomains: true, .off),
        .init("p.example.com"), .init("p.example.com", port: 8443, subdomains: true),
        .init("q.example.com", port: 8443), .init("10.0.0.5"), .init("2001:db8::1", port: 443),
      ]))
    let cases: [(String, UInt16, String?)] = [
      ("example.com", 443, "example.com"), ("EXAMPLE.com.", 443, "example.com"), ("x.y.example.com", 1, "example.com"),
      ("notexample.com", 443, nil), ("com", 443, nil), ("example.com.evil.net", 443, nil),
      ("a.example.com", 443, "a.example.com"), ("b.a.example.com", 443, "example.com"),
      ("x.off.example.com", 443, "off.example.com"), ("a_b.example.com", 443, "example.com"),
      ("A_b.example.com", 443, "example.com"),
      ("p.example.com", 443, "p.example.com"), ("p.example.com", 8443, "p.example.com:8443"),
      ("x.p.example.com", 8443, "p.example.com:8443"), ("x.p.example.com", 443, "example.com"),
      // The exact host has only an entry for another port, so its parent's entry covers it.
      ("q.example.com", 443, "example.com"), ("q.example.com", 8443, "q.example.com:8443"),
      ("10.0.0.5", 443, "10.0.0.5"), ("::ffff:10.0.0.5", 443, "10.0.0.5"), ("[::ffff:a00:5]", 443, "10.0.0.5"),
      ("1.10.0.0.5.example.com", 443, "example.com"), ("10.0.0.6", 443, nil),
      ("2001:DB8:0::1", 443, "[2001:db8::1]:443"), ("[2001:db8::1]", 443, "[2001:db8::1]:443"),
      ("2001:db8::1", 444, nil),
    ]
    for (host, port, expected) in cases {
      #expect(try governing(host, port, in: manifest) == expected, "\(host):\(port)")
    }
  }
}

import Diagnostics
import TestSupport
import Testing

/// Names in few lines: no name is left out, and none is made up.
struct FoldedNamesTests {
  private static let rows: [([String], String)] = [
    (["a.example.com"], "a.example.com"),
    (["svc01.x", "svc02.x"], "svc01.x, svc02.x"),
    (["svc08.x", "svc09.x", "svc10.x"], "svc{08..10}.x"),
    (["s1.x", "s10.x", "s11.x", "s12.x", "s2.x", "s3.x"], "s{1..3}.x, s{10..12}.x"),
    (["s1.x", "s2.x", "s4.x", "s5.x", "s6.x", "s7.y"], "{s1, s2, s{4..6}}.x, s7.y"),
    (["a.x", "b.x", "c.x", "x"], "{a, b, c}.x, x"),
    (["*.a1.x", "*.a2.x", "*.a3.x", "a2.x"], "*.a{1..3}.x, a2.x"),
    (["a.x:1", "a.x:2", "b.x:2"], "a.x:1, a.x:2, b.x:2"),
    (["10.0.0.1", "10.0.0.2", "11.0.0.1", "[2001:db8::1]:80"], "10.0.0.1, 10.0.0.2, 11.0.0.1, [2001:db8::1]:80"),
    (["01.x", "02.x", "03.x", "1.x", "2.x"], "{{01..03}, 1, 2}.x"),
    (["99999999999999999999.x", "a"], "99999999999999999999.x, a"),
  ]

  @Test(arguments: rows)
  func few(names: [String], text: String) {
    let lines = FoldedNames.lines(names, width: 1_000)
    #expect(lines == [text])
    #expect(FoldedNames.names(in: lines).sorted() == names.sorted())
  }

  @Test func whatIsWrittenStandsForTheNames() {
    var chance = SeededGenerator(seed: 52)
    let parts = ["a", "b7", "svc", "svc-1", "*.s", "eu1-s", "host:s"]
    for _ in 0..<400 {
      var names: Set<String> = []
      for _ in 0..<Int.random(in: 1...60, using: &chance) {
        let number =
          Bool.random(using: &chance)
          ? "\(Int.random(in: 0...40, using: &chance))" : "0\(Int.random(in: 0...99, using: &chance))"
        let domain =
          [".x.example", ".example", "", ".x.example:443", ".x2.example"].randomElement(using: &chance) ?? ""
        names.insert((parts.randomElement(using: &chance) ?? "") + (Bool.random(using: &chance) ? number : "") + domain)
      }
      let lines = FoldedNames.lines(Array(names), width: 40)
      #expect(FoldedNames.names(in: lines).sorted() == names.sorted(), "\(lines)")
    }
  }

  @Test func manyNamesAreOneLine() {
    let names = (0..<4_000).map { "h\(10_000 + $0).example.com" }
    #expect(FoldedNames.lines(names, width: 100) == ["h{10000..13999}.example.com"])
  }
}

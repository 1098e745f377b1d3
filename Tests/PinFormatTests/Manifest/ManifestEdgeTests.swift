import PinFormat
import TestSupport
import Testing

/// Names, orders and counts at the edges of what is accepted.
@Suite("The edges of what a manifest may say")
struct ManifestEdgeTests {
  private static let pin = #"{"pin":"K5AviRHoGBj4yZ1dXZgxlXUE2Q6UXeLo9U7ngcx19jY="}"#
  private static let label = String(repeating: "a", count: 63)

  private static let hosts = [
    "a", "a.b", "a.1b", "a-b", "a--b", "1.b", "a.0xg", "xn--mnchen-3ya.de", label, label + ".b", "b." + label,
    "aaaaaaa.b", "aaaaaaaa.b", "aaaaaa-a.b", "aaaaaaa-a.b", "10.0.0.5", "2001:db8::1", "::1",
    [label, label, label, String(repeating: "b", count: 61)].joined(separator: "."),
  ]
  private static let noHosts = [
    "", "-a.b", "a-.b", "a.-b", "a.b-", "a..b", ".a", "a.", "-", ".", "a.1", "a.0x1", "1", "x_y", "A.b", "a b", "a:b",
    label + "a", label + "a.b", "b." + label + "a", "aaaaaaa-.b", "aaaaaaaa-.b", "aaaaaaa.-b", "aaaaaaaa.-b",
    "aaaaaaa.-b.c",
    "aaaaaaa..b", "aaaaaaaa..b", "aaaaaa..b", "aaaaaa.1", "aaaaaaa.1", "10.0.0.05", "[::1]", "2001:DB8::1", "*.a",
    [label, label, label, String(repeating: "b", count: 62)].joined(separator: "."), "xn--münchen.de",
  ]

  @Test("Hosts", arguments: hosts.map { ($0, true) } + noHosts.map { ($0, false) })
  func host(host: String, isHost: Bool) {
    for fields in ["", #","include-subdomains":1"#] {
      let isAddress = host.contains(":") || host == "10.0.0.5"
      let asked = #"{"host":"\#(host)"\#(fields),"key-set":"s","mode":"enforce"}"#
      expect(text(hosts: [entry("0.a"), asked]), isTaken: isHost && !(isAddress && !fields.isEmpty), host)
    }
  }

  private static let names = ["k", "7", "a.b", "a_b", "a-b", "a-", "host", "hosta", "host-a", label, label + "a"]
  private static let noNames = [
    "", "-k", ".k", "_k", "K", "kK", "k:", "k k", "kü", "k\\n", "k[", label + "aa", label + "aaaaaaaaa",
  ]

  @Test("Names of keys", arguments: names.map { ($0, true) } + noNames.map { ($0, false) })
  func key(name: String, isName: Bool) {
    let sets = #""s":{"active":["\#(name)"],"backup":["\#(name)"]}"#
    expect(text(hosts: [entry("a.b")], keySets: sets, keys: #""\#(name)":\#(Self.pin)"#), isTaken: isName, name)
  }

  private static let setNames =
    names
    + [
      "host:a", "host:a:1", "host:a.b:65535", "host:a.1b", "host:10.0.0.5", "host:10.0.0.5:443", "host:2001:db8::1",
      "host:::1", "host:::", "host:[2001:db8::1]:8443", "host:[::]:1", "host:" + hosts[18],
      "host:" + hosts[18] + ":65535",
    ]
  private static let noSetNames =
    noNames.filter { !$0.hasPrefix("host:") }
    + noHosts.filter { $0 != "a:b" }.map { "host:" + $0 }
    + [
      "hosta:", "host: ", "a:b", "[::1]", "host:a:", "host:a:0", "host:a:01", "host:a:65536", "host:a:100000",
      "host:a:b", "host:a:1:1", "host::", "host::1", "host::::", "host:[", "host:[:", "host:]:1", "host:[]:1",
      "host:[a]:1", "host:[10.0.0.5]:1", "host:[::1]", "host:[::1]:", "host:[::1]:0", "host:[::1:1", "host:::1]:1",
      "host:2001:DB8::1", "host:1:2:3:4:5:6:7:8:9", "host:[::ffff:10.0.0.5]:1",
    ]

  @Test("Names of key sets", arguments: setNames.map { ($0, true) } + noSetNames.map { ($0, false) })
  func keySet(name: String, isName: Bool) {
    let keys = #"{"active":["k"],"backup":["l"]}"#
    expect(text(hosts: [], keySets: #""\#(name)":"# + keys), isTaken: isName, name)
    // After another entry.
    let sets = [name, "s"].sorted().map { #""\#($0)":"# + keys }
    for host in ["a", "b"] {
      let entries = [entry("0.a"), entry(host, set: name)]
      expect(text(hosts: entries, keySets: sets.joined(separator: ",")), isTaken: isName, name)
    }
  }

  @Test("A name is found whole, not by its beginning", arguments: ["", "aaaaaa", "aaaaaaa", "aaaaaaaaaaaaaaa"])
  func wholeNames(stem: String) {
    let both = #""\#(stem)k":\#(Self.pin),"\#(stem)k1":\#(Self.pin)"#
    let longer = #""\#(stem)k1":\#(Self.pin)"#
    let keySet = #""\#(stem)k":{"active":["\#(stem)k"],"backup":["\#(stem)k1"]}"#
    let longerSet = #""\#(stem)k1":{"active":["\#(stem)k1"],"backup":["\#(stem)k1"]}"#
    for (set, other) in [(stem + "k", stem + "k"), (stem + "k1", stem + "k"), (stem + "k", stem + "k1")] {
      let hosts = [entry("a", set: set), entry("b", set: other)]
      expect(text(hosts: hosts, keySets: keySet + "," + longerSet, keys: both), isTaken: true, set)
      expect(text(hosts: hosts, keySets: longerSet, keys: longer), isTaken: false, set)
    }
    expect(text(hosts: [], keySets: keySet, keys: longer), isTaken: false, keySet)
  }

  @Test("Several ports of a host", arguments: [(443, 8_443, true), (443, 443, false), (443, 80, false), (0, 80, true)])
  func ports(first: Int, second: Int, isTaken: Bool) {
    func port(_ number: Int) -> String { number == 0 ? "" : #","port":\#(number)"# }
    for host in ["a", "b"] {
      let entries = ["a", "b", host].map { entry($0, rest: port(first)) } + [entry("b", rest: port(second))]
      // The last one is the third entry for `b`, or the second.
      expect(text(hosts: entries), isTaken: false, "\(entries)")
      expect(text(hosts: [entries[0], entries[1], entries[3]]), isTaken: isTaken, "\(entries)")
    }
  }

  @Test("Order and repetition", arguments: [("a", "b"), ("a", "a-"), ("a", "a.b"), ("a7", "aa"), ("7", "a")])
  func order(low: String, high: String) {
    for stem in ["", "aaaaaa", "aaaaaaa", "aaaaaaaa", "aaaaaaaaaaaaaa", "aaaaaaaaaaaaaaa"] {
      let one = stem + low
      let two = stem + high
      for (left, right) in [(one, two), (two, one), (one, one), (two, two)] {
        let isTaken = left == one && right == two
        let pair = #""\#(left)":\#(Self.pin),"\#(right)":\#(Self.pin)"#
        let members = #"{"active":["\#(left)","\#(right)"],"backup":["\#(left)","\#(right)"]}"#
        expect(text(hosts: [], keySets: "", keys: pair), isTaken: isTaken, pair)
        expect(text(hosts: [], keySets: #""s":"# + members, keys: pair), isTaken: isTaken, members)
        let only = #"{"active":["k"],"backup":["l"]}"#
        let sets = #""\#(left)":\#(only),"\#(right)":\#(only)"#
        expect(text(hosts: [], keySets: sets), isTaken: isTaken, sets)
        // Invalid host names are left out: those that end with a hyphen, and numbers.
        if !high.hasSuffix("-"), one != "7" {
          expect(text(hosts: [entry("0." + left), entry("0." + right)]), isTaken: isTaken, left)
          expect(text(hosts: [entry("0" + left), entry("0" + right)]), isTaken: isTaken, left)
        }
      }
    }
  }

  @Test("A set with as many keys as it may have, and with one more", arguments: [(1_024, true), (1_025, false)])
  func keysOfASet(count: Int, isTaken: Bool) {
    let names = (10_000..<10_000 + count).map { #""k\#($0)""# }
    let keys = names.map { $0 + ":" + Self.pin }.joined(separator: ",")
    for active in [1, count / 2, count - 1] {
      let (first, rest) = (names[..<active].joined(separator: ","), names[active...].joined(separator: ","))
      let sets = #""s":{"active":[\#(first)],"backup":[\#(rest)]}"#
      expect(text(hosts: [entry("a"), entry("b")], keySets: sets, keys: keys), isTaken: isTaken, "\(active)")
    }
  }

  @Test("A question is in canonical form where making it canonical changes nothing", arguments: 0..<8)
  func questions(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4_000 {
      let length = random.below(random.once(in: 4) ? 80 : 20)
      let text = (0..<length).map { _ in
        random.pick(Array((random.once(in: 9) ? "aZ_:\"[\u{0}~é0x" : "abz019.-").utf8))
      }
      var isCanonical = false
      if let host = try? CanonicalHost(text.span, isQuestion: true) {
        isCanonical = host.kind == .name && host.equals(text.span)
      }
      #expect(CanonicalHost.isCanonicalName(text.span, isQuestion: true) == isCanonical, "\(text)")
    }
  }

  // MARK: Support

  /// What is taken is also the one encoding of what it says.
  @Test("A manifest that is cut off anywhere is an error")
  func cutOff() {
    let whole = text(
      hosts: [entry("a.b", set: "host:a.b")], keySets: #""host:a.b":{"active":["k"],"backup":["l"]}"#)
    for count in 0...whole.count { expect(Array(whole[..<count]), isTaken: count == whole.count, "\(count) bytes") }
  }

  private func expect(_ bytes: [UInt8], isTaken: Bool, _ what: String) {
    do throws(FormatError) {
      let tables = try ManifestReader.read(bytes, signed: bytes.indices)
      #expect(isTaken, "\(what)")
      #expect(tables.signedBytes() == bytes, "\(what)")
    } catch {
      #expect(!isTaken, "\(what): \(error)")
    }
  }

  private func entry(_ host: String, set: String = "s", rest: String = "") -> String {
    #"{"host":"\#(host)","key-set":"\#(set)","mode":"enforce"\#(rest)}"#
  }

  private func text(
    hosts: [String], keySets: String = #""s":{"active":["k"],"backup":["l"]}"#,
    keys: String = #""k":\#(pin),"l":\#(pin)"#
  ) -> [UInt8] {
    let text =
      #"{"audience":"x","expires":"2027-01-01T00:00:00Z","hosts":[\#(hosts.joined(separator: ","))],"#
      + #""issued":"2026-01-01T00:00:00Z","key-sets":{\#(keySets)},"keys":{\#(keys)},"on-stale":"enforce","#
      + #""provenance":{"compiler":"x","sources":"\#(String(repeating: "0", count: 64))"},"#
      + #""refresh-after":"2026-06-01T00:00:00Z","serial":1,"type":"\#(Manifest.mediaType)","#
      + #""unpinned-hosts":"allow","version":1}"#
    return Array(text.utf8)
  }
}

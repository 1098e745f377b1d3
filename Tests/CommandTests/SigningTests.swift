import Foundation
import OpenSSLKit
import PinFormat
import TestSupport
import Testing

/// `pintle sign` where a person sits in front of it, and where what they read was written by somebody hostile.
@Suite("Signing")
struct SigningTests {
  private static let day = "--at 2026-11-22"

  /// A draft in a folder of its own.
  private static func draft() throws -> Workplace {
    let place = try Workplace()
    let built = try place.run("pintle build policies -o draft.json --unsigned --serial 1 --issued-at 2026-11-21")
    try #require(built.status == 0, "\(built.stderrText)")
    return place
  }

  @Test("asks on a terminal, and takes nothing but yes for yes", arguments: ["", "y", "YES"])
  func declines(answer: String) throws {
    let place = try Self.draft()
    let before = try place.read("draft.json")
    let terminal = try Terminal(columns: 120, rows: 80, in: place.path)
    try terminal.run("\(place.tool) sign draft.json --sign-key signing/release.key \(Self.day); echo \"ended $?\"")
    let shown = try terminal.wait { $0.contains("Sign this? Type yes:") }
    // Everything that will be signed is shown before the prompt, and nothing is signed yet.
    #expect(shown.contains("to be signed: test serial 1, which says that it is the first release"))
    #expect(shown.contains("HOSTS (4)"))
    #expect(try place.read("draft.json") == before)
    try terminal.type(answer, "Enter")
    let end = try terminal.wait { $0.contains("ended ") }
    #expect(end.contains("not signed: the answer wasn't yes"))
    #expect(end.contains("ended 1"))
    #expect(try place.read("draft.json") == before)
  }

  @Test("goes on where the answer is yes")
  func accepts() throws {
    let place = try Self.draft()
    let terminal = try Terminal(columns: 120, rows: 80, in: place.path)
    try terminal.run("\(place.tool) sign draft.json --sign-key signing/release.key \(Self.day); echo \"ended $?\"")
    _ = try terminal.wait { $0.contains("Sign this? Type yes:") }
    try terminal.type("yes", "Enter")
    let end = try terminal.wait { $0.contains("ended ") }
    #expect(end.contains("signed by 7a66cb8f"))
    #expect(end.contains("ended 0"))
    let verified = try place.run("pintle verify draft.json --key signing/release.key.pub \(Self.day)")
    #expect(verified.status == 0, "\(verified.stderrText)")
  }

  @Test("asks nothing on a terminal with --yes")
  func yes() throws {
    let place = try Self.draft()
    let terminal = try Terminal(columns: 120, rows: 80, in: place.path)
    try terminal.run(
      "\(place.tool) sign draft.json --sign-key signing/release.key --yes \(Self.day); echo \"ended $?\"")
    let end = try terminal.wait { $0.contains("ended ") }
    #expect(end.contains("ended 0"))
    #expect(!end.contains("Sign this?"))
  }

  /// The review takes time: a signature that somebody adds to the file meanwhile isn't overwritten.
  @Test("writes nothing over a file that changed while it was shown")
  func changedMeanwhile() throws {
    let place = try Self.draft()
    let terminal = try Terminal(columns: 120, rows: 80, in: place.path)
    try terminal.run("\(place.tool) sign draft.json --sign-key signing/release.key \(Self.day); echo \"ended $?\"")
    _ = try terminal.wait { $0.contains("Sign this? Type yes:") }
    let other = try place.run("pintle sign draft.json --sign-key signing/second.key \(Self.day)")
    #expect(other.status == 0, "\(other.stderrText)")
    let between = try place.read("draft.json")
    try terminal.type("yes", "Enter")
    let end = try terminal.wait { $0.contains("ended ") }
    #expect(end.contains("somebody changed it meanwhile"))
    #expect(end.contains("ended 1"))
    #expect(try place.read("draft.json") == between)
  }

  /// What a terminal would do on its own: move, hide, colour, rename the window, turn the direction of writing.
  private static let hostile =
    "\u{1B}[2J\u{1B}[1;1Hnothing changes\r\u{1B}]0;x\u{7}\u{9B}31m\u{202E}gnp\u{200B}\u{85}\u{2028}"

  private static func hostileManifest(serial: Int64, previous: SHA256Digest?) throws -> Manifest {
    let issued = try #require(Instant(written: "2026-11-21"))
    let pin = Pin(SHA256Digest(try SHA256.digest(of: [1])))
    return Manifest(
      audience: "test" + hostile, serial: serial, issued: issued, refreshAfter: issued,
      expires: issued.adding(seconds: 86_400 * 30), onStale: .enforce, previous: previous,
      provenance: .init(sources: SHA256Digest(try SHA256.digest(of: [])), commit: nil, compiler: "pintle" + hostile),
      unpinnedHosts: .allow, drasticChange: previous == nil ? nil : "because" + hostile,
      keys: [
        .init(name: "a", pin: pin, position: nil, denied: nil),
        .init(
          name: "gone", pin: Pin(SHA256Digest(try SHA256.digest(of: [UInt8(serial)]))), position: nil,
          denied: "why" + hostile),
      ], keySets: [.init(name: "set", active: ["a"], backup: [])], certificates: [],
      hosts: [
        .init(
          host: try HostName(canonicalising: "a.example.com"), port: nil, includeSubdomains: false, mode: .enforce,
          keySet: "set", requirement: .any, expires: issued.adding(seconds: 86_400 * 400), onExpiry: .enforce,
          reportURIs: [],
          trust: previous == nil
            ? nil
            : .init(exceptions: [
              .init(
                failure: .expired, certificate: SHA256Digest(try SHA256.digest(of: [2])),
                until: issued.adding(seconds: 86_400), reason: "vendor" + hostile)
            ]))
      ])
  }

  /// A manifest of many hosts, each of which has an expiry of its own.
  private static func wide(
    _ count: Int, mode: Mode, serial: Int64, previous: SHA256Digest?, later seconds: Int64
  ) throws -> Manifest {
    let issued = try #require(Instant(written: "2026-11-21"))
    let names = (0..<count).map { "key-\(10_000 + $0)" }
    return Manifest(
      audience: "test", serial: serial, issued: issued, refreshAfter: issued,
      expires: issued.adding(seconds: 86_400 * 30), onStale: .enforce, previous: previous,
      provenance: .init(sources: SHA256Digest(try SHA256.digest(of: [])), commit: nil, compiler: "pintle"),
      unpinnedHosts: .allow,
      keys: try names.map {
        .init(name: $0, pin: Pin(SHA256Digest(try SHA256.digest(of: Array($0.utf8)))), position: nil, denied: nil)
      }, keySets: [.init(name: "set", active: names, backup: [])], certificates: [],
      hosts: try (0..<count).map { number in
        .init(
          host: try HostName(canonicalising: "h\(10_000 + number).example.com"), port: nil, includeSubdomains: false,
          mode: mode, keySet: "set", requirement: .any,
          expires: issued.adding(seconds: 86_400 * Int64(400 + number) + seconds), onExpiry: .enforce, reportURIs: [],
          trust: nil)
      })
  }

  /// A diff lists only the first of many keys; a signer sees each of them, with its whole pin.
  @Test("leaves nothing out, however much changes")
  func wholeComparison() throws {
    let place = try Workplace()
    let first = try Self.wide(120, mode: .enforce, serial: 1, previous: nil, later: 0)
    try place.write(SignatureEnvelope.encode(signed: first.signedBytes(), signatures: []), to: "1.json")
    #expect(try place.run("pintle sign 1.json --sign-key signing/release.key \(Self.day)").status == 0)
    let digest = SHA256Digest(try SHA256.digest(of: first.signedBytes()))
    for (mode, later) in [(Mode.reportOnly, 0), (.enforce, 1)] as [(Mode, Int64)] {
      let second = try Self.wide(119, mode: mode, serial: 2, previous: digest, later: later)
      try place.write(SignatureEnvelope.encode(signed: second.signedBytes(), signatures: []), to: "2.json")
      let sign = "pintle sign 2.json --sign-key signing/release.key --against 1.json --key signing/release.key.pub"
      let grouped = try place.run("\(sign) \(Self.day)").stderrText
      #expect(grouped.contains("h{10000..10118}.example.com") == (mode == .reportOnly), "\(grouped)")
      #expect(grouped.contains("h10007.example.com") == (mode == .enforce), "\(grouped)")
      let shown = try place.run("\(sign) --full \(Self.day)")
      #expect(shown.status == 0, "\(shown.stderrText)")
      let text = shown.stderrText
      for entry in first.hosts { #expect(text.contains(entry.label), "\(mode) \(entry.label)") }
      let gone = try #require(first.keys.last)
      #expect(text.contains("  - \(gone.name) (\(gone.pin))\n"))
      let changes = try #require(text.firstRange(of: "signatures: ").map { text[..<$0.lowerBound] })
      #expect(!changes.contains("more") && !changes.contains("…"), "\(text)")
    }
  }

  @Test("shows no text of a manifest as it is")
  func hostileText() throws {
    let place = try Workplace()
    let first = try Self.hostileManifest(serial: 1, previous: nil)
    try place.write(SignatureEnvelope.encode(signed: first.signedBytes(), signatures: []), to: "1.json")
    let digest = SHA256Digest(try SHA256.digest(of: first.signedBytes()))
    let second = try Self.hostileManifest(serial: 2, previous: digest)
    try place.write(SignatureEnvelope.encode(signed: second.signedBytes(), signatures: []), to: "2.json")
    var other = second
    other.audience = "other" + Self.hostile
    try place.write(SignatureEnvelope.encode(signed: other.signedBytes(), signatures: []), to: "3.json")

    let against = "--against 1.json --key signing/release.key.pub"
    let commands = [
      ("pintle show 2.json", 0),
      ("pintle sign 1.json --sign-key signing/release.key \(Self.day)", 0),
      ("pintle sign 2.json --sign-key signing/release.key \(Self.day) \(against)", 0),
      ("pintle sign 2.json --sign-key signing/second.key \(Self.day) --without-comparison", 0),
      ("pintle sign 2.json --sign-key signing/release.key \(Self.day) \(against) --audience 'te\u{1B}st'", 6),
      ("pintle sign 3.json --sign-key signing/release.key \(Self.day) \(against)", 6),
      ("pintle sign 2.json --sign-key signing/release.key \(against) --at 2027-06-01", 6),
    ]
    for (command, status) in commands {
      let result = try place.run(command)
      #expect(result.status == status, "\(command): \(result.stderrText)")
      let text = result.stdoutText + result.stderrText
      let raw = text.unicodeScalars.filter { Self.hostile.unicodeScalars.contains($0) && !$0.isASCII || $0.value < 32 }
      #expect(raw.allSatisfy { $0 == "\n" }, "\(command): \(raw.map(\.value))")
      if status == 0 { #expect(text.contains("<U+001B>[2J"), "\(command)") }
      // The exception of the entry's trust is shown completely, with and without a comparison.
      if command.contains("sign 2.json"), status == 0 { #expect(text.contains("vendor<U+001B>"), "\(command)") }
    }
  }
}

import TestSupport
import Testing

/// `pintle probe --network`: what a hosted runner asks, and what it leaves to one inside.
@Suite("Probing one network")
struct ProbeNetworkTests {
  @Test("a hosted runner leaves internal hosts out, lists them, and succeeds; one inside probes them")
  func leavesOut() throws {
    let scene = try ProbeScene(["api.test", "db.api.test", "10.0.0.5"])
    let server = try scene.serve(scene.right)
    defer { _ = server }
    // Only the first is given an address; nothing else may be connected to.
    let address = "--connect-to api.test::127.0.0.1:\(scene.port)"
    let hosted = try scene.probe("\(address) --network public --record e.json", at: [])
    #expect(hosted.status == 0, "\(hosted.stdoutText)\(hosted.stderrText)")
    #expect(hosted.stderrText.contains("left out 2 hosts that are not public: 10.0.0.5:443, db.api.test:443\n"))
    #expect(try !scene.place.read("e.json").contains("10.0.0.5"))
    // The record is reported as often as it takes, and each report lists them.
    for format in ["markdown", "github"] {
      let shown = try scene.place.run(
        "pintle probe live --replay e.json --at 2026-11-22 --network public --format \(format)")
      #expect(shown.status == 0, "\(shown.stdoutText)")
      #expect(shown.stdoutText.contains("left out 2 hosts that are not public: 10.0.0.5"), "\(shown.stdoutText)")
    }
    let inside = try scene.probe("--network internal --host db.api.test --record i.json")
    #expect(inside.status == 0, "\(inside.stdoutText)\(inside.stderrText)")
    #expect(try scene.place.read("i.json").contains("db.api.test"))
  }

  @Test("a policy without any host of the network is nothing to fail for")
  func nothing() throws {
    let scene = try ProbeScene(["db.corp"])
    let hosted = try scene.probe("--network public --record e.json", at: [])
    #expect(hosted.status == 0, "\(hosted.stderrText)")
    #expect(hosted.stderrText == "left out 1 host that is not public: db.corp:443\n")
    #expect(try scene.place.run("test -e e.json").status == 1)
  }

  /// Anybody who can open a pull request can name a host of their own, and say in DNS that it is a machine inside.
  @Test("a public name that DNS leads inside is left out, and nobody connects to it")
  func rebound() throws {
    let scene = try ProbeScene(["evil.example.com"])
    let server = try scene.serve(scene.right)
    defer { _ = server }
    let names = try DnsmasqServer(records: ["evil.example.com": ["127.0.0.1"]], zones: ["example.com"])
    let arguments = "--resolver 127.0.0.1:\(names.port) --port \(scene.port) --record e.json"
    let hosted = try scene.probe("\(arguments) --network public", at: [])
    #expect(hosted.status == 0, "\(hosted.stdoutText)\(hosted.stderrText)")
    #expect(hosted.stderrText.contains("left out 1 host that is not public: evil.example.com:\(scene.port)"))
    #expect(try !scene.place.read("e.json").contains("evil"))
    // Without the option, it is probed.
    _ = try scene.probe(arguments, at: [])
    #expect(try scene.place.read("e.json").contains("\"address\":\"127.0.0.1\""))
  }
}

import Foundation
import TestSupport
import Testing

/// `pintle probe` against real servers on loopback.
struct ProbeTests {
  @Test func aPolicyThatHolds() throws {
    let scene = try ProbeScene()
    let servers = [try scene.serve(scene.right, on: 1), try scene.serve(scene.right, on: 2)]
    let result = try scene.probe(at: [1, 2])
    #expect(result.status == 0, "\(result.stdoutText)\(result.stderrText)")
    #expect(
      result.stdoutText.contains("the policy holds on 1 host at 2 addresses under 1 trust store"),
      "\(result.stdoutText)")
    #expect(result.stderrText.isEmpty)
    withExtendedLifetime(servers) {}
  }

  @Test func anAddressWithAnotherKeyIsNamed() throws {
    let scene = try ProbeScene()
    let servers = [try scene.serve(scene.right, on: 1), try scene.serve(scene.impostor, on: 2)]
    let result = try scene.probe(at: [1, 2])
    #expect(result.status == 4, "\(result.stderrText)")
    #expect(result.stdoutText.contains("[P520]"), "\(result.stdoutText)")
    #expect(result.stdoutText.contains("127.0.0.2"), "\(result.stdoutText)")
    #expect(result.stdoutText.contains("the policy does not hold on 1 host at 2 addresses"))
    withExtendedLifetime(servers) {}
  }

  @Test func aServerThatCannotBeAsked() throws {
    let scene = try ProbeScene(["api.test", "www.api.test"])
    let server = try scene.serve(scene.right)
    let nobody = "--connect-to www.api.test::127.0.0.3:\(scene.port)"
    let result = try scene.probe(nobody)
    #expect(result.status == 5, "\(result.stdoutText)\(result.stderrText)")
    #expect(result.stdoutText.contains("error: ") && result.stdoutText.contains("[P531]"), "\(result.stdoutText)")
    #expect(
      result.stdoutText.contains(
        "of 2 hosts at 2 addresses, the policy holds on 1 under 1 trust store; 1 could not be probed"))

    for least in ["1", "50%"] {
      let enough = try scene.probe(nobody + " --min-success " + least)
      #expect(enough.status == 0, "\(enough.stdoutText)")
      #expect(enough.stdoutText.contains("warning: ") && enough.stdoutText.contains("[P531]"))
    }
    withExtendedLifetime(server) {}
  }

  /// A key that isn't pinned is graver than a server that isn't there.
  @Test func theGravestStatusIsGiven() throws {
    let scene = try ProbeScene(["api.test", "www.api.test"])
    let server = try scene.serve(scene.impostor)
    let result = try scene.probe("--connect-to www.api.test::127.0.0.3:\(scene.port)")
    #expect(result.status == 4)
    #expect(result.stdoutText.contains("[P531]") && result.stdoutText.contains("[P520]"), "\(result.stdoutText)")
    withExtendedLifetime(server) {}
  }

  @Test func replayingSaysTheSame() throws {
    let scene = try ProbeScene(["api.test", "www.api.test"])
    let servers = [try scene.serve(scene.right, on: 1), try scene.serve(scene.impostor, on: 2)]
    for format in ["text", "json", "markdown"] {
      let other = "--host api.test --host other.api.test --format \(format)"
      for arguments in ["--format \(format)", other] {
        let live = try scene.probe("--record e.json \(arguments)", at: [1, 2])
        let replay = try scene.place.run(
          "pintle probe live --replay e.json --at 2026-11-22 --format \(format)"
            + (arguments == other ? " --host api.test --host other.api.test" : ""))
        #expect(live.status == 4)
        #expect(replay.status == live.status)
        #expect(replay.stdoutText == live.stdoutText)
        #expect(!replay.stdoutText.isEmpty)
      }
    }
    withExtendedLifetime(servers) {}
  }

  /// What a record doesn't hold isn't fine.
  @Test func aRecordOfNothingIsNoAnswer() throws {
    let scene = try ProbeScene()
    let server = try scene.serve(scene.right)
    #expect(try scene.probe("--record e.json").status == 0)
    let replay = "--at 2026-11-22 --replay"
    let mistyped = try scene.place.run("pintle probe live \(replay) e.json --host api.test --host apj.test:443")
    #expect(mistyped.status == 5)
    #expect(mistyped.stderrText.contains("'apj.test:443' isn't in 'e.json'"), "\(mistyped.stderrText)")
    let empty =
      #"{"begun":"2026-11-21T00:00:00Z","ended":"2026-11-21T00:00:00Z","stores":{"system":[]},"tool":"t","#
      + #""type":"application/vnd.pintle.evidence+json","version":1}"#
    try scene.place.write(Array(empty.utf8), to: "empty.json")
    let nothing = try scene.place.run("pintle probe live \(replay) empty.json")
    #expect(nothing.status == 5, "\(nothing.stderrText)")
    #expect(nothing.stdoutText.contains("no host was probed"), "\(nothing.stdoutText)")
    withExtendedLifetime(server) {}
  }

  @Test func shardsMakeAWhole() throws {
    let hosts = (1...9).map { "h\($0).api.test" }
    let scene = try ProbeScene(hosts)
    let server = try scene.serve(scene.right)
    for number in 1...3 {
      let result = try scene.probe("--shard \(number)/3 --record \(number).json")
      #expect(result.status == 0, "\(result.stdoutText)\(result.stderrText)")
      #expect(result.stdoutText.contains("shard \(number) of 3"))
    }
    let merged = try scene.place.run("pintle evidence merge 1.json 2.json 3.json -o all.json")
    try #require(merged.status == 0, "\(merged.stderrText)")
    let all = try scene.place.run("pintle probe live --replay all.json --at 2026-11-22")
    #expect(all.status == 0)
    #expect(all.stdoutText.contains("the policy holds on 9 hosts at 9 addresses"), "\(all.stdoutText)")
    #expect(!all.stdoutText.contains("[P538]"))
    withExtendedLifetime(server) {}
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsItWithWhatIsKnown(number: Int32) throws {
    let scene = try ProbeScene(["api.test", "mute.api.test"])
    let server = try scene.serve(scene.right)
    let mute = try MuteServer()
    let command = scene.command("--timeout 600 --record e.json --connect-to mute.api.test::127.0.0.1:\(mute.port)")
    let process = try scene.place.start(command, output: "said")
    #expect(mute.waitForConnection())
    kill(process.processIdentifier, number)
    process.waitUntilExit()
    let said = try scene.place.read("said")
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 5, "\(said)")
    #expect(said.contains("stopped early"), "\(said)")
    #expect(try scene.place.read("e.json").contains(#""partial":1"#))
    let shown = try scene.place.run("pintle show e.json")
    #expect(shown.status == 0)
    #expect(!shown.stdoutText.contains("mute.api.test"), "\(shown.stdoutText)")
    withExtendedLifetime(server) {}
  }

  @Test func aRecordThatCannotBeWrittenIsSaidAndTheFindingsAreShown() throws {
    let scene = try ProbeScene()
    let server = try scene.serve(scene.impostor)
    let noFolder = try scene.probe("--record nowhere/e.json")
    #expect(noFolder.status == 1)
    #expect(noFolder.stdoutText.isEmpty)
    #expect(noFolder.stderrText.contains("nowhere/e.json"), "\(noFolder.stderrText)")
    // That it is a folder is noticed only when writing.
    let folder = try scene.probe("--record live")
    #expect(folder.status == 1)
    #expect(folder.stdoutText.contains("[P520]"))
    #expect(folder.stderrText.contains("live"), "\(folder.stderrText)")
    withExtendedLifetime(server) {}
  }

  @Test func aPolicyWithErrorsAsksNobody() throws {
    let scene = try ProbeScene(["api.test", "api.test"])
    let mute = try MuteServer()
    let result = try scene.place.run(scene.command(port: mute.port))
    #expect(result.status == 2)
    #expect(result.stdoutText.isEmpty)
    #expect(result.stderrText.contains("it can't be checked against the servers"), "\(result.stderrText)")
  }

  @Test func withoutAPolicyTrustAloneIsLookedAt() throws {
    let scene = try ProbeScene()
    let server = try scene.serve(scene.impostor)
    _ = try scene.place.run("rm -r policies")
    let common = "pintle probe --host api.test --connect-to ::127.0.0.1:\(scene.port) --at 2026-11-22"
    let trusted = try scene.place.run(common + " --trust-store system=root.pem")
    #expect(trusted.status == 0, "\(trusted.stdoutText)")
    #expect(trusted.stderrText.contains("only trust is evaluated"))
    let untrusted = try scene.place.run(common + " --trust-store corp=root.pem")
    #expect(untrusted.status == 4, "\(untrusted.stdoutText)")
    #expect(untrusted.stdoutText.contains("probed hosts:1:1: error: "), "\(untrusted.stdoutText)")
    #expect(untrusted.stdoutText.contains("system"))
    withExtendedLifetime(server) {}
  }

  /// As in a system's bundle: with an intermediate alone, no path would end anywhere.
  @Test func onlyRootsOfATrustStoreAreAnchors() throws {
    let scene = try ProbeScene()
    let server = try scene.serve(scene.right)
    try scene.place.write(scene.right.pem, to: "other.pem")
    try scene.place.write(scene.root.pem + scene.right.pem, to: "both.pem")
    let common = "pintle probe live --connect-to ::127.0.0.1:\(scene.port) --at 2026-11-22 --trust-store system="
    let both = try scene.place.run(common + "both.pem")
    #expect(both.status == 0, "\(both.stdoutText)")
    #expect(both.stderrText.contains("1 certificate of the trust store 'both.pem' isn't a root"), "\(both.stderrText)")
    let other = try scene.place.run(common + "other.pem")
    #expect(other.status == 1 && other.stdoutText.isEmpty)
    #expect(other.stderrText.contains("the trust store 'other.pem' has no root"), "\(other.stderrText)")
    withExtendedLifetime(server) {}
  }

  @Test func offersCanBeNarrowed() throws {
    let scene = try ProbeScene()
    let server = try scene.serve(scene.right)
    for (arguments, handshakes) in [("", 2), ("--tls-version 1.3", 1), ("--key-type ecdsa --tls-version 1.2", 1)] {
      let result = try scene.probe(arguments)
      #expect(result.status == 0, "\(result.stdoutText)")
      #expect(result.stdoutText.contains(handshakes == 1 ? "1 handshake," : "\(handshakes) handshakes,"))
    }
    withExtendedLifetime(server) {}
  }

  /// The proxy is used unless NO_PROXY excludes the host, and is asked for the address of the command line.
  @Test func aProxyOfTheEnvironmentIsUsed() throws {
    let scene = try ProbeScene()
    let server = try scene.serve(scene.right)
    let proxy = try TinyproxyServer(connectingTo: scene.port)
    let through = "HTTPS_PROXY=http://127.0.0.1:\(proxy.port) "
    let used = try scene.place.run(through + scene.command())
    #expect(used.status == 0, "\(used.stdoutText)\(used.stderrText)")

    // A missing proxy shows whether it is used.
    let nowhere = "HTTPS_PROXY=http://127.0.0.1:\(try freePort()) "
    let refused = try scene.place.run(nowhere + scene.command())
    #expect(refused.status == 5, "\(refused.stdoutText)")
    #expect(refused.stdoutText.contains("the proxy refuses connections [P536]"), "\(refused.stdoutText)")
    let spared = try scene.place.run(nowhere + "NO_PROXY=api.test " + scene.command())
    #expect(spared.status == 0, "\(spared.stdoutText)")

    // Without an address the proxy gets the name, which doesn't exist in DNS.
    let unknown = try scene.place.run(
      through + "pintle probe live --trust-store system=root.pem --at 2026-11-22 --port \(scene.port)")
    #expect(unknown.status == 5, "\(unknown.stdoutText)")
    #expect(unknown.stdoutText.contains("[P536]"), "\(unknown.stdoutText)")
    withExtendedLifetime((server, proxy)) {}
  }

  /// Stores of the command line are judged under besides those of the record.
  @Test func aReplayCanTakeFurtherTrustStores() throws {
    let scene = try ProbeScene()
    let server = try scene.serve(scene.right)
    #expect(try scene.probe("--record e.json").status == 0)
    let pki = try TestPKI()
    try scene.place.write(try pki.issue(.authority("Other Root")).pem, to: "other.pem")
    let replay = "pintle probe live --replay e.json --at 2026-11-22"
    let same = try scene.place.run(replay + " --trust-store corp=root.pem")
    #expect(same.status == 0)
    #expect(same.stdoutText.contains("under 2 trust stores"), "\(same.stdoutText)")
    let other = try scene.place.run(replay + " --trust-store corp=other.pem")
    #expect(other.status == 4)
    #expect(other.stdoutText.contains("'corp'"), "\(other.stdoutText)")
    withExtendedLifetime(server) {}
  }
}

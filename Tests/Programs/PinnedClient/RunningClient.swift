import PinFormat
import PinProbe
import PinValidator
import Synchronization

/// A store with a shipped keyset, and the folder that it takes releases from.
final class RunningClient: Sendable {
  private let store: PinStore
  private let keysets: KeysetFolder
  private let manifest: ManifestFile
  private let endpoint: Endpoint
  private let clock: Clock

  /// The time that the last question gave.
  private final class Clock: Sendable {
    let instant = Mutex(Instant.earliest)
  }

  init(_ options: Options) {
    let clock = Clock()
    self.clock = clock
    do {
      let shipped = try WholeFile.read(options["--keyset"], limit: TrustedKeyset.maximumBytes)
      let keyset = try TrustedKeyset.load(shipped: shipped, audience: "production")
      var settings = PinStoreSettings(keyset: keyset, withoutManifest: .block)
      settings.directory = options["--state"]
      settings.anchors = try TrustAnchors([WholeFile.read(options["--anchors"], limit: 1 << 20)])
      settings.clock = { clock.instant.withLock { $0 } }
      store = PinStore(settings)
    } catch {
      fail("\(error)")
    }
    for problem in store.startup.problems { print("problem: \(problem)") }
    guard let endpoint = Endpoint(options["--connect"]) else { fail("--connect takes ADDRESS:PORT") }
    self.endpoint = endpoint
    keysets = KeysetFolder(path: options["--releases"], store: store)
    manifest = ManifestFile(path: options["--releases"] + "/manifest.json", store: store)
  }

  /// Answers `HOST INSTANT`: what was taken or refused of the releases, and what came of a connection.
  func answer(_ question: String) -> String {
    let words = question.split(separator: " ").map(String.init)
    guard words.count == 2, let instant = Instant(written: words[1]) else { return "pinned-client: wrong question\n" }
    clock.instant.withLock { $0 = instant }
    return (takeKeysets() + takeManifest() + [decide(on: words[0])] + warnings()).map { $0 + "\n" }.joined()
  }

  private func takeKeysets() -> [String] {
    do {
      return try keysets.checkForChange().map { activation in
        switch activation {
        case .activated(let keyset, _): "took keyset \(keyset.version)"
        case .unchanged(let keyset): "kept keyset \(keyset.version)"
        }
      }
    } catch {
      return ["refused a keyset: \(error) [\(error.code)]"]
    }
  }

  private func takeManifest() -> [String] {
    do {
      guard case .activated(let manifest, _) = try manifest.checkForChange() else { return [] }
      return ["took manifest \(manifest.serial)"]
    } catch {
      return ["refused the manifest: \(error) [\(error.code)]"]
    }
  }

  private func decide(on host: String) -> String {
    let exchange: Exchange
    do {
      exchange = try Handshake.perform(with: endpoint, serverName: host, by: Deadline(after: .seconds(10)))
    } catch {
      return "no answer: \(error.message)"
    }
    let decision = store.evaluate(
      PeerHandshake(host: host, port: 443, certificates: exchange.servedChain, tlsVersion: exchange.tlsVersion))
    guard let manifest = decision.manifest else { return "\(decision.verdict.kind): no manifest is in force" }
    return "\(manifest.describe(decision.verdict)) (manifest \(manifest.serial), keyset \(store.keyset?.version ?? 0))"
  }

  private func warnings() -> [String] {
    let status = store.status
    var lines: [String] = []
    if !status.isEndorsed { lines.append("warning: the manifest in force isn't endorsed by the keyset") }
    if status.isKeysetExpired { lines.append("warning: the keyset has expired") }
    return lines
  }
}

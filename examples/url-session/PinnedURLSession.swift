#if CryptoKit
import PinURLSession
import PinValidator

#if canImport(Security)
import Foundation
#else
import AppleStandIn
import Foundation
#endif

/// URLSession on Apple's platforms: fetches pages, and prints what was decided about each.
@main struct Client {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count > 3 else {
      print("usage: pinned-url-session MANIFEST KEY AUDIENCE URL...")
      return
    }
    let paths = arguments.prefix(2).map { Array(FileManager.default.contents(atPath: $0) ?? Data()) }
    let sessions = try sessions(manifest: paths[0], key: paths[1], audience: arguments[3])
    for text in arguments.dropFirst(3) {
      guard let url = URL(string: text) else { continue }
      do {
        let (data, _) = try await sessions.session(for: url).data(from: url)
        print("  \(url): \(data.isEmpty ? "empty" : "loaded")")
      } catch {
        print("  \(url): not loaded")
      }
    }
  }

  static func sessions(manifest: [UInt8], key: [UInt8], audience: String) throws -> ExperimentalPinnedSessions {
    var settings = PinStoreSettings(
      signers: try TrustedSigners(publicKeys: [key], threshold: 1), audience: audience, withoutManifest: .block)
    settings.embedded = manifest
    settings.observers = [
      { handshake, decision, _ in
        print("\(handshake.host): \(decision.verdict.kind.rawValue), \(decision.verdict.reasonCode)")
      }
    ]
    let store = PinStore(settings)
    for problem in store.startup.problems { print(problem.description) }
    return try ExperimentalPinnedSessions(
      configuration: .ephemeral, delegate: ExperimentalPinnedDelegate(store: store))
  }
}
#else
@main struct Unbuilt {
  static func main() { print("Needs an Apple platform: docs/apple.md") }
}
#endif

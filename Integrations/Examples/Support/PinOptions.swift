import ArgumentParser
import Foundation
package import PinValidator

/// What every example is told about its manifest.
///
/// A service takes this from its configuration: see the example service.
package struct PinOptions: ParsableArguments {
  @Option(help: "The manifest that was shipped with the program.")
  var manifest: String

  @Option(help: "The public key that signs manifests, as `pintle keys new` writes it.")
  var signer: String

  @Option(help: "The environment that the manifest has to be for.")
  var audience: String

  @Option(help: "Anchors in PEM that count in place of the system's.")
  var anchors: String?

  package init() {}

  /// Opens a store that has the manifest in force, and blocks everything where that can't be used.
  package func store() throws -> PinStore {
    let signers = try TrustedSigners(publicKeys: [try bytes(signer)], threshold: 1)
    var settings = PinStoreSettings(signers: signers, audience: audience, withoutManifest: .block)
    settings.embedded = try bytes(manifest)
    if let anchors { settings.anchors = try TrustAnchors([try bytes(anchors)]) }
    let store = PinStore(settings)
    for problem in store.startup.problems { print("warning: \(problem)") }
    return store
  }

  private func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }
}

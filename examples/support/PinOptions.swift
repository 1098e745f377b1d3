import ArgumentParser
import Foundation
package import PinValidator

/// The options of every example about its manifest.
///
/// A service takes this from its configuration: see the example service.
package struct PinOptions: ParsableArguments {
  @Option(help: "The manifest that was shipped with the program.")
  var manifest: String

  @Option(help: "The keyset that was shipped with the program: it says who signs manifests, and is followed.")
  var keyset: String?

  @Option(help: "In place of a keyset: the public key that signs manifests, as `pintle key` writes it.")
  var signer: String?

  @Option(help: "The environment that the manifest has to be for.")
  var audience: String

  @Option(help: "Anchors in PEM that count in place of the system's.")
  var anchors: String?

  package init() {}

  package func validate() throws {
    if (keyset == nil) == (signer == nil) {
      throw ValidationError("Give either --keyset or --signer: one of them says who signs manifests.")
    }
  }

  /// Opens a store that has the manifest in force, and blocks everything where that can't be used.
  package func store() throws -> PinStore {
    var settings: PinStoreSettings
    if let keyset {
      // Its signers and roots can be changed without a new program.
      settings = PinStoreSettings(
        keyset: try TrustedKeyset.load(shipped: try bytes(keyset), audience: audience), withoutManifest: .block)
    } else {
      let keys = try [signer].compactMap { try $0.map(bytes) }
      let signers = try TrustedSigners(publicKeys: keys, threshold: 1)
      settings = PinStoreSettings(signers: signers, audience: audience, withoutManifest: .block)
    }
    settings.embedded = try bytes(manifest)
    if let anchors { settings.anchors = try TrustAnchors([try bytes(anchors)]) }
    let store = PinStore(settings)
    for problem in store.startup.problems { print("warning: \(problem)") }
    return store
  }

  private func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }
}

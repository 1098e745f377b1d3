import PinFormat
import PinProbe
import PinValidator
import TestSupport
import Testing

/// A trust store in a directory, which libcrypto loads name by name when it needs one: as most systems have it.
@Suite struct DirectoryStoreTests {
  private func directory(_ certificates: [TestCertificate]) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for (number, certificate) in certificates.enumerated() {
      try directory.write(certificate.pem, to: "\(number).pem")
    }
    try runSuccessfully("openssl", ["rehash", directory.path])
    return directory
  }

  @Test func everyPathIsFoundAndRecorded() throws {
    let make = try maker()
    let directory = try directory([make.otherRoot, make.root, make.selfSigned("nobody's", .authority("Nobody's"))])
    let scene = try Scene([make.leaf, make.intermediate, make.crossRoot]).with { $0.pinned = [try make.otherRoot] }
    let store = NamedStore(name: "system", anchors: TrustAnchors(directory: directory.path))
    var evidence = try scene.evidence()
    // Nothing of the store is loaded yet: recording looks up each name itself.
    try Judge(manifest: nil, stores: []).recordAnchors(of: [store], into: &evidence)
    #expect(evidence.stores.map(\.anchors) == [try [make.root.fingerprint, make.otherRoot.fingerprint].sorted()])

    let manifest = try scene.manifest()
    let fresh = NamedStore(name: "system", anchors: TrustAnchors(directory: directory.path))
    let live = try Judge(manifest: manifest, stores: [fresh]).assess(evidence, at: try instant(scene.at))
    let paths = try #require(live.targets[0].visits[0].served).judgements[0].paths
    #expect(paths.map(\.word) == ["block", "allow"])
    #expect(paths.map(\.chain.last) == [try make.root.fingerprint, try make.otherRoot.fingerprint])
    let again = try Judge(manifest: manifest, stores: []).assess(evidence, at: try instant(scene.at))
    #expect(again.certificates == live.certificates)
    #expect("\(again.targets)" == "\(live.targets)")
  }

  /// An authority in the system's directory that isn't self-signed ends no path: libcrypto goes on above it.
  ///
  /// Other clients don't have it, so it isn't recorded, and judged by the record it is missing.
  @Test func anIntermediateInTheDirectoryIsNoAnchor() throws {
    let make = try maker()
    let directory = try directory([make.intermediate, make.root])
    let scene = try Scene([make.leaf]).with { $0.pinned = [try make.root] }
    var evidence = try scene.evidence()
    let store = NamedStore(name: "system", anchors: TrustAnchors(directory: directory.path))
    let live = try report(on: evidence, of: scene, stores: [store])
    #expect(
      live.judgements[0].paths.map(\.chain) == [
        [try make.leaf.fingerprint, try make.intermediate.fingerprint, try make.root.fingerprint]
      ])
    let gap = ChainFlaw.incomplete(last: 0, issuer: "CN=Intermediate,O=Pintle Tests", urls: [])
    #expect(live.flaws == [gap])

    try Judge(manifest: nil, stores: []).recordAnchors(of: [store], into: &evidence)
    #expect(evidence.stores.map(\.anchors) == [[]])
    let again = try report(on: evidence, of: scene, stores: [])
    #expect(again.judgements[0].paths[0].failures.map(\.code) == [.missingIntermediate])
    #expect(again.flaws == [gap])
  }

  private func report(on evidence: Evidence, of scene: Scene, stores: [NamedStore]) throws -> ServedReport {
    let assessment = try Judge(manifest: scene.manifest(), stores: stores).assess(evidence, at: instant(scene.at))
    return try #require(assessment.targets[0].visits[0].served)
  }
}

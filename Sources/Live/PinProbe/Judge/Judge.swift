import OpenSSLKit
package import PinFormat
package import PinValidator

/// Judges evidence as clients would: the runtime validator decides on each chain, under each trust store.
package struct Judge: Sendable {
  let manifest: LoadedManifest?
  private let stores: [StoreJudge]
  private let limits: ClientLimits
  /// Shared by all stores: each certificate is read once.
  let cache = CertificateCache(keepsServed: true)
  /// As well: each signature is verified once.
  private let issuance = IssuanceCache()

  /// Takes what is judged by.
  ///
  /// - Parameters:
  ///   - manifest: The policy as clients would have it; nil to evaluate trust alone.
  ///   - stores: The trust stores; none for those that the evidence records. Anybody who records evidence judges it so
  ///     as well, after ``recordAnchors(of:into:)``: then a replay gives the same answer on any machine.
  ///   - limits: What clients can't verify, though the libcrypto in use may.
  package init(manifest: LoadedManifest?, stores: [NamedStore], limits: ClientLimits = ClientLimits()) {
    self.manifest = manifest
    self.limits = limits
    let (cache, issuance) = (cache, issuance)
    self.stores = stores.map { StoreJudge($0, manifest: manifest, cache: cache, issuance: issuance, limits: limits) }
  }

  /// Judges all that was recorded, as of one instant.
  ///
  /// - Throws: ``JudgeError`` where the evidence contradicts itself.
  package func assess(_ evidence: Evidence, at instant: Instant) throws(JudgeError) -> Assessment {
    let seen = evidence.asSeen(by: limits)
    let library = try CertificateLibrary(evidence.certificates, cache: cache)
    let stores = try stores.isEmpty ? recordedStores(of: evidence, library) : stores
    guard !stores.isEmpty else { throw .noTrustStore }
    var judge = TargetJudge(manifest: manifest, stores: stores, instant: instant, library: library, issuance: issuance)
    var targets: [AssessedTarget] = []
    for target in seen.targets { targets.append(try judge.assess(target)) }
    var assessment = Assessment(
      instant: instant, begun: evidence.begun, ended: evidence.ended, tool: evidence.tool,
      isPartial: evidence.isPartial, shards: evidence.shards, stores: stores.map(\.name),
      certificates: judge.records, targets: targets)
    assessment.unasked = evidence.unasked
    assessment.leavesOutMLDSA = seen.targets != evidence.targets
    return assessment
  }

  private func recordedStores(
    of evidence: Evidence, _ library: CertificateLibrary
  ) throws(JudgeError) -> [StoreJudge] {
    var stores: [StoreJudge] = []
    for store in evidence.stores {
      var anchors: [[UInt8]] = []
      for fingerprint in store.anchors {
        anchors.append(try library.der(fingerprint, namedBy: "the trust store \(store.name)"))
        guard library.certificate(fingerprint) != nil else { throw .unreadableAnchor(fingerprint, store: store.name) }
      }
      do throws(TrustFailure) {
        let named = NamedStore(name: store.name, anchors: try TrustAnchors(store: anchors))
        stores.append(StoreJudge(named, manifest: manifest, cache: cache, issuance: issuance, limits: limits))
      } catch {
        throw .cryptography("the trust store \(store.name) can't be used: " + error.message)
      }
    }
    return stores
  }
}

extension Evidence {
  /// Without what servers show only to clients of other kinds, unless nothing else was asked for.
  fileprivate func asSeen(by limits: ClientLimits) -> Evidence {
    let visits = targets.lazy.flatMap(\.addresses).flatMap(\.visits)
    guard !limits.offersMLDSA, visits.contains(where: { $0.offer.keyFamily != .mlDSA }),
      visits.contains(where: { $0.offer.keyFamily == .mlDSA })
    else { return self }
    var seen = self
    for target in seen.targets.indices {
      for address in seen.targets[target].addresses.indices {
        seen.targets[target].addresses[address].visits.removeAll { $0.offer.keyFamily == .mlDSA }
      }
    }
    return seen
  }
}

#if !CryptoKit
import OpenSSLKit
import PinFormat

extension Validator {
  /// Decides on an entry for a transport that validates itself and shows the leaf alone.
  ///
  /// The whole path is evaluated where the intermediates are known and something depends on what is above the leaf. A
  /// denial alone never stops a connection because the path can't be built: the leaf then decides, and that is counted.
  func decideByLeaf(_ handshake: PeerHandshake, _ entry: GoverningEntry, at instant: Instant) -> Decision {
    let trust = manifest.tables.trust(ofHost: entry.number)
    let knowsIntermediates = handshake.certificates.count > 1 || !(trust?.intermediates.isEmpty ?? true)
    if let reason = manifest.leafOnlyReason(ofEntry: entry.number) {
      guard reason == .customTrust || !knowsIntermediates else {
        return decision(on: evaluation(of: handshake, for: entry, at: instant), for: entry)
      }
      let limit = LeafOnlyLimit(entry: manifest.tables.label(ofEntry: entry.number), reason: reason)
      return refusal([TrustFailure(.other, limit.description)], entry)
    }
    var entry = entry
    if manifest.deniesAboveLeaf {
      if knowsIntermediates {
        let evaluation = evaluation(of: handshake, for: entry, at: instant)
        // A key in another encoding may be the denied key.
        if evaluation.isTrusted || evaluation.hidesKey { return decision(on: evaluation, for: entry) }
      }
      entry.events.insert(.denialsLeafOnly)
    }
    let request = TrustRequest(handshake, at: instant, trust: trust)
    var failures: [TrustFailure] = []
    var leaf: Certificate?
    do throws(TrustFailure) {
      let certificate = try evaluator.parsed(try ServedChain(Array(handshake.certificates.prefix(1)))).get().first
      guard let certificate else { throw TrustFailure(.unusableChain, "no certificate was served") }
      try Self.check(certificate, for: request, &failures)
      leaf = certificate
    } catch {
      failures.append(error)
    }
    if let failure = TrustEvaluator.failure(ofVersion: request) { failures.append(failure) }
    guard let leaf, failures.isEmpty else { return refusal(failures.inOrderOfGravity(), entry) }
    return Decision(manifest.decide(LeafOfValidatedChain(leaf: leaf), for: entry), by: manifest)
  }

  private func refusal(_ failures: [TrustFailure], _ entry: GoverningEntry) -> Decision {
    decision(on: .refused(failures), for: entry)
  }

  /// What can be seen at the leaf, once more: the store's time never goes back, the transport's clock may.
  private static func check(
    _ leaf: Certificate, for request: TrustRequest, _ failures: inout [TrustFailure]
  ) throws(TrustFailure) {
    if case .server(let name) = try TrustEvaluator.peer(request), !leaf.covers(name) {
      failures.append(.of(.nameMismatch, leaf, 0, "the certificate isn't for the name that the connection is for"))
    }
    guard let notBefore = leaf.notBefore, let notAfter = leaf.notAfter else {
      throw .of(.malformed, leaf, 0, "the certificate's dates can't be read")
    }
    let now = request.instant.secondsSinceEpoch
    if now < notBefore { failures.append(.of(.notYetValid, leaf, 0, "the certificate is not valid yet")) }
    if now >= notAfter { failures.append(.of(.expired, leaf, 0, "the certificate has expired")) }
    let checks = StrengthChecks(request.trust)
    let found = [
      checks.failure(ofKeyOf: leaf, at: 0), checks.failure(ofSignatureOn: leaf, at: 0),
      checks.failure(ofUsageOf: leaf, by: request.peer, at: 0),
    ]
    failures += found.compactMap { $0 }
  }
}

extension TrustEvaluation {
  fileprivate var isTrusted: Bool { if case .trusted = self { true } else { false } }

  fileprivate var hidesKey: Bool {
    if case .refused(let failures) = self { failures.contains { $0.code == .keyEncoding } } else { false }
  }
}

/// The certificate that is first in any chain that the transport can have validated.
private struct LeafOfValidatedChain: PinnedChain {
  let leaf: Certificate

  var certificateCount: Int { 1 }

  func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? {
    guard number == 0, let digest = try? leaf.publicKeyDigest() else { return nil }
    return SHA256Digest(digest)
  }
}
#endif

import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinValidator

extension UnseenPaths {
  /// What clients make of chains of which one is enough.
  private struct Acceptance {
    /// Those of the first chain, if no chain is accepted.
    var failures: [TrustFailure] = []
    /// The keys of the path that is valid for longest.
    var accepted: PresentedChain
    /// When what releases have for that path ends; nil if nothing does before the horizon.
    var end: TrustEnd?
  }

  /// What clients make of it.
  func answer(
    _ found: Case, _ shape: Shape, _ setup: ServerSetup, _ trust: Manifest.Trust, _ host: HostName, _ instant: Instant
  ) -> Landing.Trust {
    let chain = shape.chain
    var failures: [TrustFailure] = []
    var (presented, accepted) = (chain, chain)
    var end: TrustEnd?
    let leaf = setup.leaf.flatMap { known.certificate($0) }.flatMap { known.pin(of: $0) == chain.pins[0] ? $0 : nil }
    switch found {
    case .refused(let failure): failures = [failure]
    case .served(let certificate):
      failures = limits.failures(of: [ClientLimits.Link(key: certificate.keyAlgorithm)])
      failures += self.failures(of: leaf ?? certificate, setup, trust, host, instant)
      // This certificate is the whole validated chain.
      accepted = PresentedChain([chain.pins[0]])
      end = Self.end(of: certificate, trust.certificate == nil ? .anchor : .certificate)
    case .unissued(let chains, let exception, let deniedEnd):
      func accepting(at instant: Instant) -> Acceptance {
        acceptance(of: chains, shape, exception, setup, trust, host, instant)
      }
      let found = accepting(at: instant)
      (failures, accepted, end) = (found.failures, found.accepted, found.end)
      if let leaf {
        // Who else may have issued it isn't known, unless it is its own issuer.
        failures =
          self.failures(of: leaf, setup, trust, host, instant).filter {
            leaf.isSelfSigned
              || $0.fingerprint == SHA256Digest(leaf.fingerprint) && !$0.code.isAboutAnchors && $0.code != .selfSigned
          } + failures
      }
      if let deniedEnd {
        if presented.pins.last == .some(nil) { presented.pins.removeLast() }
        presented.pins.append(deniedEnd)
        accepted = presented
      }
      // Another anchor may begin before this one ends.
      while failures.isEmpty, let last = end, last.instant < horizon {
        let later = accepting(at: last.instant)
        guard later.failures.isEmpty, later.accepted == found.accepted,
          later.end.map({ last.instant < $0.instant }) ?? true
        else { break }
        end = later.end
      }
    }
    guard var first = failures.first else {
      return .trusted(accepted, until: end.flatMap { instant < $0.instant && $0.instant < horizon ? $0 : nil })
    }
    if first.code == .unknownIssuer, !trust.systemAnchors { first = Self.unanchored }
    let named = first.fingerprint.flatMap { known.certificate($0) }.map { Wording.quoted($0.subject, most: 120) + ": " }
    return .refused((named ?? "") + first.message, presented, failures: Set(failures))
  }

  /// What is wrong with a certificate that is all that the server sends.
  private func failures(
    of certificate: Certificate, _ setup: ServerSetup, _ trust: Manifest.Trust, _ host: HostName, _ instant: Instant
  ) -> [TrustFailure] {
    let request = TrustRequest(peer: .server(host.text), at: instant, tlsVersion: setup.tlsVersion, trust: trust)
    do throws(TrustFailure) {
      let served = try ServedChain([certificate.der])
      guard case .refused(let found) = evaluator.evaluate(served, for: request, certificates: known.der) else {
        return []
      }
      return found
    } catch {
      return [error]
    }
  }

  /// What clients make of chains of which one is enough.
  private func acceptance(
    of chains: [UnissuedChain], _ shape: Shape, _ exception: TrustEnd?, _ setup: ServerSetup, _ trust: Manifest.Trust,
    _ host: HostName, _ instant: Instant
  ) -> Acceptance {
    var first: [TrustFailure]?
    var last: Acceptance?
    for chain in chains {
      let sent = setup.sendsIntermediates ? Set(chain.authorities.map { SHA256Digest($0.fingerprint) }) : []
      let answer = chain.answer(
        by: evaluator, limits, for: host, under: trust, at: instant, tlsVersion: setup.tlsVersion,
        sendsIntermediates: setup.sendsIntermediates, certificates: known.der,
        isCured: { isCuredByRenewal($0, trust, sent: sent) })
      guard answer.failures.isEmpty else {
        first = first ?? answer.failures
        continue
      }
      var found = Acceptance(accepted: keys(of: answer.authorities, chain, shape, trust))
      found.end = (ends(of: answer.authorities, trust, sent: sent) + [exception].compactMap(\.self)).min {
        $0.instant < $1.instant
      }
      guard let end = found.end, end.instant < horizon else { return found }
      if last?.end.map({ $0.instant < end.instant }) ?? true { last = found }
    }
    return last ?? Acceptance(failures: first ?? [], accepted: shape.chain)
  }

  /// The keys of a path: those of the chain unless it leads over other certificates.
  ///
  /// Then the chain's keys may be in other places, and it may have keys that the release denies; the others stay unknown.
  private func keys(
    of path: [Certificate], _ expected: UnissuedChain, _ shape: Shape, _ trust: Manifest.Trust
  ) -> PresentedChain {
    let authorities = expected.authorities
    let isExpected =
      path.count <= authorities.count + 1 && zip(path, authorities).allSatisfy { $0.der == $1.der }
      && path.count >= authorities.count
    guard !isExpected else {
      var pins = shape.chain.pins
      // Another authority is above the last key, or is the one that wasn't known.
      let isLonger = !trust.systemAnchors && path.count >= pins.count
      let top = path.last.flatMap { known.pin(of: $0) }.flatMap { shape.denied.contains($0) ? $0 : nil }
      if isLonger {
        pins.append(top)
      } else if path.count == pins.count - 1, pins.last == .some(nil) {
        pins[path.count] = top
      }
      return PresentedChain(pins)
    }
    let pins = path.map { certificate in
      known.pin(of: certificate).flatMap { shape.chain.pins.contains($0) || shape.denied.contains($0) ? $0 : nil }
    }
    return PresentedChain([shape.chain.pins[0]] + pins)
  }

  /// When those certificates of a path end that releases have and nobody renews.
  private func ends(of path: [Certificate], _ trust: Manifest.Trust, sent: Set<SHA256Digest>) -> [TrustEnd] {
    path.enumerated().compactMap { place, certificate in
      let fingerprint = SHA256Digest(certificate.fingerprint)
      guard place == path.count - 1 else {
        return trust.intermediates.contains(fingerprint) && !sent.contains(fingerprint)
          ? Self.end(of: certificate, .intermediate) : nil
      }
      // The system's anchors may have the same key for longer.
      return trust.anchors.contains(fingerprint) && !trust.systemAnchors ? Self.end(of: certificate, .anchor) : nil
    }
  }

  /// An intermediate that has expired, and that only servers send, is renewed for its key as a leaf is.
  ///
  /// If a release has the old one, clients choose the one that is valid.
  private func isCuredByRenewal(_ failure: TrustFailure, _ trust: Manifest.Trust, sent: Set<SHA256Digest>) -> Bool {
    guard failure.code == .expired, let fingerprint = failure.fingerprint, !trust.anchors.contains(fingerprint),
      sent.contains(fingerprint) || !trust.intermediates.contains(fingerprint),
      let certificate = known.certificate(fingerprint)
    else { return false }
    return !certificate.isSelfSigned
  }

  static var unanchored: TrustFailure {
    TrustFailure(.unknownIssuer, "the path ends in a key of none of the entry's anchors")
  }

  private static func end(of certificate: Certificate, _ role: CarriedCertificates.Role) -> TrustEnd? {
    certificate.notAfter.map {
      role.end(of: certificate.commonName ?? certificate.subject, at: Instant(secondsSinceEpoch: $0))
    }
  }
}

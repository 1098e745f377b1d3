package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRelease
import PinRotation
package import PinValidator

/// May a server install a certificate: all that is at hand to find out.
package struct DeployQuestion {
  /// The host as clients ask for it.
  package var host: String
  package var port: UInt16
  /// As people wrote it, with the port.
  package var label: String
  /// What the server would send, DER, the leaf first; never empty.
  package var chain: [[UInt8]]
  /// What it sends now; nil where nobody says.
  package var served: [[UInt8]]?
  /// The releases of each audience, in order; none without a release.
  package var audiences: [(name: String, releases: [ReleasedManifest])]
  /// The adoption window in seconds.
  package var window: Int64
  /// The kinds of clients; those that verify chains by default.
  package var kinds: [Policy.ClientKind]
  package var anchors: TrustAnchors
  package var tlsVersion: TLSVersion
  package var instant: Instant

  package init(
    host: String, port: UInt16, label: String, chain: [[UInt8]],
    audiences: [(name: String, releases: [ReleasedManifest])], window: Int64? = nil, kinds: [Policy.ClientKind] = [],
    anchors: TrustAnchors, tlsVersion: TLSVersion? = nil, at instant: Instant
  ) {
    (self.host, self.port, self.label, self.chain) = (host, port, label, chain)
    self.audiences = audiences
    self.window = window ?? Policy.Settings.defaultClientMaxAge
    self.kinds = kinds
    self.anchors = anchors
    self.tlsVersion = tlsVersion ?? .tls13
    self.instant = instant
  }

  /// Refuses releases of which some are missing that clients may still run.
  package func requireAllReleases() throws(WorkFailure) {
    for audience in audiences {
      let digests = Set(audience.releases.compactMap(\.record.digest))
      var begin = Instant.earliest
      var before: ReleaseRecord?
      for release in audience.releases {
        let record = release.record
        begin = max(begin, min(record.issued, instant))
        let isNext = before.map { $0.epoch != record.epoch || ($0.serial ?? 0) + 1 >= record.serial ?? 0 } ?? true
        let lacks = record.previous.map { !digests.contains($0) } ?? !isNext
        before = record
        guard lacks, instant < begin.adding(seconds: window) else { continue }
        throw WorkFailure(
          .failed, "the release before \(audience.name) \(release.name) is missing, and clients may still run it",
          help: "Get all released manifests. If no client runs older ones, pass a shorter --client-max-age.")
      }
    }
  }

  /// Those that verify chains, as of a policy that lists these kinds.
  var verifiers: [Policy.ClientKind] { Policy.verifiers(among: kinds) }

  var seesLeafOnly: Bool { kinds.contains(.leafOnly) }
}

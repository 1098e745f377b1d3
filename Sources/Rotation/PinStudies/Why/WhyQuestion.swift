import Diagnostics
package import PinFormat
import PinPolicy
package import PinProbe
package import PinRelease
import PinRules
package import PinValidator

/// Why do clients fail, or not: all that is at hand to find out.
package struct WhyQuestion {
  /// A chain that a server presented, and where.
  package struct View {
    /// Such as `192.0.2.10:443`, or `a report`.
    package var places: [String]
    /// The leaf first.
    package var chain: [[UInt8]]
    /// Nil where nobody says; then it counts as the newest.
    package var tlsVersion: TLSVersion?
    /// Whether the server showed in a handshake that it has the leaf's private key.
    package var provesKey: Bool

    package init(places: [String], chain: [[UInt8]], tlsVersion: TLSVersion?, provesKey: Bool = false) {
      self.places = places
      self.chain = chain
      self.tlsVersion = tlsVersion
      self.provesKey = provesKey
    }
  }

  package var host: String
  package var port: UInt16
  /// What was presented; empty where nobody could ask the server.
  package var views: [View] = []
  /// Why the server could not be asked.
  package var silence: String?
  /// What clients may have, by serial.
  package var releases: [ReleasedManifest]
  package var anchors: TrustAnchors
  /// The record that shows what was presented; nil where the server itself was asked, or a client reported it.
  package var record: String?
  /// What servers presented at an earlier time.
  package var before: Evidence?
  package var clients = CollectedClients()
  package var event: LoggedEvent?
  /// When clients saw it first, as the report says.
  package var claimed: Instant?
  package var instant: Instant
  package var commands: WhyCommands

  package init(
    host: String, port: UInt16, releases: [ReleasedManifest], anchors: TrustAnchors, at instant: Instant,
    commands: WhyCommands
  ) {
    self.host = host
    self.port = port
    self.releases = releases
    self.anchors = anchors
    self.instant = instant
    self.commands = commands
  }

  var label: String { HostLabel.text(host: host, port: port) }

  /// Takes what a record shows of the host: each distinct chain once, with the addresses that present it.
  package mutating func take(_ target: Evidence.Target, of record: Evidence) {
    views += target.views(in: record)
    if views.isEmpty {
      silence = (target.unresolved ?? target.addresses.first?.visits.first?.failure)?.message ?? "it has no address"
    }
  }

  /// What a client with a release decides about a view.
  func decision(of release: ReleasedManifest, on view: View) -> Decision {
    validator(of: release).evaluate(handshake(view), at: instant)
  }

  /// Why a client of the release doesn't accept a chain; nil where trust evaluation found nothing wrong.
  func cause(of decision: Decision, of release: ReleasedManifest, on view: View) -> TrustCause? {
    TrustCause(of: decision, on: handshake(view), by: validator(of: release), at: instant)
  }

  private func validator(of release: ReleasedManifest) -> Validator {
    Validator(manifest: release.loaded, evaluator: TrustEvaluator(anchors: anchors, findsAllFailures: true))
  }

  private func handshake(_ view: View) -> PeerHandshake {
    PeerHandshake(host: host, port: port, certificates: view.chain, tlsVersion: view.tlsVersion ?? .tls13)
  }
}

/// The commands of the answer, with the paths that the person gave.
package struct WhyCommands {
  /// The released manifests: a file or a folder.
  package var releases: String
  /// `--keyset keysets`, or `--key …`.
  package var trust: String
  /// `--anchors …`; empty for the system's.
  package var anchors = ""
  /// The address that was connected to, where it isn't the host's own.
  package var address: String?

  package init(releases: String, trust: String, anchors: String = "", address: String? = nil) {
    self.releases = releases
    self.trust = trust
    self.anchors = anchors
    self.address = address
  }

  func decide(_ label: String) -> String {
    "pintle why \(ShellWord.of(label)) --manifest \(ShellWord.of(releases)) \(trust)" + anchors
      + (address.map { " --connect \(ShellWord.of($0))" } ?? "")
  }

  func record(_ host: String, _ label: String, in file: String) -> String {
    "pintle probe --host \(ShellWord.of(label))"
      + (address.map { " --connect-to \(ShellWord.of("\(host)::\($0)"))" } ?? "")
      + " --record \(file)"
  }
}

extension Evidence.Target {
  /// What its addresses presented: each distinct chain once, with the addresses that present it.
  func views(in record: Evidence) -> [WhyQuestion.View] {
    var views: [WhyQuestion.View] = []
    for address in addresses {
      for visit in address.visits {
        guard let served = visit.served else { continue }
        let chain = served.chain.compactMap { digest in record.certificates.first { $0.fingerprint == digest }?.der }
        if let index = views.firstIndex(where: { $0.chain == chain && $0.tlsVersion == visit.offer.tlsVersion }) {
          if !views[index].places.contains(address.label) { views[index].places.append(address.label) }
        } else {
          views.append(
            WhyQuestion.View(
              places: [address.label], chain: chain, tlsVersion: visit.offer.tlsVersion, provesKey: true))
        }
      }
    }
    return views
  }
}

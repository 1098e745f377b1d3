import PinFormat
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// Which releases evaluate trust for a server in another way than the candidate does.
///
/// What trust evaluation comes to depends on the governing entry's `trust` alone, so releases with an equal one share
/// a judgement.
struct Customisations {
  /// Releases with one `trust`, which isn't the candidate's.
  struct Share {
    /// The release whose manifest is judged by, one of ``releases``.
    var judge: Int
    var releases: [Int]
  }

  private let manifests: [LoadedManifest]
  /// Those with a customised trust anywhere.
  private let customised: Set<Int>
  private let base: Int
  private let instant: Instant

  init(_ releases: [ClientRelease], base: Int, at instant: Instant) {
    let manifests = releases.map(\.manifest)
    self.manifests = manifests
    self.base = base
    self.instant = instant
    customised = Set(manifests.indices.filter { manifests[$0].tables.hosts.contains(where: \.hasTrust) })
  }

  /// True where some release pins the server, or blocks it whatever it presents.
  func concern(_ place: HostPort) -> Bool {
    // The candidate first, because it mostly pins what the evidence covers.
    let inOrder = [base] + manifests.indices.filter { $0 != base }
    return inOrder.contains { number in
      if manifests[number].entry(at: place) != nil { return true }
      return switch manifests[number].govern(host: place.host.text, port: place.port, at: instant) {
      case .pinned, .answered(.block): true
      case .answered: false
      }
    }
  }

  /// The groups of releases that need a judgement of their own for a server; mostly none.
  func shares(_ place: HostPort) -> [Share] {
    guard !customised.isEmpty else { return [] }
    // If the candidate doesn't pin the server, evidence is judged without customisations.
    let own = trust(base, place) ?? .none
    var shares: [(trust: Manifest.Trust?, share: Share)] = []
    for number in manifests.indices where number != base && (own != nil || customised.contains(number)) {
      // A release that doesn't pin the server has no trust settings for it.
      guard let trust = trust(number, place), trust != own else { continue }
      if let known = shares.firstIndex(where: { $0.trust == trust }) {
        shares[known].share.releases.append(number)
      } else {
        shares.append((trust, Share(judge: number, releases: [number])))
      }
    }
    return shares.map(\.share)
  }

  /// Nil where the release doesn't pin the server; the value is nil where it does and customises nothing.
  private func trust(_ number: Int, _ place: HostPort) -> Manifest.Trust?? {
    // Expiry doesn't matter here: the renewal of an expired release has the same trust settings.
    guard let entry = manifests[number].entry(at: place) else { return .none }
    return .some(manifests[number].tables.trust(ofHost: entry))
  }
}

import Diagnostics
import PinFormat
import PinPolicy

/// All of a host entry that the validator's answer depends on, so that two entries can be compared by it.
///
/// Who owns an entry, why it is there and what live checks try doesn't change an answer, so it isn't here.
struct HostAnswer: Hashable {
  private struct Key: Hashable {
    var pin: Pin?
    var position: ChainPosition?
    /// The key's index where its pin could not be read: such a key is like no other.
    var unreadable: Int?
  }

  private struct Exception: Hashable {
    var failure: ExcusableFailure
    var certificate: SHA256Digest
    var until: Instant
  }

  private var mode: Mode
  private var keys: Set<Key> = []
  private var requirement = Requirement.any
  private var expires: Instant?
  private var onExpiry: ExpiryAction?
  private var reportURIs: [String] = []
  private var trust: Manifest.Trust?
  private var exceptions: Set<Exception> = []

  init(_ entry: Policy.HostEntry, of policy: Policy) {
    mode = entry.mode.value
    guard mode != .off else { return }
    let members = entry.keySet.map { policy.keySets[$0.value].members } ?? []
    keys = Set(
      members.map { member in
        let key = policy.keys[member.key]
        return Key(pin: key.pin, position: key.position?.value, unreadable: key.pin == nil ? member.key : nil)
      })
    requirement = entry.requirement?.value ?? .any
    expires = entry.expires?.value
    onExpiry = expires == nil ? nil : entry.onExpiry?.value
    reportURIs = entry.reportURIs.map(\.value)
    guard let trust = entry.trust else { return }
    self.trust = Self.comparable(trust)
    exceptions = Set(
      trust.exceptions.map {
        Exception(failure: $0.failure.value, certificate: $0.certificate, until: $0.until.value)
      })
  }

  /// The customisations without their places and, because they are compared on their own, without the exceptions.
  private static func comparable(_ trust: Policy.Trust) -> Manifest.Trust? {
    func fingerprints(_ certificates: [KeyMaterial]) -> [SHA256Digest] {
      Set(certificates.compactMap { $0.certificate?.fingerprint }).sorted { $0.hex < $1.hex }
    }
    let plain = Manifest.Trust(
      systemAnchors: trust.systemAnchors, anchors: fingerprints(trust.anchors.map(\.value)),
      intermediates: fingerprints(trust.intermediates.map(\.value)),
      certificate: trust.certificate?.value.certificate?.fingerprint, serverName: trust.serverName?.value,
      minimumRSABits: trust.minimumRSABits?.value, minimumECBits: trust.minimumECBits?.value,
      signatures: Set(trust.signatures.map(\.value)).sorted { $0.rawValue < $1.rawValue },
      minimumTLS: trust.minimumTLS?.value)
    return plain == Manifest.Trust() ? nil : plain
  }
}

import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

extension TrustedKeyset {
  /// Refuses a release that no client of the keyset would take.
  func requireTaken(_ release: Manifest, at instant: Instant) throws(CommandFailure) {
    guard release.audience.utf8.elementsEqual(audience.utf8) else {
      throw CommandFailure(
        .refused, "the policy is for '\(release.audience)', and the keyset for '\(audience)'; nothing was built",
        help: "Give the keyset of the policy's audience.")
    }
    guard release.serial >= keyset.minimumSerial else {
      throw CommandFailure(
        .refused,
        "the release would have serial \(release.serial), and clients with version \(version) of the keyset take none "
          + "below \(keyset.minimumSerial); nothing was built",
        help: "Give a serial: --serial \(keyset.minimumSerial) or more.")
    }
    guard instant < expires else {
      throw CommandFailure(
        .refused,
        "version \(version) of the keyset expired \(expires): no client accepts a release with it; nothing was built",
        help: "Renew it first: pintle keyset next.")
    }
  }

  /// Refuses signers whose signatures wouldn't count.
  func requireSigners(_ signers: [Signer]) throws(CommandFailure) {
    let ids = Set(self.signers.keyIDs)
    for signer in signers where !signer.keys.contains(where: { ids.contains($0.id) }) {
      let names = KeysetDraft.list(keyset.signers.keys, joinedBy: "or")
      throw CommandFailure(
        .refused,
        "the key \(signer.keys[0].id.hex) is not a signer of version \(version) of the keyset; nothing was built",
        help: "Sign with the key of \(names), or leave --keyset out.")
    }
  }
}

import Diagnostics
import PinFormat
import PinPolicy

extension CheckedPolicy {
  /// Why clients would not load the manifest of the policy; nil if they would, or if it has no hosts yet.
  func whyNotLoaded(at instant: Instant, _ clientFileBytes: Int) -> Diagnostic? {
    guard !policy.hosts.isEmpty else { return nil }
    let release = Release(serial: 1, issued: instant, previous: nil, commit: nil, compiler: "pintle rehearsal")
    let bytes: [UInt8]
    do {
      bytes = try lowered(standingIn: release).signedBytes()
    } catch {
      return Rule.unbuildable(policy, error.message, help: "Fix this, and run the command again.")
    }
    let limit = clientFileBytes - FormatLimits.releaseBytes
    guard bytes.count <= limit else {
      return Rule.unbuildable(
        policy, "it has \(bytes.count) bytes; the limit is \(limit)",
        help:
          "Let one entry with 'include-subdomains: true' stand for many, name trust certificates in fewer entries, or "
          + "give each kind of client its own policy.")
    }
    do {
      _ = try ManifestReader.read(bytes, signed: bytes.startIndex..<bytes.endIndex)
      return nil
    } catch {
      return Rule.unbuildable(
        policy, error.description, help: "Fix what is named; a suppressed error in this policy may be the cause.")
    }
  }
}

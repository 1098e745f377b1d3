import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension RotationFacts {
  /// The entry of the policy that governs a server, by its index in ``Policy/hosts``.
  func entry(ofServer number: Int) -> Policy.HostEntry? {
    let server = scenario.servers[number]
    return input.hostIndex.governing(server.host, port: server.port).map { policy.hosts[$0] }
  }

  /// The key set that the policy holds a server to.
  func keySet(ofServer number: Int) -> Policy.KeySet? {
    entry(ofServer: number)?.keySet.map { policy.keySets[$0.value] }
  }

  /// Where findings about the whole release stand: `manifest:`, or else the beginning of the first file.
  var releasePlace: Place { policy.settings?.place ?? Place.beginning(of: FileID(0)) }

  /// The policy's key with a pin.
  func key(_ pin: Pin) -> Policy.Key? { keyNumbers[pin].map { policy.keys[$0] } }

  /// Where the policy says what a lockout comes from.
  func place(of lockout: Lockout, _ cause: LockoutCause, _ keys: [Pin]) -> Place {
    guard let entry = entry(ofServer: lockout.server) else { return releasePlace }
    let set = entry.keySet.map { policy.keySets[$0.value] }
    let keysPlace = set?.place ?? entry.written.place
    switch cause {
    case .pinRemoved, .removedTooEarly, .disjoint: return keysPlace
    case .notYetPublished:
      guard let pin = keys.first else { return keysPlace }
      let begin = phase(of: lockout).begin
      if let step = key(pin)?.steps.active, step.value == begin { return step.place }
      return set?.members.first { policy.keys[$0.key].pin == pin }?.place ?? keysPlace
    case .denied: return keys.first.flatMap { key($0)?.denied?.place } ?? keysPlace
    case .newlyEnforced: return entry.mode.place
    case .expired(.entry): return entry.expires?.place ?? entry.written.place
    case .expired(.manifest), .unpinnedDenied: return releasePlace
    case .exceptionEnded: return entry.trust?.exceptions.first?.until.place ?? entry.written.place
    case .untrusted: return entry.trust?.place ?? entry.written.place
    case .other: return entry.requirement?.place ?? keysPlace
    }
  }
}

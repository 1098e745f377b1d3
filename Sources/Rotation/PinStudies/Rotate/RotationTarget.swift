package import Diagnostics
import PinFormat
package import PinPolicy
import PinProbe
import PinRules
package import PinValidator

/// What to rotate and to which key, looked up in the policy.
package struct RotationTarget {
  /// What was asked for, as it was written.
  package let asked: String
  /// The key set's index in the policy.
  package let keySet: Int
  /// The host that was asked for; nil where the set was named itself.
  package let host: String?
  /// The key's index in the policy.
  package let key: Int

  /// Looks up a key set by its name, or by a host that it governs, and a key.
  ///
  /// - Parameters:
  ///   - name: A key set's name, or `HOST` or `HOST:PORT`; where both are there, the key set is meant.
  ///   - keyName: The key to come to.
  ///   - policy: The policy, checked.
  ///   - manifest: The policy as clients would have it.
  /// - Throws: ``WorkFailure``, with what to write instead.
  package init(
    _ name: String, to keyName: String, in policy: Policy, as manifest: LoadedManifest
  ) throws(WorkFailure) {
    let keys = policy.keys.map(\.name.value)
    guard let key = keys.firstIndex(of: keyName) else {
      let near = Suggestion.nearest(to: keyName, among: keys).map { "Did you mean '\($0)'? Otherwise declare" }
      throw WorkFailure(
        .usage, "the policy has no key '\(keyName)'",
        help: (near ?? "Declare")
          + " it under 'keys:', with its certificate, request or public key: \(keyName): { file: keys/\(keyName).pem }")
    }
    if let without = KnownKeys(policy).unverified(policy.keys[key]) {
      throw WorkFailure(
        .unsafeRotation,
        "\(without.kinds.names) can't verify '\(keyName)' (\(without.what)): these clients block a server that presents it",
        help: "Rotate to a key that all clients verify. Without 'clients:' in the manifest file, openssl-3.0 and "
          + "java-17 are assumed; if you have other clients, list them there.")
    }
    self.key = key
    asked = name
    if let set = policy.keySets.firstIndex(where: { !$0.isInline && $0.name == name }) {
      (keySet, host) = (set, nil)
      try requireKnownPosition(in: policy)
      return
    }
    let target: Target
    do {
      target = try Target(name)
    } catch {
      throw Self.unknown(name, in: policy)
    }
    guard let entry = try? manifest.tables.entry(for: target.host.utf8Span.span, port: target.port) else {
      throw Self.unknown(name, in: policy)
    }
    guard let number = manifest.tables.hosts[entry].keySet else {
      throw WorkFailure(
        .usage, "the entry that governs '\(target.label)' pins no key", help: "Name a host whose entry has 'keys:'.")
    }
    let set = manifest.tables.name(ofKeySet: number)
    guard let keySet = policy.keySets.firstIndex(where: { $0.name == set }) else {
      throw Self.unknown(name, in: policy)
    }
    (self.keySet, host) = (keySet, target.label)
    try requireKnownPosition(in: policy)
  }

  /// Refuses a request that may be a CA's, in a set of CAs' keys: as a server's own key, which a request is taken for,
  /// no client would need its certificate as an anchor.
  private func requireKnownPosition(in policy: Policy) throws(WorkFailure) {
    let target = policy.keys[key]
    guard target.position == nil, target.material?.kind == .request, let name = target.material?.commonName,
      (try? InternationalName.host(name))?.text.contains(".") != true,
      policy.keySets[keySet].active.allSatisfy({ policy.keys[$0.key].material?.certificate?.isCA ?? false })
    else { return }
    throw WorkFailure(
      .unsafeRotation,
      "'\(target.name.value)' may be a CA's key or a server's own: its file is a request of '\(VisibleText.of(name))', and "
        + "the active keys of the set are CAs'",
      help:
        "If it is a CA's, give its certificate as 'file:': clients need it as an anchor, too. If it is a server's own, "
        + "write 'position: leaf'.")
  }

  private static func unknown(_ name: String, in policy: Policy) -> WorkFailure {
    let known = policy.keySets.lazy.filter { !$0.isInline }.map(\.name) + policy.hosts.map(\.written.value)
    return WorkFailure(
      .usage, "the policy has no key set '\(name)', and no entry governs a host of that name",
      help: Suggestion.help(name, among: Array(known), else: "Name an entry of 'key-sets:', or a host that is pinned."))
  }
}

import Diagnostics
package import PinPolicy

extension RotationEdits {
  /// The same for all audiences: servers present one key to the clients of all.
  package static func anchors(for key: String, in keySet: String, of policies: [Policy]) -> [Edit] {
    var seen: Set<Place> = []
    return policies.flatMap { anchors(for: key, in: keySet, of: $0) }.filter { seen.insert($0.place).inserted }
  }

  /// What makes a root an anchor of the entries of a key set whose chains end in the policy's own anchors only.
  ///
  /// - Parameters:
  ///   - key: The key to come to.
  ///   - keySet: The key set's name.
  ///   - policy: The policy as one audience has it.
  /// - Returns: An edit for each `trust:` without the root; none if the key's file isn't a root's certificate.
  private static func anchors(for key: String, in keySet: String, of policy: Policy) -> [Edit] {
    guard let key = policy.keys.first(where: { $0.name.value == key }), let material = key.material,
      let certificate = material.certificate, certificate.isCA, certificate.isSelfIssued,
      key.position.map({ [.root, .ca].contains($0.value) }) ?? true
    else { return [] }
    var edits: [Edit] = []
    var seen: Set<Place> = []
    var owners: [FileID: [Place: PolicyEdit.Owner]] = [:]
    for entry in policy.hosts where entry.keySet.map({ policy.keySets[$0.value].name }) == keySet {
      guard let trust = entry.trust, trust.certificate == nil, !trust.systemAnchors,
        !trust.anchorFiles.contains(where: { $0.value.contains { $0.pin == material.pin } }),
        seen.insert(trust.place).inserted, let path = policy.path(toFileOf: key, from: trust.place.file)
      else { continue }
      let file = trust.place.file
      let known = owners[file] ?? policy.ownersOfTrust(in: file)
      owners[file] = known
      guard let owner = known[trust.place] else { continue }
      let label = if case .defaults = owner { "'defaults:', for all entries that use them" } else { "'\(entry.label)'" }
      edits.append(
        Edit(
          edit: .addAnchor(path: path, to: owner), file: file,
          text: "add '\(path)' to 'anchors:' of \(label)", place: trust.anchorFiles.first?.place ?? trust.place))
    }
    return edits
  }
}

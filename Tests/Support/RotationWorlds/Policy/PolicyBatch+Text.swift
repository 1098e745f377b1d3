extension PolicyBatch {
  /// A layer of all worlds, as the policy file that says it.
  func text(_ path: KeyPath<PolicyWorld, PolicyWorld.Layer>, hasWords: Bool) -> String {
    var keys = ""
    var sets = ""
    var hosts = ""
    for (number, world) in worlds.enumerated() {
      let layer = world[keyPath: path]
      for key in 1...3 where hasWords || layer.keys[key - 1] != .absent {
        let word = hasWords ? world.words[key - 1].text : ""
        keys +=
          "  \(Self.key(key, of: number)): { pin: \(self.keys[number][key - 1]), custody: HSM \(key), "
          + "created: 2026-01-01\(world.roles[key - 1].text)\(word) }\n"
      }
      guard layer.entries.contains(where: { $0 == .exact || $0 == .subtree }) else {
        hosts += entries(of: layer, number, world)
        continue
      }
      let lists = [(PolicyWorld.Listing.active, "active"), (.backup, "backup")].compactMap { listing, name -> String? in
        let listed = [1, 2, 3].filter { layer.keys[$0 - 1] == listing }.map { Self.key($0, of: number) }
        return listed.isEmpty ? nil : "\(name): [\(listed.joined(separator: ", "))]"
      }
      sets += "  w\(number): { \(lists.joined(separator: ", ")) }\n"
      hosts += entries(of: layer, number, world)
    }
    return """
      version: 1
      manifest: { audience: worlds, client-max-age: 40d }
      defaults: { expires: 2027-11-01, on-expiry: report-only, report-uris: [https://reports.example.org/] }
      keys:
        other-1: { pin: sha256/VeaEC7avGy2P59QnIEVQk5TfH2EnclW5aXzJCrs/6p0=, custody: HSM 1, created: 2026-01-01 }
        other-2: { pin: sha256/FeaEC7avGy2P59QnIEVQk5TfH2EnclW5aXzJCrs/6p0=, custody: HSM 2, created: 2026-01-01 }
      \(keys)
      key-sets:
        other: { active: [other-1], backup: [other-2] }
      \(sets)
      hosts:
        - { host: other.example.net, keys: other }
      \(hosts)
      """
  }

  private func entries(of layer: PolicyWorld.Layer, _ number: Int, _ world: PolicyWorld) -> String {
    var text = ""
    for (host, entry) in layer.entries.enumerated() where entry != .none {
      text += "  - { host: \(Self.host(host, of: number))"
      if entry == .off {
        text += ", mode: off, reason: theirs"
      } else {
        // Whether clients block doesn't affect what servers present; `check` accepts more in report-only mode.
        text += ", keys: w\(number)" + (world.isEnforceable(layer) ? "" : ", mode: report-only")
        if layer.wantsBoth { text += ", require: leaf-and-ca" }
      }
      text += (entry == .exact ? "" : ", include-subdomains: true") + " }\n"
    }
    return text
  }
}

extension PolicyWorld {
  /// Whether `check` accepts that the pins of a layer are enforced.
  func isEnforceable(_ layer: Layer) -> Bool {
    let active = [1, 2, 3].filter { layer.keys[$0 - 1] == .active }.map { roles[$0 - 1] }
    guard !active.isEmpty, layer.keys.contains(.backup) else { return false }
    guard layer.wantsBoth else { return true }
    return active.contains { $0 == .leaf || $0 == .unsaid } && active.contains { $0 != .leaf }
  }
}

extension PolicyWorld.Role {
  fileprivate var text: String {
    switch self {
    case .leaf: ", position: leaf"
    case .intermediate: ", position: intermediate"
    case .root: ", position: root"
    case .ca: ", position: ca"
    case .unsaid: ""
    }
  }
}

extension PolicyWorld.Word {
  fileprivate var text: String {
    let steps = step.map { ", steps: { active: \(PolicyBatch.instant($0))" }
    return switch self {
    case .nothing: ""
    case .served: ", status: active"
    case .servedAndSoon: ", status: active" + (steps ?? "") + " }"
    case .retiring: (steps ?? "") + ", retiring: \(PolicyBatch.instant(-5)) }"
    case .servedSince, .soon, .later: (steps ?? "") + " }"
    }
  }
}

extension ClientWorld: CustomStringConvertible {
  /// What isn't as usual.
  package var description: String {
    var words = ["window \(window)"]
    func say(_ key: Key, _ name: String) {
      words.append("\(name) \(key.place) by \(key.form)" + (key.statesPlace ? "" : " without position"))
    }
    say(old, "old")
    say(new, "new")
    if spare.place != .leaf { say(spare, "spare") }
    func say(_ certificate: Certificate, _ name: String) {
      guard certificate != Certificate() else { return }
      words.append("\(name) \(certificate.kind)" + (certificate.flaw == .none ? "" : " \(certificate.flaw)"))
    }
    for number in 0...1 {
      say(authorities[number].root, "root \(number)")
      say(authorities[number].intermediate, "intermediate \(number)")
      if !authorities[number].usesIntermediate { words.append("root \(number) issues leaves") }
    }
    say(oldLeaf, "old leaf")
    say(newLeaf, "new leaf")
    if sharesRoot { words.append("root 0 signed intermediate 1") }
    if newLeafAuthority == 1 { words.append("the new leaf's file is by authority 1") }
    if !sendsIntermediates { words.append("sends no intermediate") }
    if !crossSent.isEmpty { words.append("sends the intermediates \(crossSent.sorted()) that root 2 signed") }
    if !speaksTLS13 { words.append("TLS 1.2") }
    words.append(hasEvidence ? "evidence" : "no evidence")
    if let step { words.append("step: new on day \(step)") }
    if let change {
      let keys = [change.holder?.rawValue ?? "unknown"] + (change.issuer.map { [$0.rawValue] } ?? [])
      words.append("--server \(keys.joined(separator: ",")) on day \(change.day)")
    }
    if let lost { words.append("--lose \(lost)") }
    let releases = releases.map { "\n  \($0.age) days ago: \($0.layer)" }.joined()
    return words.joined(separator: ", ") + releases + "\n  the policy: \(policy)"
  }

  /// Simpler worlds, each with one thing as usual.
  package var simpler: [ClientWorld] {
    var all: [ClientWorld] = []
    func add(_ change: (inout ClientWorld) -> Void) {
      var world = self
      change(&world)
      world = world.withoutSecrets()
      if world != self, !all.contains(world) { all.append(world) }
    }
    if releases.count > 1 { add { $0.releases.removeFirst() } }
    add { $0.step = nil }
    add { $0.change = nil }
    add { $0.spare = Key(place: .leaf, form: .pin) }
    for number in 0...1 {
      add { $0.authorities[number] = Authority() }
      add { $0.authorities[number].root = Certificate() }
      add { $0.authorities[number].intermediate = Certificate() }
      add { $0.authorities[number].root.kind = .p256 }
      add { $0.authorities[number].intermediate.kind = .p256 }
      add { $0.authorities[number].usesIntermediate = true }
    }
    add { $0.oldLeaf = Certificate() }
    add { $0.newLeaf = Certificate() }
    add { $0.oldLeaf.kind = .p256 }
    add { $0.newLeaf.kind = .p256 }
    add { $0.sharesRoot = false }
    add { $0.newLeafAuthority = 0 }
    add { $0.sendsIntermediates = true }
    add { $0.crossSent = [] }
    add { $0.speaksTLS13 = true }
    add { $0.old.statesPlace = true }
    add { $0.new.statesPlace = true }
    add { if $0.old.form == .publicKey { $0.old.form = .pin } }
    add { if $0.new.form == .publicKey { $0.new.form = .pin } }
    add { if $0.old.form == .pin { $0.old.form = .certificate } }
    add { if $0.new.form == .pin { $0.new.form = .certificate } }
    func layers(_ change: (inout Layer) -> Void) {
      add { world in
        for number in world.releases.indices { change(&world.releases[number].layer) }
        change(&world.policy)
      }
    }
    layers { $0.trust = Trust() }
    layers { $0.requiresBoth = false }
    layers { $0.deniedRoots = [] }
    layers { $0.deniedFiles = [] }
    layers { $0.deniesUnpinned = false }
    layers { $0.isOff = false }
    layers { $0.trust.isSecond = false }
    layers { $0.expires = nil }
    layers { $0.trust.anchors = [] }
    layers { $0.trust.intermediates = [] }
    layers { $0.trust.crossSigned = [] }
    layers { $0.trust.crossIntermediates = [] }
    layers { $0.trust.renamed = [] }
    layers { $0.trust.certificate = nil }
    layers { $0.trust.exceptionUntil = nil }
    layers { $0.trust.otherName = false }
    layers { $0.trust.minimumTLS13 = false }
    layers { $0.trust.minimumRSA = nil }
    layers { $0.trust.minimumEC = nil }
    layers { $0.trust.signatures = [] }
    add { $0.policy = $0.releases[$0.releases.count - 1].layer }
    return all
  }

  /// The simplest world that is like this one in some respect.
  package func simplest(where isAlike: (ClientWorld) throws -> Bool) rethrows -> ClientWorld {
    for world in simpler where try isAlike(world) { return try world.simplest(where: isAlike) }
    return self
  }
}

extension ClientWorld.Layer: CustomStringConvertible {
  package var description: String {
    var words: [String] = []
    for (name, listing) in [("old", old), ("new", new)] where listing != .absent {
      words.append("\(listing) \(name)")
    }
    if !trust.anchors.isEmpty { words.append("anchors \(trust.anchors.sorted())") }
    if !trust.intermediates.isEmpty { words.append("intermediates \(trust.intermediates.sorted())") }
    if !trust.crossSigned.isEmpty { words.append("root 2 signed the roots \(trust.crossSigned.sorted())") }
    if !trust.crossIntermediates.isEmpty {
      words.append("root 2 signed the intermediates \(trust.crossIntermediates.sorted())")
    }
    if !trust.renamed.isEmpty { words.append("anchors under other names \(trust.renamed.sorted())") }
    if let holder = trust.certificate { words.append("\(trust.isSecond ? "second " : "")certificate of \(holder)") }
    if let day = trust.exceptionUntil { words.append("exception until day \(day)") }
    if trust.otherName { words.append("server-name") }
    if trust.minimumTLS13 { words.append("TLS 1.3") }
    if let bits = trust.minimumRSA { words.append("RSA \(bits)") }
    if let bits = trust.minimumEC { words.append("EC \(bits)") }
    if !trust.signatures.isEmpty { words.append("signatures \(trust.signatures)") }
    if !deniedRoots.isEmpty { words.append("denied roots \(deniedRoots.sorted())") }
    if !deniedFiles.isEmpty { words.append("denied files \(deniedFiles.sorted())") }
    if isOff { words.append("off") }
    if deniesUnpinned { words.append("unpinned hosts are denied") }
    if requiresBoth { words.append("leaf-and-ca") }
    if let expires { words.append("\(onExpiry) on day \(expires)") }
    return words.joined(separator: ", ")
  }
}

import PinFormat

/// A day of a world, as an instant.
func instant(_ day: Int) -> Instant { Instant(secondsSinceEpoch: (20_785 + Int64(day)) * 86_400) }

extension ClientWorld {
  static let host = "api.example.com"
  static let otherName = "inner.example.com"
  /// What stands for the end of an entry that ends after every scenario.
  private static let farAhead = 200

  /// A layer as a policy file; with the steps that the policy states.
  func text(_ layer: Layer, _ mint: Mint, hasSteps: Bool) -> String {
    let keys = Holder.allCases.map { holder in
      let steps = hasSteps && holder == .new ? step.map { ", steps: { active: \(instant($0)) }" } ?? "" : ""
      return line(holder, mint) + steps + (layer.denied.contains(holder) ? ", denied: stolen" : "") + " }"
    }
    let denied = layer.deniedRoots.sorted().map {
      "denied\($0): { pin: \(mint.rootPin($0, self)), denied: stolen, custody: HSM \($0), created: 2026-01-01 }"
    }
    let deniedFiles = layer.deniedFiles.sorted().map {
      "denied-\($0): { file: keys/\($0).pem, denied: stolen, custody: HSM \($0), created: 2026-01-01 }"
    }
    let pinned = layer.pinnedRoots.sorted().map {
      "root\($0): { file: keys/root\($0).pem, position: root, custody: HSM \($0), created: 2026-01-01 }"
    }
    func list(_ listing: Listing) -> String {
      let roots = listing == .active ? layer.pinnedRoots.sorted().map { "root\($0)" } : []
      let names = Holder.allCases.filter { layer[$0] == listing }.map(\.rawValue) + roots
      return "\(listing.rawValue): [\(names.joined(separator: ", "))]"
    }
    let unpinned = layer.deniesUnpinned ? ", unpinned-hosts: deny" : ""
    return """
      version: 1
      owner: team
      manifest: { audience: worlds, client-max-age: \(window)d, expires-after: 300d, limits: { max-blast-radius: 100% }\(unpinned) }
      keys:
      \((keys + pinned + denied + deniedFiles).map { "  \($0)" }.joined(separator: "\n"))
      key-sets:
        s: { \(list(.active)), \(list(.backup)) }
      hosts:
      \(layer.isOff ? "  - { host: \(Self.host), mode: off, reason: theirs }" : entryText(layer))

      """
  }

  private func entryText(_ layer: Layer) -> String {
    let trust = trustText(layer.trust)
    return """
        - host: \(Self.host)
          keys: s
          expires: \(instant(layer.expires ?? Self.farAhead))
          on-expiry: \(layer.expires == nil ? "report-only" : layer.onExpiry)
          require: \(layer.requiresBoth ? "leaf-and-ca" : "any")
          report-uris: [https://reports.example.org/]
      \(trust.isEmpty ? "" : "    trust: { \(trust), reason: theirs }")
      """
  }

  private func line(_ holder: Holder, _ mint: Mint) -> String {
    let (name, key) = (holder.rawValue, key(holder))
    let pair = pair(of: holder, mint)
    let identity: String =
      switch key.form {
      case .pin: "pin: \(pair.pin)"
      case .publicKey: "file: keys/\(name).pub"
      case .certificate: "file: keys/\(name).pem"
      }
    let place = key.statesPlace ? ", position: \(key.place.rawValue)" : ""
    return "\(name): { \(identity)\(place), custody: HSM \(name), created: 2026-01-01"
  }

  private func trustText(_ trust: Trust) -> String {
    var fields: [String] = []
    if !trust.anchors.isEmpty {
      let anchors =
        trust.anchors.sorted().map { $0 == .system ? "system" : "keys/\($0.rawValue).pem" }
        + trust.renamed.sorted().map { "keys/renamed-\($0.rawValue).pem" }
      fields.append("anchors: [\(anchors.joined(separator: ", "))]")
    }
    if !trust.intermediates.isEmpty || !trust.crossSigned.isEmpty || !trust.crossIntermediates.isEmpty {
      let files =
        trust.intermediates.sorted().map { "keys/intermediate\($0).pem" }
        + trust.crossSigned.sorted().map { "keys/crossSigned\($0).pem" }
        + trust.crossIntermediates.sorted().map { "keys/crossIntermediate\($0).pem" }
      fields.append("intermediates: [\(files.joined(separator: ", "))]")
    }
    if let holder = trust.certificate {
      fields.append("certificate: keys/leaf-\(holder.rawValue)\(trust.isSecond ? "-2" : "").pem")
    }
    let excused = trust.excused
    if let until = trust.exceptionUntil, let failure = (excused == .old ? oldLeaf : newLeaf).flaw.excusable {
      let file = "keys/leaf-\(excused.rawValue).pem"
      fields.append(
        "exceptions: [{ failure: \(failure), certificate: \(file), until: \(instant(until)), reason: late }]")
    }
    if trust.otherName { fields.append("server-name: \(Self.otherName)") }
    if trust.minimumTLS13 { fields.append("minimum-tls: \"1.3\"") }
    if let bits = trust.minimumRSA { fields.append("minimum-rsa-bits: \(bits)") }
    if let bits = trust.minimumEC { fields.append("minimum-ec-bits: \(bits)") }
    if !trust.signatures.isEmpty { fields.append("signatures: [\(trust.signatures.joined(separator: ", "))]") }
    return fields.joined(separator: ", ")
  }

  /// The files beside the policy.
  func files(_ mint: Mint) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for number in authorities.indices {
      files["keys/root\(number).pem"] = pem("CERTIFICATE", try mint.root(number, self))
      files["keys/intermediate\(number).pem"] = pem("CERTIFICATE", try mint.intermediate(number, self))
      files["keys/crossSigned\(number).pem"] = pem("CERTIFICATE", try mint.crossSigned(number, self))
      files["keys/crossIntermediate\(number).pem"] = pem("CERTIFICATE", try mint.crossIntermediate(number, self))
      files["keys/renamed-root\(number).pem"] = pem("CERTIFICATE", try mint.renamedRoot(number, self))
      files["keys/renamed-intermediate\(number).pem"] = pem("CERTIFICATE", try mint.renamedIntermediate(number, self))
    }
    for holder in Holder.allCases {
      let (name, key, number) = (holder.rawValue, key(holder), holder.number)
      let leaf = try mint.leaf(.of(holder), self)
      files["keys/leaf-\(name).pem"] = pem("CERTIFICATE", leaf)
      files["keys/leaf-\(name)-2.pem"] = pem("CERTIFICATE", try mint.leaf(.of(holder, isSecond: true), self))
      files["keys/\(name).pub"] = pem("PUBLIC KEY", pair(of: holder, mint).publicKey)
      switch key.place {
      case .leaf: files["keys/\(name).pem"] = pem("CERTIFICATE", leaf)
      case .intermediate: files["keys/\(name).pem"] = files["keys/intermediate\(number).pem"]
      case .root: files["keys/\(name).pem"] = files["keys/root\(number).pem"]
      }
    }
    return files
  }

  func pair(of holder: Holder, _ mint: Mint) -> KeyPair {
    let key = key(holder)
    return mint.ring.pair(use(key, holder), kind(key, holder))
  }

  private func use(_ key: Key, _ holder: Holder) -> KeyRing.Use {
    switch (key.place, holder) {
    case (.leaf, .old): .leafOld
    case (.leaf, .new): .leafNew
    case (.intermediate, .old): .intermediateA
    case (.intermediate, .new): .intermediateB
    case (.root, .old): .rootA
    case (.root, .new): .rootB
    case (.leaf, .spare): .spare
    case (.intermediate, .spare): .intermediateC
    case (.root, .spare): .rootC
    }
  }

  private func kind(_ key: Key, _ holder: Holder) -> KeyPair.Kind {
    let number = holder.number
    let kind: KeyKind =
      switch key.place {
      case .leaf:
        switch holder {
        case .old: oldLeaf.kind
        case .new: newLeaf.kind
        case .spare: .p256
        }
      case .intermediate: authorities[number].intermediate.kind
      case .root: authorities[number].root.kind
      }
    return KeyPair.Kind(kind)
  }
}

extension KeyPair.Kind {
  init(_ kind: ClientWorld.KeyKind) {
    self =
      switch kind {
      case .p256: .p256
      case .p384: .p384
      case .rsa2048: .rsa2048
      case .rsa3072: .rsa3072
      case .ed25519: .ed25519
      case .rsaEvenExponent: .rsaEvenExponent
      }
  }
}

extension ClientWorld.Flaw {
  /// The failure that an exception names.
  var excusable: String? {
    switch self {
    case .ends: "expired"
    case .begins: "not-yet-valid"
    case .otherName: "name-mismatch"
    case .clientAuth: "wrong-usage"
    case .none, .noCertSign, .noKeyUsage, .noIdentifiers, .excludesHost, .permitsOthers, .noFurtherAuthority,
      .excludesOtherName, .otherIdentifier, .noSubjectIdentifier, .noAuthorityIdentifier:
      nil
    }
  }
}

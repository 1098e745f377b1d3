package import PinFormat

/// Who is to sign what, while a keyset is put together.
package struct KeysetPlan: Sendable {
  var keys: [Keyset.Key] = []
  var roots: Keyset.Role
  var signers: Keyset.Role

  /// 2^53 - 1, the largest version, epoch and serial of the format.
  static let largestCount: Int64 = 9_007_199_254_740_991

  init(_ keyset: Keyset) {
    keys = keyset.keys
    roots = keyset.roots
    signers = keyset.signers
  }

  private init(rootThreshold: Int, threshold: Int) {
    roots = Keyset.Role(keys: [], threshold: rootThreshold)
    signers = Keyset.Role(keys: [], threshold: threshold)
  }

  /// Makes the first version of a keyset, which clients are shipped with.
  ///
  /// - Parameters:
  ///   - audience: The environment whose manifests it governs.
  ///   - issued: When it is made.
  ///   - expires: From when on no further manifest is taken by it.
  ///   - minimumSerial: The lowest serial of a manifest that clients accept.
  ///   - roots: Who signs keysets; a key that is in both lists, under one name, has both roles.
  ///   - rootThreshold: How many of them a keyset needs.
  ///   - signers: Who signs manifests.
  ///   - threshold: How many of them a manifest needs.
  /// - Returns: Version 1.
  /// - Throws: ``KeysetPlanError`` where it would be unusable.
  package static func first(
    audience: String, issued: Instant, expires: Instant, minimumSerial: Int64 = 1, roots: [Keyset.Key],
    rootThreshold: Int, signers: [Keyset.Key], threshold: Int
  ) throws(KeysetPlanError) -> Keyset {
    var plan = KeysetPlan(rootThreshold: rootThreshold, threshold: threshold)
    for key in roots { try plan.apply(.addRoot(key)) }
    for key in signers { try plan.apply(.addSigner(key)) }
    let parts = try plan.checkedParts()
    let keyset = Keyset(
      audience: audience, version: 1, issued: issued, expires: expires, minimumSerial: minimumSerial,
      roots: parts.roots, signers: parts.signers, keys: parts.keys)
    try check(numbersOf: keyset)
    return keyset
  }

  mutating func apply(_ edit: KeysetRequest.Edit) throws(KeysetPlanError) {
    switch edit {
    case .addRoot(let key): try add(key, to: \.roots, "a root")
    case .addSigner(let key): try add(key, to: \.signers, "a signer")
    case .removeRoot(let name): try remove(name, from: \.roots, "root", others: signers, "signer", "--remove-signer")
    case .removeSigner(let name): try remove(name, from: \.signers, "signer", others: roots, "root", "--remove-root")
    case .replace(let name, let key): try replace(name, with: [key])
    case .revoke(let name, let others): try replace(name, with: others)
    }
  }

  private mutating func replace(_ name: String, with others: [Keyset.Key]) throws(KeysetPlanError) {
    let (isRoot, isSigner) = (roots.keys.contains(name), signers.keys.contains(name))
    guard isRoot || isSigner else { throw unknown(name) }
    roots.keys.removeAll { $0 == name }
    signers.keys.removeAll { $0 == name }
    if let old = keys.first(where: { $0.name == name }),
      others.contains(where: { $0.subjectPublicKeyInfo == old.subjectPublicKeyInfo })
    {
      throw KeysetPlanError(
        "the new key is the one that '\(name)' has already", help: "Make another: pintle key \(name).key.")
    }
    keys.removeAll { $0.name == name }
    for key in others {
      if isRoot { try add(key, to: \.roots, "a root") }
      if isSigner { try add(key, to: \.signers, "a signer") }
    }
  }

  private mutating func add(
    _ key: Keyset.Key, to role: WritableKeyPath<KeysetPlan, Keyset.Role>, _ what: String
  ) throws(KeysetPlanError) {
    guard Self.isName(key.name) else {
      throw KeysetPlanError(
        "'\(key.name)' can't be the name of a key",
        help: "Begin with a-z or 0-9; after that, '.', '_' and '-' are allowed too. The limit is 64 characters.")
    }
    if let same = keys.first(where: { $0.subjectPublicKeyInfo == key.subjectPublicKeyInfo }), same.name != key.name {
      throw KeysetPlanError(
        "'\(same.name)' and '\(key.name)' are one key, which would count once",
        help: "Give each its own key, or this one the same name in both roles.")
    }
    if let other = keys.first(where: { $0.name == key.name }) {
      guard other.subjectPublicKeyInfo == key.subjectPublicKeyInfo else {
        throw KeysetPlanError("there are two keys called '\(key.name)'", help: "Give each its own name.")
      }
      guard !self[keyPath: role].keys.contains(key.name) else {
        throw KeysetPlanError("'\(key.name)' is \(what) twice", help: "Name each key once in a role.")
      }
    } else {
      keys.append(key)
    }
    self[keyPath: role].keys.append(key.name)
  }

  private mutating func remove(
    _ name: String, from role: WritableKeyPath<KeysetPlan, Keyset.Role>, _ what: String, others: Keyset.Role,
    _ other: String, _ otherOption: String
  ) throws(KeysetPlanError) {
    guard let index = self[keyPath: role].keys.firstIndex(of: name) else {
      guard others.keys.contains(name) else { throw unknown(name) }
      throw KeysetPlanError("'\(name)' is not a \(what), it is a \(other)", help: "Give \(otherOption) \(name).")
    }
    self[keyPath: role].keys.remove(at: index)
  }

  private func unknown(_ name: String) -> KeysetPlanError {
    let names = Set(roots.keys + signers.keys).sorted().map { "'\($0)'" }.joined(separator: ", ")
    return KeysetPlanError("the keyset has no key '\(name)'", help: "Its keys are \(names).")
  }

  /// The parts of a keyset, sorted, where both roles can sign.
  func checkedParts() throws(KeysetPlanError) -> (keys: [Keyset.Key], roots: Keyset.Role, signers: Keyset.Role) {
    try Self.check(roots, "root", sign: "keysets", option: "--root-threshold")
    try Self.check(signers, "signer", sign: "manifests", option: "--threshold")
    let used = Set(roots.keys + signers.keys)
    return (
      keys.filter { used.contains($0.name) }.sorted { $0.name < $1.name },
      Keyset.Role(keys: roots.keys.sorted(), threshold: roots.threshold),
      Keyset.Role(keys: signers.keys.sorted(), threshold: signers.threshold)
    )
  }

  private static func check(
    _ role: Keyset.Role, _ what: String, sign: String, option: String
  ) throws(KeysetPlanError) {
    guard !role.keys.isEmpty else {
      throw KeysetPlanError("there would be no key left to sign \(sign)", help: "Add a \(what).")
    }
    guard role.keys.count <= FormatLimits.keysOfARole else {
      throw KeysetPlanError(
        "\(role.keys.count) \(what)s are more than the \(FormatLimits.keysOfARole) that a keyset may have",
        help: "Leave some out.")
    }
    guard role.threshold >= 1 else {
      throw KeysetPlanError("a threshold of \(role.threshold) would require no signature", help: "Pass 1 or more.")
    }
    guard role.threshold <= role.keys.count else {
      let keys = role.keys.count == 1 ? "there would be 1" : "there would be \(role.keys.count)"
      throw KeysetPlanError(
        "\(sign) would need the signatures of \(role.threshold) \(what)s, and \(keys), so they could not be signed any more",
        help: "Add a \(what), or lower the threshold with \(option).")
    }
  }

  /// Whether the times and numbers are such as the format has.
  static func check(numbersOf keyset: Keyset) throws(KeysetPlanError) {
    let audienceBytes = TextScan.encodedBytes(keyset.audience.utf8Span.span)
    guard (1...FormatLimits.textBytes).contains(audienceBytes) else {
      throw KeysetPlanError(
        "the audience has \(audienceBytes) bytes, 1 to \(FormatLimits.textBytes) are possible",
        help: "Name the environment, such as production.")
    }
    guard keyset.issued < keyset.expires else {
      throw KeysetPlanError(
        "it would expire \(keyset.expires), which is not after \(keyset.issued), when it is issued",
        help: "Give a later --expires.")
    }
    guard (1...largestCount).contains(keyset.minimumSerial) else {
      throw KeysetPlanError(
        "\(keyset.minimumSerial) can't be the minimum serial",
        help: "Serials are from 1 to \(largestCount).")
    }
  }

  /// `[a-z0-9][a-z0-9._-]*`, at most 64 characters.
  private static func isName(_ name: String) -> Bool {
    let letters = Array(name.utf8)
    guard (1...64).contains(letters.count) else { return false }
    let isPlain = { (byte: UInt8) in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return isPlain(letters[0]) && letters.allSatisfy { isPlain($0) || [0x2E, 0x5F, 0x2D].contains($0) }
  }
}

/// Why a keyset can't be made as asked: it would be unusable, or nobody would take it.
package struct KeysetPlanError: Error, Hashable, Sendable {
  /// What is wrong: a clause in lower case without a full stop.
  package var message: String
  /// The way out, as an instruction.
  package var help: String

  init(_ message: String, help: String) {
    self.message = message
    self.help = help
  }
}

package import Diagnostics
import OpenSSLKit
package import PinFormat
import PinPolicy
package import PinValidator

/// The files of signing keys; here are the public ones.
package enum SigningKeyFile {
  /// Reads public keys, each as the SubjectPublicKeyInfo of a signer.
  package static func publicKeys(_ paths: [String]) throws(WorkFailure) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for path in paths { keys.append(try publicKey(path)) }
    return keys
  }

  /// Reads the public key of a signer whose private key is somewhere else.
  package static func candidate(_ path: String) throws(WorkFailure) -> Signer.Key {
    let key = try publicKey(path)
    do {
      return try Signer.Key(publicKey: key)
    } catch {
      throw WorkFailure(.failed, "'\(path)' can't be used: \(error.message)")
    }
  }

  private static func publicKey(_ path: String) throws(WorkFailure) -> [UInt8] {
    let pem = try InputFile.read(path, limit: InputFile.keyLimit)
    do throws(CryptoError) {
      let key = try PublicKey(pem: pem)
      _ = try SigningAlgorithm(key.algorithm)
      return key.subjectPublicKeyInfo
    } catch {
      if let other = WrongFile.failure(path, pem, needed: .publicKey) { throw other }
      throw WorkFailure(
        .failed, "'\(path)' is not a signer's public key: \(error.message)",
        help: "Give the file that 'pintle key PATH' wrote as PATH.pub.")
    }
  }
}

/// Those whose signatures on a manifest count, as people know them.
package struct KnownSigners {
  /// One key.
  package struct Member {
    /// The keyset's name, or the path of the key.
    package var name: String
    package var key: Signer.Key
  }

  package private(set) var members: [Member]
  /// How many of them must have signed.
  package private(set) var threshold: Int

  /// Those whom a keyset names, or the keys that were given one by one, by their paths.
  ///
  /// - Parameters:
  ///   - trust: Whose signatures count.
  ///   - paths: Where the keys were read from, unless a keyset names them.
  ///   - threshold: How many of those must have signed.
  /// - Throws: ``WorkFailure`` where a key can't be used, or more signatures are asked for than there are keys.
  package init(_ trust: Trust, paths: [String], threshold: Int) throws(WorkFailure) {
    let names = trust.keyset?.keyset.signers.keys ?? paths
    self.threshold = trust.keyset?.keyset.signers.threshold ?? threshold
    members = []
    for (name, publicKey) in zip(names, trust.publicKeys) {
      let key: Signer.Key
      do { key = try Signer.Key(publicKey: publicKey) } catch { throw WorkFailure(.failed, error.message) }
      if !contains(key.id) { members.append(Member(name: name, key: key)) }
    }
    guard (1...max(1, members.count)).contains(self.threshold) else {
      throw WorkFailure(
        .usage, "\(threshold) signatures can't be required: the number of different keys is \(members.count)",
        help: "--threshold is from 1 to the number of different --key files.")
    }
  }

  package var keys: [Signer.Key] { members.map(\.key) }

  package func contains(_ keyID: SHA256Digest) -> Bool { members.contains { $0.key.id == keyID } }

  /// A signer as it is shown: `bob (1d0d…)`.
  package func name(of keyID: SHA256Digest) -> String {
    guard let member = members.first(where: { $0.key.id == keyID }) else { return keyID.hex }
    return "\(VisibleText.of(member.name)) (\(keyID.hex))"
  }

  /// `1 of 2 signatures; bob or carol still`; nil if enough have signed.
  package func open(_ signed: some Sequence<SHA256Digest>) -> String? {
    let signed = Set(signed)
    let count = members.count { signed.contains($0.key.id) }
    guard count < threshold else { return nil }
    let names = members.filter { !signed.contains($0.key.id) }.map { VisibleText.of($0.name) }
    let (missing, all) = (threshold - count, names.count)
    let who =
      missing == 1
      ? names.listed("or") : missing == all ? names.listed() : "\(missing) of \(names.joined(separator: ", "))"
    return "\(count) of \(counted(threshold, "signature")); \(who) still"
  }

  /// What is still needed where some have signed: `1 of 2 needed, 1 more of bob, carol`.
  package func standing(_ signed: some Sequence<SHA256Digest>) -> String {
    let signed = Set(signed)
    let count = members.count { signed.contains($0.key.id) }
    guard count < threshold else { return "enough, \(threshold) \(threshold == 1 ? "is" : "are") needed" }
    let open = members.filter { !signed.contains($0.key.id) }.map { VisibleText.of($0.name) }
    return "\(count) of \(threshold) needed, \(threshold - count) more of \(open.joined(separator: ", "))"
  }
}

/// Whose signatures a manifest bears, and whose are missing.
package struct SignatureStandings {
  /// Whose signatures count; nil where nobody said.
  package let known: KnownSigners?
  /// The keys of all signatures that are there, in the order of the file.
  package let present: [SHA256Digest]

  package init(known: KnownSigners?, present: [SHA256Digest]) {
    self.known = known
    self.present = present
  }

  package func text() -> String {
    guard let known else {
      let ids = present.map { "  \($0.hex)\n" }.joined()
      return present.isEmpty
        ? "signatures: none yet\n" : "signatures: \(present.count), by unknown signers: pass --keyset or --key\n" + ids
    }
    var table = Table()
    for member in known.members {
      table.add(
        VisibleText.of(member.name), present.contains(member.key.id) ? "has signed" : "not yet", member.key.id.hex)
    }
    let strangers = present.filter { !known.contains($0) }
    for id in strangers { table.add("somebody else", "counts for nothing", id.hex) }
    return "signatures: \(known.standing(present))\n" + table.text(indent: 2)
  }
}

extension TrustedKeyset {
  /// Refuses a release that no client of the keyset, which is in a file, would take.
  package func requireTaken(_ release: Manifest, at instant: Instant, _ path: String?) throws(WorkFailure) {
    guard release.audience.utf8.elementsEqual(audience.utf8) else {
      throw WorkFailure(
        .refused, "the policy is for '\(release.audience)', and the keyset for '\(audience)'; nothing was built",
        help: "Give the keyset of the policy's audience.")
    }
    guard release.serial >= keyset.minimumSerial else {
      throw WorkFailure(
        .refused,
        "the release would have serial \(release.serial), and clients with version \(version) of the keyset take none "
          + "below \(keyset.minimumSerial); nothing was built",
        help: "Give a serial: --serial \(keyset.minimumSerial) or more.")
    }
    guard instant < expires else {
      throw WorkFailure(
        .refused,
        "version \(version) of the keyset expired \(expires): no client accepts a release with it; nothing was built",
        help: "Renew it first: \(KeysetDraft.next(after: path)).")
    }
  }

  /// Those of some signers whose signatures count.
  private func counting(_ signers: [Signer]) -> [Signer] {
    let ids = Set(self.signers.keyIDs)
    return signers.filter { $0.keys.contains { ids.contains($0.id) } }
  }

  /// Who signs for which audience: with a keyset of its own, those whose signatures count with it.
  ///
  /// - Parameters:
  ///   - signers: Everybody who is to sign.
  ///   - keysets: That of each audience; nil where there is none, and everybody signs.
  ///   - outcome: The end of a refusal.
  /// - Returns: The signers for each audience.
  /// - Throws: ``WorkFailure`` where somebody's signature would count nowhere, or nobody's for one of the audiences.
  package static func share(
    _ signers: [Signer], among keysets: [TrustedKeyset?], otherwise outcome: String = "nothing was built"
  ) throws(WorkFailure) -> [[Signer]] {
    let shares = keysets.map { $0?.counting(signers) ?? signers }
    let used = Set(shares.joined().flatMap(\.keys))
    let unused = signers.filter { !$0.keys.contains { used.contains($0) } }
    for case (let keyset?, let share) in zip(keysets, shares) where !signers.isEmpty {
      if keysets.count == 1 || !unused.isEmpty { try keyset.requireSigners(unused, outcome) }
      guard share.isEmpty else { continue }
      throw WorkFailure(
        .refused,
        "no --sign-key is a signer of version \(keyset.version) of the keyset for '\(keyset.audience)'; \(outcome)",
        help: "Sign with the key of \(KeysetDraft.list(keyset.keyset.signers.keys, joinedBy: "or")) too.")
    }
    return shares
  }

  /// Refuses signers whose signatures wouldn't count.
  private func requireSigners(_ signers: [Signer], _ outcome: String) throws(WorkFailure) {
    let counting = Set(counting(signers).flatMap(\.keys))
    for signer in signers where !signer.keys.contains(where: { counting.contains($0) }) {
      let names = KeysetDraft.list(keyset.signers.keys, joinedBy: "or")
      throw WorkFailure(
        .refused,
        "the key \(signer.keys[0].id.hex) is not a signer of version \(version) of the keyset for '\(audience)'; "
          + outcome,
        help: "Sign with the key of \(names), or run without --keyset.")
    }
  }
}

package import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

/// Signed files to publish together; clients would accept all of them.
package struct Publication: Sendable {
  private let trust: Trust
  /// In order of epoch and serial, by audience.
  private let releases: [(audience: String, all: [ReleasedManifest])]

  /// Reads and verifies what will be published; writes nothing.
  ///
  /// - Parameters:
  ///   - paths: Manifests, or folders of all releases. None: only the keyset is published.
  ///   - trust: Whose signatures count; with a keyset, its versions are published too.
  ///   - audience: The audience that all must be for; any where nil.
  /// - Throws: ``WorkFailure``, of kind `refused` where clients would reject a file.
  package init(_ paths: [String], trust: Trust, audience: String?) throws(WorkFailure) {
    self.trust = trust
    let files = ReleasedFiles(trust: trust)
    var found: [String: [ReleasedManifest]] = [:]
    for path in paths {
      for release in try files.all(path) {
        let name = release.loaded.audience
        try PublishedFile.check(audience: name)
        guard audience.map({ $0.utf8.elementsEqual(name.utf8) }) ?? true else {
          throw WorkFailure(
            .refused, code: ManifestError.Code.wrongAudience.description,
            "'\(release.path ?? path)' is rejected: it is for the audience '\(name)', not for "
              + "'\(VisibleText.of(audience ?? ""))'",
            help: "Publish the manifest of this environment, or correct --audience.")
        }
        found[name, default: []].append(release)
      }
    }
    if let keyset = trust.keyset { try PublishedFile.check(audience: keyset.audience) }
    var ordered: [(audience: String, all: [ReleasedManifest])] = []
    for (audience, all) in found.sorted(by: { $0.key < $1.key }) { ordered.append((audience, try Self.inOrder(all))) }
    releases = ordered
    // Older releases are verified by the keyset of their time, but clients take the newest by today's.
    for newest in newest {
      _ = try trust.load(
        newest.loaded.fileBytes, of: newest.path ?? newest.name, audience: newest.loaded.audience, against: nil)
    }
  }

  /// The newest release of each audience, which its clients fetch afterwards.
  package var newest: [ReleasedManifest] { releases.map { Self.newest(of: $0.all, under: trust.keyset) } }

  /// Never none: without a good release, the last one, which clients of the keyset would reject.
  private static func newest(of all: [ReleasedManifest], under keyset: TrustedKeyset?) -> ReleasedManifest {
    all.line(under: keyset).last ?? all[all.count - 1]
  }

  /// Sorts releases of one audience, each once.
  private static func inOrder(_ all: [ReleasedManifest]) throws(WorkFailure) -> [ReleasedManifest] {
    let sorted = all.sorted(by: ReleasedManifest.isBefore)
    var kept: [ReleasedManifest] = []
    for release in sorted {
      guard let last = kept.last, last.isBeside(release) else {
        kept.append(release)
        continue
      }
      guard last.loaded.hasFileBytes(of: release.loaded) else {
        throw WorkFailure(
          .unsafeRotation, code: "conflicting-serial",
          "'\(release.path ?? release.name)' and '\(last.path ?? last.name)' are different files with serial "
            + "\(release.loaded.serial)",
          help: "Clients that have one of the two reject the other. Publish only one of them.")
      }
    }
    return kept
  }
}

extension Publication {
  /// What is published, after the comparison with what is there.
  package struct Plan: Sendable {
    /// In the order in which they are written: what never changes first, pointers last.
    package fileprivate(set) var files: [PublishedFile] = []
    /// False where clients of the newest keyset reject the manifest that stays published.
    package fileprivate(set) var isPointerEndorsed = true

    /// Those that aren't there yet.
    package var missing: [PublishedFile] { files.filter { $0.action != .keep } }

    /// Writes what is missing; after a failure the rest is written by publishing again.
    package func write(to target: some PublicationTarget) throws(WorkFailure) {
      try target.tidy(beside: files.map(\.path))
      let missing = missing
      for (index, file) in missing.enumerated() {
        do throws(WorkFailure) {
          switch file.kind {
          case .keyset, .manifest: try target.create(file.bytes, at: file.path)
          case .pointer: try target.replace(file.path, holding: file.present, with: file.bytes)
          }
        } catch {
          var failure = error
          failure.help =
            (error.help.map { $0 + " " } ?? "")
            + "\(index) of \(counted(missing.count, "file")) are written, and clients still accept what they find. "
            + "Run the same command again for the rest."
          throw failure
        }
      }
    }
  }

  /// Compares with what is published, and refuses whatever clients would reject after that.
  package func plan(for target: some PublicationTarget) throws(WorkFailure) -> Plan {
    var plan = Plan()
    plan.files = try keysets(for: target)
    var pointers: [PublishedFile] = []
    for (audience, all) in releases {
      let path = PublishedFile.pointer(of: audience)
      let present = try target.read(path, limit: InputFile.manifestLimit)
      let published = try present.map { bytes throws(WorkFailure) in try self.published(bytes, path, target) }
      let newest = Self.newest(of: all, under: trust.keyset)
      if let published { try requireNewer(newest, than: published, at: path, in: target) }
      // What is below the pointer was published before it.
      for release in all where published.map({ !release.isBelow($0) }) ?? true {
        plan.files.append(try immutable(release, for: target))
      }
      pointers.append(
        PublishedFile(
          kind: .pointer, audience: audience, number: newest.loaded.serial, path: path, bytes: newest.loaded.fileBytes,
          present: present, replacedSerial: published?.loaded.serial))
    }
    plan.files += pointers
    if releases.isEmpty, let keyset = trust.keyset {
      let path = PublishedFile.pointer(of: keyset.audience)
      if let bytes = try target.read(path, limit: InputFile.manifestLimit) {
        plan.isPointerEndorsed = (try? trust.load(bytes, of: path, audience: nil)) != nil
      }
    }
    return plan
  }

  private func immutable(
    _ release: ReleasedManifest, for target: some PublicationTarget
  ) throws(WorkFailure) -> PublishedFile {
    let (audience, serial) = (release.loaded.audience, release.loaded.serial)
    let path = PublishedFile.manifest(serial, epoch: release.epoch, of: audience)
    let file = PublishedFile(
      kind: .manifest, audience: audience, number: serial, path: path, bytes: release.loaded.fileBytes,
      present: try target.read(path, limit: InputFile.manifestLimit))
    guard file.action != .replace else {
      throw WorkFailure(
        .unsafeRotation, code: "conflicting-serial", "'\(path)' is published in '\(target.name)' with other bytes",
        help: "A published file never changes, not even by further signatures: release under the next serial. If that "
          + "file isn't a release of yours, find out who wrote it, and remove it.")
    }
    return file
  }

  /// Verifies the manifest that clients find now.
  private func published(
    _ bytes: [UInt8], _ path: String, _ target: some PublicationTarget
  ) throws(WorkFailure) -> ReleasedManifest {
    do {
      return try ReleasedManifest(trust.loadReleased(bytes, of: path), path: path)
    } catch {
      // It might be newer, so it isn't replaced.
      throw WorkFailure(
        error.kind, code: error.code, "the published \(error.message)",
        help: "Nothing was written to '\(target.name)'. If somebody who isn't in --keyset or --key signed it, add the "
          + "newest keyset or that key. If it isn't a release of yours, find out who wrote it, and remove it.")
    }
  }

  /// Refuses a release that clients of the published one wouldn't take.
  private func requireNewer(
    _ newest: ReleasedManifest, than published: ReleasedManifest, at path: String, in target: some PublicationTarget
  ) throws(WorkFailure) {
    let name = "'\(newest.path ?? newest.name)'"
    // The newest keyset endorses the newest release, so its epoch is the highest.
    guard newest.epoch == published.epoch, let digest = newest.digest else { return }
    let succession: Succession
    do {
      succession = try Succession.find(
        of: newest.loaded, digest: digest, after: [published], under: trust.keyset, allowsGap: true)
    } catch .serialNotAbove(let serial, let last) {
      throw WorkFailure(
        .unsafeRotation, code: "older-serial",
        "\(name) is rejected: its serial \(serial) is below \(last), which is published in '\(target.name)'",
        help: "Publishing never goes back, and clients that have serial \(last) reject a lower one. To return to an "
          + "older policy, release it again with a higher serial.")
    } catch {
      throw WorkFailure(
        error.isOfAudience ? .refused : .unsafeRotation, code: "not-a-successor",
        "\(name) is rejected, compared with '\(path)' in '\(target.name)': \(error.message)", help: error.help)
    }
    guard case .again = succession, !newest.loaded.hasFileBytes(of: published.loaded) else { return }
    throw WorkFailure(
      .unsafeRotation, code: "conflicting-serial",
      "\(name) is rejected: serial \(newest.loaded.serial) is published in '\(target.name)' with other signatures",
      help: "A published file never changes: release under the next serial.")
  }
}

extension Publication {
  /// The versions of the keyset, which clients ask for one by one.
  private func keysets(for target: some PublicationTarget) throws(WorkFailure) -> [PublishedFile] {
    guard let first = trust.keysets.first, let newest = trust.keyset else { return [] }
    var files: [PublishedFile] = []
    for keyset in trust.keysets {
      let path = PublishedFile.keyset(keyset.version, of: keyset.audience)
      let file = PublishedFile(
        kind: .keyset, audience: keyset.audience, number: keyset.version, path: path, bytes: keyset.fileBytes,
        present: try target.read(path, limit: InputFile.keysetLimit))
      guard file.action != .replace else {
        throw WorkFailure(
          .refused, code: KeysetError.Code.conflictingVersion.description,
          "'\(path)' is published in '\(target.name)' with other bytes",
          help: "Clients that have one of the two reject the other: release the next version. If that file isn't "
            + "yours, find out who wrote it, and remove it.")
      }
      files.append(file)
    }
    let next = PublishedFile.keyset(newest.version + 1, of: newest.audience)
    guard try target.read(next, limit: InputFile.keysetLimit) == nil else {
      throw WorkFailure(
        .refused, code: KeysetError.Code.olderVersion.description,
        "'\(target.name)' has '\(next)', a newer version than \(newest.version) of --keyset",
        help: "Pass the newest keyset. If that file isn't yours, find out who wrote it, and remove it.")
    }
    if first.version > 1, files[0].action == .create { try requireConnected(first, in: target) }
    return files
  }

  /// Checks that clients can go on to the first version from the one before it.
  private func requireConnected(_ first: TrustedKeyset, in target: some PublicationTarget) throws(WorkFailure) {
    let path = PublishedFile.keyset(first.version - 1, of: first.audience)
    guard let bytes = try target.read(path, limit: InputFile.keysetLimit) else {
      throw WorkFailure(
        .refused, code: KeysetError.Code.skippedVersion.description,
        "version \(first.version) of the keyset is rejected: '\(target.name)' doesn't have version "
          + "\(first.version - 1)",
        help: "Clients take one version after the other: pass the folder of all versions to --keyset.")
    }
    do {
      _ = try TrustedKeyset.load(shipped: bytes, requiredAudience: first.audience).successor(first.fileBytes)
    } catch {
      throw WorkFailure(
        .refused, code: error.code.description,
        "version \(first.version) of the keyset is rejected after '\(path)' in '\(target.name)': \(error.message)",
        help: "Pass the folder of all versions to --keyset, to see which of them is wrong.")
    }
  }
}

extension ReleasedManifest {
  fileprivate func isBelow(_ other: ReleasedManifest) -> Bool {
    (epoch, loaded.serial) < (other.epoch, other.loaded.serial)
  }
}

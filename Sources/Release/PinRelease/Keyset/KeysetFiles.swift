package import Diagnostics
import Glibc
import PinFormat
import PinPolicy
package import PinValidator

/// Keyset files on disk: single ones, or a folder of all versions, `1.keyset.json` and so on.
package enum KeysetFiles {
  package static let suffix = ".keyset.json"

  /// The most versions that are walked in one go, as at a client.
  private static let versionLimit = 256

  /// Reads a file, which may be a draft.
  package static func read(_ path: String) throws(WorkFailure) -> KeysetFile {
    try keyset(in: InputFile.read(path, limit: InputFile.keysetLimit), of: path)
  }

  /// Reads the bytes of a file.
  package static func keyset(in bytes: [UInt8], of path: String) throws(WorkFailure) -> KeysetFile {
    do {
      return try KeysetFile(reading: bytes)
    } catch {
      throw WrongFile.failure(path, bytes, needed: .keyset)
        ?? WorkFailure(
          .failed, "'\(path)' can't be read as a keyset: \(error.message)",
          help: "Give a file that 'pintle keyset init' or 'pintle keyset next' wrote, byte for byte.")
    }
  }

  /// A version that clients have.
  package typealias Trusted = (file: KeysetFile, keyset: TrustedKeyset, path: String)

  /// Reads a version that clients have, trusted as one that was shipped with them.
  package static func trusted(_ path: String) throws(WorkFailure) -> Trusted {
    let file = try read(path)
    do throws(KeysetError) {
      return (file, try TrustedKeyset.load(shipped: file.bytes, requiredAudience: nil), path)
    } catch {
      throw failure(KeysetWalk.Refusal(path: path, trusted: nil, error: error), file.bytes)
    }
  }

  /// Walks from the first file to the last as a client does; a folder stands for all versions in it.
  package static func walk(_ paths: [String], audience: String?) throws(WorkFailure) -> KeysetWalk {
    var files: [String] = []
    for path in paths { files += InputFile.isFolder(path) ? try versions(in: path) : [path] }
    return try walk(files, audience: audience) { path throws(WorkFailure) in
      try InputFile.read(path, limit: InputFile.keysetLimit)
    }
  }

  /// Walks through files that somebody else reads; never none.
  static func walk(
    _ files: [String], audience: String?, reading read: (_ path: String) throws(WorkFailure) -> [UInt8]
  ) throws(WorkFailure) -> KeysetWalk {
    guard files.count <= versionLimit else {
      throw WorkFailure(
        .failed, "\(files.count) keysets are more than the \(versionLimit) that a client walks in one go",
        help: "Begin with a later one: the one that clients are shipped with.")
    }
    do {
      var walk = try KeysetWalk(shipped: read(files[0]), path: files[0], audience: audience)
      for file in files.dropFirst() { try walk.take(read(file), path: file) }
      return walk
    } catch let refusal as KeysetWalk.Refusal {
      throw failure(refusal, try? read(refusal.path))
    } catch let failure as WorkFailure {
      throw failure
    } catch {
      throw WorkFailure(.failed, String(describing: error))
    }
  }

  private static func failure(_ refusal: KeysetWalk.Refusal, _ bytes: [UInt8]?) -> WorkFailure {
    let code = refusal.error.code
    let isMalformed = [.malformedFile, .malformedKeyset].contains(code)
    if isMalformed, let bytes,
      let other = WrongFile.failure(refusal.path, bytes, needed: .keyset, .refused, code: code.description)
    {
      return other
    }
    let file = bytes.flatMap { try? KeysetFile(reading: $0) }
    let isDraft = file?.signatures.isEmpty == true
    let named =
      (file.map { [$0.keyring] } ?? []) + (refusal.trusted.flatMap { try? Keyring($0.keyset) }.map { [$0] } ?? [])
    let reason =
      isDraft ? "it is a draft that nobody has signed" : named.reduce(refusal.error.message) { $1.naming(in: $0) }
    var help = refusal.trusted.map { ["Clients stay at version \($0.version)."] } ?? []
    if isDraft || code == .tooFewSignatures, let file { help += missing(file, after: refusal.trusted) }
    if [.olderVersion, .skippedVersion].contains(code) {
      help.append("Give the files in order, each version once, or the folder that they are in.")
    }
    return WorkFailure(
      .refused, code: code.description, "'\(refusal.path)' is rejected: \(reason) [\(code)]",
      help: help.isEmpty ? nil : help.joined(separator: " "))
  }

  /// Whose signatures a file lacks.
  private static func missing(_ file: KeysetFile, after trusted: TrustedKeyset?) -> [String] {
    let previous = trusted.flatMap { try? KeysetFile(reading: $0.fileBytes) }
    guard let signatures = try? KeysetSignatures(of: file, after: previous) else { return [] }
    return KeysetDraft.lines(signatures.tallies).map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
  }

  /// The newest version in a folder, or in each of its folders of audiences; a file is its own.
  ///
  /// - Throws: ``WorkFailure`` where an audience may be left out, as its keyset isn't where its name says.
  package static func newest(in path: String) throws(WorkFailure) -> [String] {
    guard InputFile.isFolder(path) else { return [path] }
    let names = try names(in: path)
    let (own, audiences) = (versions(among: names), audiences(among: names, in: path).sorted())
    guard !audiences.isEmpty else {
      try refuseOthers(among: own.isEmpty ? names : names.filter { !$0.hasSuffix(".json") }, in: path)
      return try versions(in: path).suffix(1)
    }
    guard own.isEmpty else {
      let folder = VisibleText.of(AudienceFolder.path(in: path, audiences[0]))
      throw WorkFailure(
        .usage, "'\(path)' has versions of its own, and so has '\(folder)'",
        help: "\(layout) Or name the newest keyset.")
    }
    try refuseOthers(among: names.filter { !audiences.contains($0) }, in: path)
    var newest: [String] = []
    for audience in audiences {
      let last = try versions(in: AudienceFolder.path(in: path, audience)).suffix(1)
      for path in last {
        let found = try read(path).keyset.audience
        guard found != audience else { continue }
        throw WorkFailure(.refused, "'\(path)' is for the audience '\(VisibleText.of(found))'", help: layout)
      }
      newest += last
    }
    return newest
  }

  private static let layout = "Keep the versions of each audience in the folder of its name: 1.keyset.json and so on."

  /// Refuses keysets, in a folder or in its folders, whose names aren't those of versions.
  private static func refuseOthers(among names: [String], in path: String) throws(WorkFailure) {
    for name in names {
      let place = AudienceFolder.path(in: path, name)
      let files = place == path ? [name] : (try? self.names(in: place)) ?? []
      for file in files where file.hasSuffix(".json") && version(file) == nil {
        let whole = place.hasSuffix("/") ? place + file : "\(place)/\(file)"
        guard InputFile.isRegular(whole), (try? read(whole)) != nil else { continue }
        throw WorkFailure(
          .usage, "'\(VisibleText.of(whole))' is a keyset, and its name isn't that of a version, such as 1.keyset.json",
          help: layout)
      }
    }
  }

  private static func names(in path: String) throws(WorkFailure) -> [String] {
    do throws(FileError) { return try SafeFolder(path).names() } catch {
      throw WorkFailure(.failed, "can't read '\(path)': \(error.detail)")
    }
  }

  /// The folders that have versions.
  private static func audiences(among names: [String], in path: String) -> [String] {
    names.filter { name in
      let folder = AudienceFolder.path(in: path, name)
      return folder != path && (try? SafeFolder(folder).names()).map { !versions(among: $0).isEmpty } ?? false
    }
  }

  /// The files `N.keyset.json` of a folder, in order of N.
  private static func versions(in path: String) throws(WorkFailure) -> [String] {
    let names = try names(in: path)
    let found = versions(among: names).map { (path.hasSuffix("/") ? path : path + "/") + $0 }
    guard !found.isEmpty else {
      let audiences = audiences(among: names, in: path)
      // Where there is one audience, its versions may be in a folder of its name too.
      if audiences.count == 1 { return try versions(in: AudienceFolder.path(in: path, audiences[0])) }
      throw WorkFailure(
        .failed, "'\(path)' contains no keyset: it has no file 'N.keyset.json'",
        help: audiences.isEmpty
          ? "Keep all versions in it: 1.keyset.json, 2.keyset.json and so on."
          : "It has folders for \(audiences.sorted().map(VisibleText.of).joined(separator: ", ")). Each audience and each slice "
            + "needs one of its name; say which is meant with --audience, or name its folder.")
    }
    return found
  }

  /// Of some names, those of the form `N.keyset.json`, in order of N.
  static func versions(among names: [String]) -> [String] {
    var found: [(version: Int64, name: String)] = []
    for name in names {
      if let version = version(name) { found.append((version, name)) }
    }
    return found.sorted { $0.version < $1.version }.map(\.name)
  }

  /// The version of a file `N.keyset.json`; nil for any other name.
  package static func version(_ name: String) -> Int64? {
    guard name.hasSuffix(suffix), let version = Int64(name.dropLast(suffix.count)), version > 0,
      name == "\(version)\(suffix)"
    else { return nil }
    return version
  }
}

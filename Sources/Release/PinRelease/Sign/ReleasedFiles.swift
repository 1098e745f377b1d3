package import Diagnostics
import Glibc
import PinFormat
import PinPolicy
package import PinValidator

/// Released manifests on disk, each verified before it is read.
package struct ReleasedFiles {
  /// Whose signatures count.
  private let trust: Trust

  /// The most manifests of one directory, and the most bytes of all of them.
  private static let fileLimit = 10_000
  private static let byteLimit = 1 << 30

  package init(trust: Trust) {
    self.trust = trust
  }

  /// Reads one manifest.
  package func file(_ path: String) throws(WorkFailure) -> ReleasedManifest {
    try ReleasedManifest(trust.loadReleased(path), path: path)
  }

  /// Reads one manifest, or every manifest of a directory; in order of serial.
  ///
  /// An audience is named where the policy has several. Its releases are in the directory's folder of that name, or
  /// among those of the others; there may be none.
  package func all(_ path: String, for audience: String? = nil) throws(WorkFailure) -> [ReleasedManifest] {
    guard InputFile.isFolder(path) else { return [try file(path)] }
    guard let audience else {
      // Where there is one audience, its releases may be in a folder of its name too.
      let places = try Self.expand(path)
      return try directory(places.count == 1 ? places[0] : path)
    }
    var found: [ReleasedManifest] = []
    for place in Set([path, AudienceFolder.path(in: path, audience)]).sorted() {
      guard try !Self.names(in: place).isEmpty else { continue }
      let releases = try directory(place)
      if place != path, let other = releases.first(where: { $0.loaded.audience != audience }) {
        throw WorkFailure(
          .refused, "'\(other.path ?? place)' is for the audience '\(VisibleText.of(other.loaded.audience))'",
          help: "Keep the releases of each audience in the folder of its name.")
      }
      found += releases.filter { $0.loaded.audience == audience }
    }
    return Self.inOrder(found, under: trust.keyset)
  }

  /// Those for the audience of a manifest, in a directory or its folder there; those that are there if none is for it, of
  /// which the caller then says that they are for another one.
  package func all(_ path: String, of audience: String) throws(WorkFailure) -> [ReleasedManifest] {
    guard InputFile.isFolder(path), AudienceFolder.path(in: path, audience) != path else { return try all(path) }
    let found = try all(path, for: audience)
    return found.isEmpty ? try all(path) : found
  }

  /// The serials of an audience that were withdrawn, by a directory's files and those of its folder.
  package static func withdrawn(in path: String, for audience: String?) throws(WorkFailure) -> Set<Int64> {
    guard InputFile.isFolder(path) else { return [] }
    var found: Set<Int64> = []
    for place in Set([path, AudienceFolder.path(in: path, audience)]) {
      let names = try listed(place).filter { FileIdentity(ofLink: place + "/" + $0)?.isRegular == true }
      found.formUnion(names.compactMap { WithdrawnSerial.serial($0) })
    }
    return found
  }

  /// The audiences that have releases in a directory or in folders of their names, sorted.
  ///
  /// - Parameters:
  ///   - path: The directory; a file has none.
  ///   - trust: Whose signatures count for what is in the directory itself, asked only if something is.
  /// - Returns: Their names; of a folder, its name.
  /// - Throws: ``WorkFailure`` where the directory can't be read, or a manifest in it is refused.
  package static func audiences(
    in path: String, _ trust: () throws(WorkFailure) -> Trust
  ) throws(WorkFailure) -> [String] {
    guard InputFile.isFolder(path) else { return [] }
    var found: Set<String> = []
    if try !names(in: path).isEmpty {
      found.formUnion(try ReleasedFiles(trust: trust()).directory(path).map(\.loaded.audience))
    }
    return try found.union(folders(in: path)).sorted()
  }

  /// The names of a directory's folders that have releases, sorted.
  package static func folders(in path: String) throws(WorkFailure) -> [String] {
    var found: [String] = []
    for name in try listed(path) where !name.hasPrefix(".") && EpochFolder.epoch(name) == nil {
      let folder = AudienceFolder.path(in: path, name)
      if folder != path, try !names(in: folder).isEmpty { found.append(name) }
    }
    return found.sorted()
  }

  /// Where a directory has releases: in itself, and in the folders of audiences, which are named; itself where it has none.
  package static func places(in path: String) throws(WorkFailure) -> [(path: String, audience: String?)] {
    let folders = try folders(in: path).map { (path: AudienceFolder.path(in: path, $0), audience: Optional($0)) }
    return try names(in: path).isEmpty && !folders.isEmpty ? folders : [(path, nil)] + folders
  }

  /// The drafts of a folder and of its folders of audiences: all files whose names end in `.json`.
  package static func drafts(in path: String) throws(WorkFailure) -> [String] {
    var found: [String] = []
    for place in try places(in: path).map(\.path) {
      let files = try names(in: place).map { (place.hasSuffix("/") ? place : place + "/") + $0 }
      found += try isOfSignatures(place, files) ? [] : files
    }
    guard found.isEmpty else { return found }
    throw WorkFailure(
      .failed, "'\(path)' contains no draft: it has no file '*.json'", help: "Name the file, or the folder that has it."
    )
  }

  /// Whether it is the folder of a draft's signatures, and not that of an audience with such a name.
  private static func isOfSignatures(_ place: String, _ files: [String]) throws(WorkFailure) -> Bool {
    let suffix = ".signatures"
    guard place.hasSuffix(suffix) else { return false }
    if InputFile.isRegular(place.dropLast(suffix.count) + ".json") { return true }
    for file in files {
      let bytes = try InputFile.read(file, limit: InputFile.manifestLimit)
      guard (try? DetachedSignature(reading: bytes)) != nil else { return false }
    }
    return true
  }

  /// The folders of all audiences, where a directory has releases only in folders of their names; else the path itself.
  package static func expand(_ path: String) throws(WorkFailure) -> [String] {
    guard InputFile.isFolder(path), try names(in: path).isEmpty else { return [path] }
    let folders = try folders(in: path)
    return folders.isEmpty ? [path] : folders.map { AudienceFolder.path(in: path, $0) }
  }

  /// Reads every manifest of a directory and of its folders of epochs: all files whose names end in `.json`, hidden ones
  /// and other folders left out.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - reject: Gets each file that isn't verified, and may leave it out; throws why unless given.
  /// - Returns: The releases in order of serial; one that is there twice, byte for byte, once.
  /// - Throws: ``WorkFailure`` where the directory can't be read or has no manifest, and what `reject` throws.
  package func directory(
    _ path: String, rejecting reject: (_ path: String, WorkFailure) throws(WorkFailure) -> Void = Self.fail
  ) throws(WorkFailure) -> [ReleasedManifest] {
    try directory(path, of: Self.names(in: path), rejecting: reject) { path throws(WorkFailure) in
      try InputFile.read(path, limit: InputFile.manifestLimit)
    }
  }

  package static func fail(_: String, _ failure: WorkFailure) throws(WorkFailure) { throw failure }

  /// The same of files that somebody else lists and reads.
  func directory(
    _ path: String, of names: [String],
    rejecting reject: (_ path: String, WorkFailure) throws(WorkFailure) -> Void = Self.fail,
    reading read: (_ path: String) throws(WorkFailure) -> [UInt8]
  ) throws(WorkFailure) -> [ReleasedManifest] {
    guard !names.isEmpty else {
      let audiences = try Self.folders(in: path).map(VisibleText.of)
      throw WorkFailure(
        .failed, "'\(path)' contains no released manifest: it has no file '*.json'",
        help: audiences.isEmpty
          ? "Keep every manifest that is released in it, named by its serial, such as '0007.json'."
          : "It has releases in folders: \(audiences.joined(separator: ", ")). Name one of these folders.")
    }
    guard names.count <= Self.fileLimit else {
      throw WorkFailure(
        .failed, "'\(path)' holds more than \(Self.fileLimit) files '*.json'",
        help: "Keep the manifests that clients may still have, and move older ones elsewhere.")
    }
    var found: [ReleasedManifest] = []
    var bytes = 0
    for name in names {
      let whole = (path.hasSuffix("/") ? path : path + "/") + name
      let content = try read(whole)
      let file: VerifiedFile
      do throws(WorkFailure) { file = try trust.loadReleased(content, of: whole) } catch {
        try reject(whole, Self.explained(error, (try? SignedManifest.keyIDs(of: content))?.count, in: path))
        continue
      }
      let release = try ReleasedManifest(file, path: whole)
      bytes += file.bytes.count
      guard bytes <= Self.byteLimit else {
        throw WorkFailure(
          .failed, "the manifests in '\(path)' have more than \(Self.byteLimit >> 30) GiB",
          help: "Keep the manifests that clients may still have, and move older ones elsewhere.")
      }
      found.append(release)
    }
    return Self.inOrder(found, under: trust.keyset)
  }

  /// A file that lacks signatures may be a draft, which has no place among releases.
  private static func explained(_ failure: WorkFailure, _ signatures: Int?, in path: String) -> WorkFailure {
    var failure = failure
    let rule = "'\(path)' holds only what clients have"
    if signatures == 0 {
      failure.help = "Move it elsewhere, to be signed there: \(rule)."
    } else if failure.code == ManifestError.Code.tooFewSignatures.description {
      failure.help = ["If it is a draft, move it elsewhere: \(rule).", failure.help].compactMap(\.self)
        .joined(separator: " ")
    }
    return failure
  }

  /// The releases in the order in which clients take them, each once; of one serial, they are named by their files too.
  ///
  /// Under a keyset that begins an epoch, those that it drops come first: the last one is the newest release, which the
  /// next one follows.
  package static func inOrder(
    _ found: [ReleasedManifest], under keyset: TrustedKeyset? = nil
  ) -> [ReleasedManifest] {
    let sorted = sorted(found)
    let line = Set(sorted.line(under: keyset).map(\.digest))
    guard !line.isEmpty else { return sorted }
    return sorted.filter { !line.contains($0.digest) } + sorted.filter { line.contains($0.digest) }
  }

  private static func sorted(_ found: [ReleasedManifest]) -> [ReleasedManifest] {
    var seen: Set<SHA256Digest> = []
    let each = found.filter { $0.digest.map { seen.insert($0).inserted } ?? true }
    let counts = Dictionary(grouping: each) { $0.serial }.mapValues(\.count)
    return each.sorted { one, other in
      let isSame = one.isBeside(other) && one.issued == other.issued
      return isSame ? (one.path ?? "") < (other.path ?? "") : ReleasedManifest.isBefore(one, other)
    }.map { release in
      var release = release
      let isBare = !release.name.hasSuffix(")")
      if isBare, counts[release.serial] ?? 0 > 1, let file = release.path?.split(separator: "/").last {
        release.name += " (\(file))"
      }
      return release
    }
  }

  /// All names in a directory.
  private static func listed(_ path: String) throws(WorkFailure) -> [String] {
    do throws(FileError) { return try SafeFolder(path).names() } catch {
      throw WorkFailure(.failed, "can't read '\(path)': \(error.detail)")
    }
  }

  /// The names of a directory's manifests, sorted, and of those in its folders of epochs; other files, and what isn't a
  /// file, aren't looked at.
  private static func names(in path: String) throws(WorkFailure) -> [String] {
    let all = try listed(path)
    var names = try files(all, in: path)
    for folder in all where EpochFolder.epoch(folder) != nil && InputFile.isFolder("\(path)/\(folder)") {
      let place = "\(path)/\(folder)"
      names += try files(listed(place), in: place).map { "\(folder)/\($0)" }
    }
    return names
  }

  private static func files(_ all: [String], in path: String) throws(WorkFailure) -> [String] {
    var names: [String] = []
    for name in all where name.hasSuffix(".json") && !name.hasPrefix(".") {
      // Skipping a file that can't be read (a dangling link, an unreadable name) would skip the clients that have this
      // release.
      guard let file = FileIdentity(of: "\(path)/\(name)") else {
        throw WorkFailure(
          .failed, "can't read '\(path)/\(name)': \(String(cString: strerror(errno)))",
          help: "Every file '*.json' in the directory counts as a release that clients may have: fix it or remove it.")
      }
      guard file.isRegular else { continue }
      names.append(name)
      // One more than the limit is enough to know that there are too many.
      if names.count > fileLimit { break }
    }
    return names
  }
}

/// An audience of several that has no release yet, which somebody has to say: with a wrong folder, or another name,
/// nothing would be compared with what its clients have.
package enum NewAudience {
  /// Refuses an audience without releases, unless it is among those that are new.
  package static func require(_ audience: String, isAmong new: [String], in path: String) throws(WorkFailure) {
    guard !new.contains(audience) else { return }
    throw WorkFailure(
      .failed, "'\(VisibleText.of(path))' has no release for the audience '\(audience)'",
      help:
        "Check the path and the name. If nothing was ever released for this audience, add --new-audience \(audience).")
  }
}

/// The folder that one of several audiences has in a folder of releases or of keysets.
package enum AudienceFolder {
  /// The audience's folder, or the path itself where it has none.
  package static func path(in path: String, _ audience: String?) -> String {
    // A draft's audience may be any text.
    guard let audience, !audience.contains("/"), !audience.hasPrefix(".") else { return path }
    let folder = path.hasSuffix("/") ? path + audience : path + "/" + audience
    return InputFile.isFolder(folder) ? folder : path
  }
}

/// The folders of what is released, by the baseline that somebody names: also those of other audiences and of epochs.
package struct ReleasedPlaces {
  /// The folder as messages name it.
  package let name: String
  /// The baseline's folder, and those above it that keep it among others.
  private var roots: [String]
  private let audiences: Set<String>

  /// - Parameters:
  ///   - baseline: A folder of releases, or one of them; nothing is known of the folder that somebody works in, if they
  ///     name a file in it.
  ///   - audiences: Those of the policy.
  package init?(of baseline: String, for audiences: Set<String>) {
    let isFolder = InputFile.isFolder(baseline)
    name = isFolder ? baseline : Self.parent(of: baseline)
    guard var root = InputFile.realPath(name), isFolder || root != InputFile.realPath(".") else { return nil }
    roots = [root]
    self.audiences = audiences
    while let (above, name) = Self.split(root), EpochFolder.epoch(name) != nil || audiences.contains(name) {
      roots.append(above)
      root = above
    }
  }

  /// Whether a file would be written into one of them.
  package func contain(_ path: String) -> Bool {
    var folder = Self.parent(of: path)
    var missing = ""
    // A folder that isn't there yet is made later.
    while InputFile.realPath(folder) == nil, let (above, name) = Self.split(folder) {
      (folder, missing) = (above, "/\(name)\(missing)")
    }
    guard var real = InputFile.realPath(folder).map({ $0 + missing }) else { return false }
    if let (above, name) = Self.split(real), EpochFolder.epoch(name) != nil { real = above }
    if roots.contains(real) { return true }
    guard let (above, name) = Self.split(real) else { return false }
    return roots.contains(above) && audiences.contains(name)
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// The folder that a path is in, and its name there; nil for the root, and for a name alone.
  private static func split(_ path: String) -> (above: String, name: String)? {
    guard let slash = path.lastIndex(of: "/"), path != "/" else {
      return path == "." || path == "/" ? nil : (".", path)
    }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}

/// Where what clients have is kept: one manifest, a directory of them, or a commit of the policy.
package enum ReleasedSource: Hashable, Sendable {
  /// A manifest, or a directory of manifests: which of the two is seen when it is read.
  case path(String)
  /// What names a commit of the policy's repository.
  case commit(String)

  private static let commitMark = "git:"

  /// Reads `FILE`, `DIRECTORY` or `git:REF`; a file whose name begins so is written `./git:…`.
  package init(_ text: String) {
    let isCommit = text.utf8.starts(with: Self.commitMark.utf8)
    self = isCommit ? .commit(String(text.dropFirst(Self.commitMark.count))) : .path(text)
  }

  /// Whether it bears signatures, which have to be verified.
  package var isSigned: Bool {
    if case .path = self { return true }
    return false
  }
}

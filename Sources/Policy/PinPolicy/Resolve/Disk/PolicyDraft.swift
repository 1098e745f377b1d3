import Diagnostics
import OpenSSLKit

/// A policy directory while somebody edits it: read again and again, with unsaved texts over the files on disk.
///
/// Only what has changed is read and parsed again: policy files by their bytes, files on disk by their dates, sizes and
/// inodes. Nothing is ever written.
package struct PolicyDraft: Sendable {
  /// One reading of the directory.
  package struct Reading: Sendable {
    package var parsed: ParsedPolicy
    package var policy: Policy
    /// Reads the key files of the directory.
    package var files: FileReader
  }

  private struct Parsed: Sendable {
    var bytes: [UInt8]
    var id: FileID
    var file: ParsedFile
    var problems: [PolicyProblem]
  }

  /// The directory's path, absolute, with a `/` at its end.
  package let root: String
  private var onDisk = PolicyFileMemory()
  private var keyFiles = KeyFileMemory()
  private var parsed: [String: Parsed] = [:]
  /// What each file said when it could last be read as a whole.
  private var whole: [String: ParsedFile] = [:]

  package init(root: String) {
    self.root = root
  }

  /// Reads the directory as it is now.
  ///
  /// - Parameter texts: Unsaved texts by their paths, ``root`` in front; those of other directories are ignored.
  /// - Returns: What the directory says.
  /// - Throws: ``PolicyDraftError`` where the directory isn't there, or libcrypto can't work.
  package mutating func read(under texts: [String: [UInt8]]) throws(PolicyDraftError) -> Reading {
    let directory: PolicyDirectory
    do throws(ConfinedFolder.Failure) {
      directory = PolicyDirectory(
        try ConfinedFolder(root), root: root, named: nil, under: texts, remembering: &onDisk)
    } catch {
      throw PolicyDraftError(message: "\(root): \(error.reason)")
    }
    let sources = directory.sources
    let before = parsed
    parsed = [:]
    let policy = PolicyReader.read(sources, unread: directory.problems) { id in
      let source = sources[id]
      var entry: Parsed
      if let known = before[source.path], known.id == id, known.bytes == source.bytes {
        entry = known
      } else {
        let (file, problems) = PolicyReader.read(source.bytes, file: id)
        entry = Parsed(bytes: source.bytes, id: id, file: file, problems: problems)
        if file.isComplete { whole[source.path] = file }
      }
      parsed[source.path] = entry
      return (entry.file, entry.problems)
    }
    return Reading(parsed: policy, policy: try resolve(policy, directory.files), files: directory.files)
  }

  /// What a reading would say if each file that can't be read as a whole still said what it said last.
  ///
  /// The places of such a file are those of its last whole text.
  package mutating func meaning(of reading: Reading) throws(PolicyDraftError) -> Policy {
    guard reading.parsed.files.contains(where: { !$0.isComplete }) else { return reading.policy }
    var mended = reading.parsed
    mended.problems = []
    mended.files = mended.files.map { file in
      guard !file.isComplete, let last = whole[mended.sources[file.id].path], last.id == file.id else { return file }
      return last
    }
    return try resolve(mended, reading.files)
  }

  /// The policy as each of its audiences has it.
  package mutating func policies(of reading: Reading) throws(PolicyDraftError) -> [Policy] {
    let names = reading.parsed.audiences.map(\.name.value)
    return names.isEmpty ? [reading.policy] : try resolve(reading.parsed, reading.files, forEach: names)
  }

  private mutating func resolve(_ parsed: ParsedPolicy, _ files: FileReader) throws(PolicyDraftError) -> Policy {
    try resolve(parsed, files, forEach: [nil])[0]
  }

  private mutating func resolve(
    _ parsed: ParsedPolicy, _ files: FileReader, forEach names: [String?]
  ) throws(PolicyDraftError) -> [Policy] {
    do throws(CryptoError) {
      return try Resolver.resolve(parsed, files: files, forEach: names, remembering: &keyFiles)
    } catch {
      throw PolicyDraftError(message: "libcrypto could not work: \(error.message)")
    }
  }
}

/// Why a directory can't be read at all.
package struct PolicyDraftError: Error, Sendable {
  package let message: String
}

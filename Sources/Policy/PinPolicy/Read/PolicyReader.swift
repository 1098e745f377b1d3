package import Diagnostics

/// Reads policy files into typed records, and collects what is wrong with them.
package enum PolicyReader {
  /// More bytes than any policy written by people or programs has; a limit on what a mistake can cost.
  package static let sizeLimit = 64 << 20

  /// Reads all files of a set.
  ///
  /// - Parameters:
  ///   - sources: The files' texts.
  ///   - unread: Problems of files whose text could not be had at all; these files are skipped.
  /// - Returns: What could be read, and all problems in order of place.
  package static func read(_ sources: SourceSet, unread: [PolicyProblem] = []) -> ParsedPolicy {
    read(sources, unread: unread) { id in read(sources[id].bytes, file: id) }
  }

  /// Puts the files of a set together, for a caller that has read some of them before.
  ///
  /// - Parameters:
  ///   - sources: The files' texts.
  ///   - unread: Problems of files whose text could not be had at all; these files are skipped.
  ///   - each: Reads one file, as ``read(_:file:)`` does.
  /// - Returns: What could be read, and all problems in order of place.
  package static func read(
    _ sources: SourceSet, unread: [PolicyProblem], each: (FileID) -> (ParsedFile, [PolicyProblem])
  ) -> ParsedPolicy {
    let missing = Set(unread.map(\.place.file))
    var policy = ParsedPolicy(sources: sources, files: [], problems: unread)
    for id in sources.ids {
      if missing.contains(id) {
        var file = ParsedFile(id: id)
        file.isComplete = false
        policy.files.append(file)
        continue
      }
      let (file, problems) = each(id)
      policy.files.append(file)
      policy.problems += problems
    }
    policy.problems.sort { $0.place < $1.place }
    return policy
  }

  /// Reads one file: a function of its bytes alone.
  package static func read(_ bytes: [UInt8], file id: FileID) -> (ParsedFile, [PolicyProblem]) {
    var file = ParsedFile(id: id)
    func refused(_ problems: [PolicyProblem]) -> (ParsedFile, [PolicyProblem]) {
      file.isComplete = false
      return (file, problems)
    }
    guard bytes.count <= sizeLimit else {
      return refused([PolicyProblem(.fileTooLarge(bytes: bytes.count, limit: sizeLimit), at: .beginning(of: id))])
    }
    let text = SourceText(bytes, file: id)
    guard let fit = text.bytes else { return refused(text.problems) }
    guard var reader = DocumentReader(text, bytes: fit, file: id) else {
      return refused([PolicyProblem(.unreadableFile(reason: "memory has run out"), at: .beginning(of: id))])
    }
    reader.document(ParsedFile.fields, into: &file)
    var problems = text.problems + reader.problems
    for comment in reader.comments.kept {
      do {
        file.suppressions += try comment.read()
      } catch {
        problems.append(PolicyProblem(.malformedSuppression(reason: error.reason), at: comment.place))
      }
    }
    file.isComplete = reader.isComplete
    return (file, problems)
  }
}

extension DocumentReader {
  /// Reads a file that isn't a policy's, with the same YAML and the same limits on it.
  ///
  /// - Parameters:
  ///   - bytes: The file's bytes.
  ///   - id: The file, for places.
  ///   - name: What problems call the file.
  ///   - limit: The most bytes that it may have.
  ///   - fields: The fields of the document.
  ///   - record: What is read goes there.
  /// - Returns: All problems in order of place; nothing is read of a file that isn't a text.
  static func read<Record>(
    _ bytes: [UInt8], file id: FileID, called name: String, limit: Int, _ fields: Fields<Record>,
    into record: inout Record
  ) -> [PolicyProblem] {
    guard bytes.count <= limit else {
      return [PolicyProblem(.fileTooLarge(bytes: bytes.count, limit: limit), at: .beginning(of: id))]
    }
    let text = SourceText(bytes, file: id)
    guard let fit = text.bytes else { return text.problems }
    guard var reader = DocumentReader(text, bytes: fit, file: id) else {
      return [PolicyProblem(.unreadableFile(reason: "memory has run out"), at: .beginning(of: id))]
    }
    reader.field = FieldName(Located(name, at: .beginning(of: id)))
    reader.document(fields, into: &record)
    return (text.problems + reader.problems).sorted { $0.place < $1.place }
  }

  /// Reads the one document of a file, which says its version.
  mutating func document<Record>(_ fields: Fields<Record>, into record: inout Record) {
    guard upcoming.kind == .documentStart else {
      let version = PolicyProblem.Kind.missingField(name: "version", within: fields.within)
      if isComplete { add(version, at: .beginning(of: file)) }
      return
    }
    _ = take()
    mapping(fields, into: &record)
    if upcoming.kind == .documentEnd { _ = take() }
    if upcoming.kind == .documentStart {
      add(.severalDocuments, at: upcoming.place)
      stop()
    }
  }
}

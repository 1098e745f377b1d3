package import Diagnostics

extension PolicyDirectory {
  /// The directory as it would be with other texts in some of its policy files; nothing is written.
  package func replacing(_ texts: [FileID: [UInt8]]) -> PolicyDirectory {
    let files = sources.ids.map { id in
      SourceSet.File(path: sources[id].path, bytes: texts[id] ?? sources[id].bytes)
    }
    return PolicyDirectory(sources: SourceSet(files), problems: problems, files: self.files)
  }
}

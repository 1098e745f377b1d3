package import Diagnostics

extension PolicyDirectory {
  /// A directory with no files in it.
  package static let empty = PolicyDirectory(
    sources: SourceSet([]), problems: [],
    files: FileReader(root: "") { _ throws(FileReadError) in throw FileReadError("it doesn't exist") })

  /// The directory as it would be with further policy files, or with others in their place; nothing is written.
  package func adding(_ added: [SourceSet.File]) -> PolicyDirectory {
    replacing(files: added, without: Set(added.map(\.path)))
  }

  /// The directory as it would be without one of its files.
  package func without(_ path: String) -> PolicyDirectory {
    replacing(files: [], without: [path])
  }

  private func replacing(files added: [SourceSet.File], without paths: Set<String>) -> PolicyDirectory {
    // Where there is no file, the directory itself is among them.
    let none = Set(problems.filter { $0.kind == .noPolicyFiles }.map { sources[$0.place.file].path })
    let gone = paths.union(none)
    let all = SourceSet(sources.files.filter { !gone.contains($0.path) } + added)
    let numbers = Dictionary(all.files.indices.map { (all.files[$0].path, $0) }) { first, _ in first }
    let problems = problems.compactMap { problem -> PolicyProblem? in
      let path = sources[problem.place.file].path
      guard !gone.contains(path), let number = numbers[path] else { return nil }
      return PolicyProblem(problem.kind, at: .beginning(of: FileID(number)))
    }
    return PolicyDirectory(sources: all, problems: problems, files: self.files)
  }
}

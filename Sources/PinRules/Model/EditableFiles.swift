import Diagnostics
import PinPolicy
import Synchronization

/// The files of a policy as fixes change them; each is taken apart once, when the first fix is about it.
final class EditableFiles: Sendable {
  private let sources: SourceSet
  private let known = Mutex<[FileID: EditableFile?]>([:])

  init(_ sources: SourceSet) {
    self.sources = sources
  }

  subscript(id: FileID) -> EditableFile? {
    guard Int(id.index) < sources.files.count else { return nil }
    return known.withLock { known in
      if let file = known[id] { return file }
      let file = EditableFile(sources[id].bytes, file: id)
      known[id] = .some(file)
      return file
    }
  }
}

extension CheckInput {
  /// The file of a place as fixes change it; nil where it isn't YAML.
  func file(of place: Place) -> EditableFile? { files[place.file] }
}

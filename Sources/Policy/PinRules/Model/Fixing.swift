import Diagnostics
import PinPolicy
import Synchronization

extension [Fix] {
  /// One fix, or none where no edits are known for it.
  static func fix(_ title: String, _ safety: Fix.Safety, _ edits: [Fix.Edit]?) -> [Fix] {
    guard let edits, !edits.isEmpty else { return [] }
    return [Fix(title, safety, edits: edits)]
  }
}

extension CheckInput {
  /// Writes a text where another one is, in quotes where it needs them.
  func writing(_ text: String, at place: Place, _ safety: Fix.Safety) -> [Fix] {
    .fix("write '\(text)'", safety, file(of: place).map { [$0.replacing(place, with: text)] })
  }

  /// Removes the field at a place, or the nearest one of a name around it.
  func deletingField(_ name: String, at place: Place, _ safety: Fix.Safety) -> [Fix] {
    .fix("delete '\(name)'", safety, file(of: place)?.removing(fieldAt: place, named: name))
  }

  /// Removes the item of a list.
  func deletingItem(_ label: String, at place: Place, _ safety: Fix.Safety, keepsList: Bool = false) -> [Fix] {
    .fix("delete \(label)", safety, file(of: place)?.removing(itemAt: place, keepsList: keepsList))
  }

  /// Adds a field beside the one at a place.
  func adding(
    _ name: String, _ value: String, besideFieldAt place: Place, named around: String? = nil, _ safety: Fix.Safety
  ) -> [Fix] {
    let title = "add '\(name):" + (value.isEmpty ? "'" : " \(value)'")
    return .fix(title, safety, file(of: place)?.adding(name, value, besideFieldAt: place, named: around))
  }
}

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

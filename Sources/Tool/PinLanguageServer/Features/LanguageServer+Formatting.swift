import PinPolicy

extension LanguageServer {
  /// The edit that lays a file out as `pintle fmt` does; none where it is laid out so already.
  func formatting(_ given: DocumentParameters) throws(ResponseError) -> [TextEdit] {
    guard let path = DocumentAddress.path(of: given.textDocument.uri), let document = documents[path],
      project(of: path) != nil
    else { return [] }
    let lines = document.text
    let formatted: [UInt8]
    do throws(PolicyFormat.Failure) {
      formatted = try PolicyFormat.format(lines.bytes)
    } catch {
      switch error {
      case .unreadable: throw ResponseError(.requestFailed, "the file isn't valid YAML; fix it first")
      case .unfaithful:
        throw ResponseError(.requestFailed, "the file was left unchanged: reformatting would change its meaning")
      }
    }
    guard formatted != lines.bytes else { return [] }
    let (old, new) = Self.difference(lines.bytes, formatted)
    return [TextEdit(range: lines.range(of: old, encoding), newText: String(decoding: formatted[new], as: UTF8.self))]
  }

  /// The whole lines that differ, so that the cursor stays where it is in all others.
  private static func difference(_ old: [UInt8], _ new: [UInt8]) -> (Range<Int>, Range<Int>) {
    let feed = UInt8(ascii: "\n")
    var start = 0
    var index = 0
    while index < min(old.count, new.count), old[index] == new[index] {
      if old[index] == feed { start = index + 1 }
      index += 1
    }
    var oldEnd = old.count
    var newEnd = new.count
    var oldIndex = old.count
    var newIndex = new.count
    while oldIndex > start, newIndex > start, old[oldIndex - 1] == new[newIndex - 1] {
      oldIndex -= 1
      newIndex -= 1
      // At a line start in both texts, the common rest is complete.
      if oldIndex == start || old[oldIndex - 1] == feed, newIndex == start || new[newIndex - 1] == feed {
        oldEnd = oldIndex
        newEnd = newIndex
      }
    }
    return (start..<max(start, oldEnd), start..<max(start, newEnd))
  }
}

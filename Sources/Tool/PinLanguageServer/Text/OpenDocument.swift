/// A text that the client has open: what it holds counts, whatever is on disk.
struct OpenDocument {
  /// As the client wrote it, since it is known there under no other form.
  let uri: String
  let path: String
  private(set) var version: Int
  private(set) var text: TextLines

  init(uri: String, path: String, version: Int, text: String) {
    self.uri = uri
    self.path = path
    self.version = version
    self.text = TextLines(Array(text.utf8))
  }

  /// Makes the client's changes, one after the other.
  mutating func change(_ changes: [DidChangeParameters.Change], version: Int?, _ encoding: PositionEncoding) {
    var bytes = text.bytes
    var lines = text
    for (number, change) in changes.enumerated() {
      if let range = change.range {
        if number > 0 { lines = TextLines(bytes) }
        let start = lines.offset(of: range.start, encoding)
        bytes.replaceSubrange(start..<max(start, lines.offset(of: range.end, encoding)), with: change.text.utf8)
      } else {
        bytes = Array(change.text.utf8)
      }
    }
    text = TextLines(bytes)
    self.version = version ?? self.version
  }
}

import Diagnostics
import PinPolicy
import PinRules

/// A file of a policy, and a place in it, as a request names them.
struct AskedPlace {
  var path: String
  /// The policy directory.
  var root: String
  var lines: TextLines
  var outline: Outline
  var offset: Int
}

extension LanguageServer {
  /// Where a request points; nil for files of no policy, about which there is nothing to say.
  func place(_ given: PlaceParameters) -> AskedPlace? {
    guard let path = DocumentAddress.path(of: given.textDocument.uri), let document = documents[path],
      let root = project(of: path)
    else { return nil }
    return AskedPlace(
      path: path, root: root, lines: document.text, outline: outline(of: path, document.text.bytes),
      offset: document.text.offset(of: given.position, encoding))
  }

  func outline(of path: String, _ bytes: [UInt8]) -> Outline {
    if let kept = outlines[path], kept.bytes == bytes { return kept.outline }
    let made = Outline(bytes)
    outlines[path] = (bytes, made)
    return made
  }

  /// What a policy means; nil where its directory is gone.
  func meaning(of root: String) -> Meaning? {
    try? projects[root]?.meaning(under: texts(under: root))
  }

  /// The files of a policy with their texts.
  func files(of root: String) -> [(path: String, lines: TextLines)] {
    guard let reading = try? projects[root]?.read(under: texts(under: root)) else { return [] }
    return reading.parsed.sources.files.map { ($0.path, documents[$0.path]?.text ?? TextLines($0.bytes)) }
  }

  /// All words of one role and name in a policy.
  func words(as roles: [FieldRole], named name: String, in root: String) -> [Location] {
    files(of: root).flatMap { path, lines in
      let outline = outline(of: path, lines.bytes)
      return roles.flatMap { outline.words(as: $0, named: name) }
        .sorted { $0.span.lowerBound < $1.span.lowerBound }
        .map { Location(uri: uri(of: path), range: lines.range(of: $0.span, encoding)) }
    }
  }

  /// The absolute path that a file of the policy means by one of its own; nil where it leads out of the policy.
  func resolve(_ written: String, from path: String, in root: String) -> String? {
    guard !written.isEmpty, written.first != "/" else { return nil }
    var parts = path.split(separator: "/").dropLast().map(String.init)
    for part in written.split(separator: "/") {
      switch part {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(String(part))
      }
    }
    let whole = "/" + parts.joined(separator: "/")
    return whole.utf8.starts(with: root.utf8) ? whole : nil
  }
}

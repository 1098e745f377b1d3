import Diagnostics
import PinPolicy

struct RenameParameters: Decodable {
  var textDocument: DocumentIdentifier
  var position: WirePosition
  var newName: String
}

struct RenamePreparation: Encodable {
  var range: WireRange
  var placeholder: String
}

extension LanguageServer {
  /// The name that would be changed; nil where the word at the place isn't a name of the policy's own.
  func prepareRename(_ given: PlaceParameters) -> RenamePreparation? {
    guard let place = place(given), let spot = named(at: place) else { return nil }
    return RenamePreparation(range: place.lines.range(of: spot.word.span, encoding), placeholder: spot.word.text)
  }

  /// Changes the name of a key or a key set wherever it is.
  ///
  /// Only where every file can be read: in one that can't, the name might be where nobody sees it.
  func rename(_ given: RenameParameters) throws(ResponseError) -> WorkspaceEdit {
    guard let place = place(PlaceParameters(textDocument: given.textDocument, position: given.position)),
      let spot = named(at: place)
    else { throw ResponseError(.requestFailed, "only keys and key sets can be renamed") }
    guard let reading = try? projects[place.root]?.read(under: texts(under: place.root)),
      reading.parsed.files.allSatisfy(\.isComplete)
    else { throw ResponseError(.requestFailed, "a file of the policy can't be read; fix it first") }
    guard Self.isName(given.newName) else {
      throw ResponseError(
        .requestFailed, "a name has lower-case letters, digits, '.', '_' and '-', at most 64 of them")
    }
    let isKey = spot.role == .keyName || spot.role == .keyReference
    let names = isKey ? Self.keys(of: reading.parsed) : Self.sets(of: reading.parsed)
    guard given.newName == spot.word.text || !names.contains(where: { $0.value == given.newName }) else {
      throw ResponseError(.requestFailed, "'\(given.newName)' is taken")
    }
    var changes: [String: [TextEdit]] = [:]
    for name in names where name.value == spot.word.text {
      let path = reading.parsed.sources[name.place.file].path
      let lines = documents[path]?.text ?? TextLines(reading.parsed.sources[name.place.file].bytes)
      changes[uri(of: path), default: []].append(
        TextEdit(range: lines.range(of: name.place, encoding), newText: given.newName))
    }
    return WorkspaceEdit(changes: changes)
  }

  private func named(at place: AskedPlace) -> Spot? {
    guard let spot = place.outline.spot(at: place.offset) else { return nil }
    switch spot.role {
    case .keyName, .keyReference, .setName, .setReference: return spot
    default: return nil
    }
  }

  private static func isName(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || Array(".-_".utf8).contains(byte)
    }
    return (1...64).contains(text.utf8.count) && isPlain && !".-_".contains(text.prefix(1))
      && !["true", "false", "null"].contains(text)
  }

  /// Every place where a key is declared or named.
  private static func keys(of policy: ParsedPolicy) -> [Located<String>] {
    policy.files.flatMap { file in
      let inline = file.hosts.compactMap { host -> ParsedKeySet? in
        if case .inline(let set)? = host.keys { set } else { nil }
      }
      return file.keys.map(\.name) + (file.keySets + inline).flatMap { $0.active + $0.backup }
    }
  }

  /// Every place where a key set is declared or named.
  private static func sets(of policy: ParsedPolicy) -> [Located<String>] {
    policy.files.flatMap { file in
      file.keySets.compactMap(\.name)
        + file.hosts.compactMap { host in
          if case .named(let name)? = host.keys { name } else { nil }
        }
    }
  }
}

import Diagnostics

extension LanguageServer {
  /// Where a key or a key set is declared, or the file that a path names.
  func definition(_ given: PlaceParameters) -> [Location] {
    guard let place = place(given), let spot = place.outline.spot(at: place.offset) else { return [] }
    switch spot.role {
    case .keyName, .keyReference: return words(as: [.keyName], named: spot.word.text, in: place.root)
    case .setName, .setReference: return words(as: [.setName], named: spot.word.text, in: place.root)
    case .path:
      guard let path = resolve(spot.word.text, from: place.path, in: place.root), content(path) != nil else {
        return []
      }
      let start = WirePosition(line: 0, character: 0)
      return [Location(uri: uri(of: path), range: WireRange(start: start, end: start))]
    case .field, .host, .instant, .duration, .value: return []
    }
  }

  /// Where a key, a key set or a file is named.
  func references(_ given: ReferenceParameters) -> [Location] {
    guard let place = place(PlaceParameters(textDocument: given.textDocument, position: given.position)),
      let spot = place.outline.spot(at: place.offset)
    else { return [] }
    let declares = given.context?.includeDeclaration ?? false
    switch spot.role {
    case .keyName, .keyReference:
      return words(as: declares ? [.keyName, .keyReference] : [.keyReference], named: spot.word.text, in: place.root)
    case .setName, .setReference:
      return words(as: declares ? [.setName, .setReference] : [.setReference], named: spot.word.text, in: place.root)
    case .path: return words(as: [.path], named: spot.word.text, in: place.root)
    case .field, .host, .instant, .duration, .value: return []
    }
  }
}

struct ReferenceParameters: Decodable {
  struct Context: Decodable {
    var includeDeclaration: Bool?
  }

  var textDocument: DocumentIdentifier
  var position: WirePosition
  var context: Context?
}

import Diagnostics
import PinFormat
import PinPolicy

struct Hover: Encodable {
  var contents: MarkupContent
  var range: WireRange
}

extension LanguageServer {
  func hover(_ given: PlaceParameters) -> Hover? {
    guard let place = place(given) else { return nil }
    if let code = place.outline.ruleCode(at: place.offset, in: place.lines.bytes) {
      return FieldHover.text(ofRule: code.text).map { hover($0, at: code, in: place) }
    }
    guard let spot = place.outline.spot(at: place.offset) else { return nil }
    return text(for: spot, at: place).map { hover($0, at: spot.word, in: place) }
  }

  private func text(for spot: Spot, at place: AskedPlace) -> String? {
    let now = settings.clock()
    let word = spot.word.text
    func ofField() -> String? { FieldHover.text(spot.path) }
    guard let meaning = meaning(of: place.root) else { return ofField() }
    switch spot.role {
    case .keyName, .keyReference:
      return KeyHover(meaning: meaning, sightings: sightings(of: place.root), now: now).text(word)
    case .setName, .setReference: return SetHover(meaning: meaning).text(word) ?? ofField()
    case .host:
      let hover = HostHover(meaning: meaning, sightings: sightings(of: place.root), now: now)
      guard spot.path.last == .field("host") else { return hover.text(governing: word) }
      return hover.text(entry: word, port: port(beside: spot, in: place.outline)) ?? ofField()
    case .path:
      let materials = meaning.policy.keys.compactMap(\.material).filter { $0.path == word }
      guard let material = materials.first else { return ofField() }
      let facts = KeyHover(meaning: meaning, sightings: nil, now: now).facts(of: material)
      return
        ([
          "**" + MarkdownWords.code(word) + "**: " + KeyHover.kind(of: material),
          MarkdownWords.code(material.pin.description),
        ] + facts).joined(separator: "\n\n")
    case .instant:
      guard let instant = Instant(written: word) else { return ofField() }
      return MarkdownWords.instant(instant, now: now) + (ofField().map { "\n\n" + $0 } ?? "")
    case .field, .duration, .value: return ofField()
    }
  }

  /// The port of the entry that a host is in.
  private func port(beside spot: Spot, in outline: Outline) -> UInt16? {
    let entry = outline.nodes[spot.node].parent
    let port = outline.children(of: entry).first { outline.nodes[$0].name?.text == "port" }
    return port.flatMap { outline.nodes[$0].value }.flatMap { UInt16($0.text) }
  }

  private func hover(_ text: String, at word: Outline.Word, in place: AskedPlace) -> Hover {
    var content = MarkupContent(text)
    if !capabilities.showsMarkdown { content.kind = "plaintext" }
    return Hover(contents: content, range: place.lines.range(of: word.span, encoding))
  }
}

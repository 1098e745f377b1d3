import Diagnostics

/// One step of a document as its reader sees it, without the text of a scalar: small and cheap to pass on.
struct DocumentEvent {
  enum Kind: UInt8 {
    case scalar
    case alias
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
    case documentStart
    case documentEnd
    /// The text is over, or can't be read further.
    case end
  }

  var kind: Kind
  /// How a scalar is written.
  var style = YAMLScalar.Style.plain
  /// Where a scalar's text stands in the bytes that it is read from; of one that libyaml read, only how long it is.
  var text: Range<UInt32> = 0..<0
  var place: Place

  init(_ kind: Kind, at place: Place) {
    self.kind = kind
    self.place = place
  }

  init(_ text: Range<UInt32>, _ style: YAMLScalar.Style, at place: Place) {
    kind = .scalar
    self.text = text
    self.style = style
    self.place = place
  }

  init(_ event: borrowing YAMLEvent) {
    place = event.place
    switch event.content {
    case .scalar(let scalar):
      kind = .scalar
      style = scalar.style
      text = 0..<UInt32(scalar.text.utf8.count)
    case .alias: kind = .alias
    case .sequenceStart: kind = .sequenceStart
    case .sequenceEnd: kind = .sequenceEnd
    case .mappingStart: kind = .mappingStart
    case .mappingEnd: kind = .mappingEnd
    case .documentStart: kind = .documentStart
    case .documentEnd: kind = .documentEnd
    case .end: kind = .end
    }
  }

  /// True for the value of `key:` with nothing behind it.
  var isNothing: Bool { kind == .scalar && text.isEmpty && style == .plain }
}

/// A witness in full sentences: who connects to what and when, with which chain, and the result.
enum WitnessText {
  /// One paragraph, its text not yet made visible.
  static func paragraph(_ witness: Witness) -> String {
    [question(witness), chain(witness), outcome(witness)].compactMap { $0 }.joined(separator: " ")
  }

  /// Where a finding has a witness, `witness:` and the paragraph.
  static func labelled(_ diagnostic: Diagnostic) -> String? {
    diagnostic.witness.map { "witness: " + paragraph($0) }
  }

  /// The paragraph, made visible, in lines of at most so many scalars, where its words allow it.
  static func lines(_ witness: Witness, width: Int) -> [String] {
    LineWrap.lines(VisibleText.of(paragraph(witness)), width: width)
  }

  private static func question(_ witness: Witness) -> String {
    let kind = witness.kind.map { " (\($0))" } ?? ""
    let place = witness.place.map { " at \($0)" } ?? ""
    return
      "At \(witness.instant) a client\(kind) that runs \(witness.client), released \(witness.released), connects to "
      + "\(witness.host)\(place)."
  }

  private static func chain(_ witness: Witness) -> String? {
    guard !witness.chain.isEmpty else { return nil }
    let links = witness.chain.map { link in
      if let name = link.name { return "'\(name)' at the \(link.position)" }
      return link.pin.map { "\($0) at the \(link.position)" } ?? "an unknown \(link.position)"
    }
    return "The server presents \(links.listed())."
  }

  private static func outcome(_ witness: Witness) -> String {
    switch witness.outcome {
    case .blocked: "It is blocked \(witness.until.map { "until " + $0 } ?? "from then on"): \(witness.reason)."
    case .admitted: "The connection is allowed\(witness.until.map { " until " + $0 } ?? ""): \(witness.reason)."
    }
  }
}

extension Report {
  /// Adds what another report says, with its files; what is in both is listed once.
  package mutating func add(_ other: Report) {
    var all = sources
    let known = Dictionary(all.ids.map { (all[$0].path, $0) }) { first, _ in first }
    var ids: [FileID: FileID] = [:]
    for id in other.sources.ids {
      // The same path with another text, as of a file that this report only names.
      if let same = known[other.sources[id].path], all[same].bytes == other.sources[id].bytes {
        ids[id] = same
      } else {
        (all, ids[id]) = all.adding(other.sources[id])
      }
    }
    sources = all
    func moved(_ place: Place) -> Place {
      Place(file: ids[place.file] ?? place.file, start: place.start, end: place.end)
    }
    func moved(_ diagnostic: Diagnostic) -> Diagnostic {
      var diagnostic = diagnostic
      diagnostic.place = moved(diagnostic.place)
      for index in diagnostic.related.indices {
        diagnostic.related[index].place = moved(diagnostic.related[index].place)
      }
      for fix in diagnostic.fixes.indices {
        for edit in diagnostic.fixes[fix].edits.indices {
          diagnostic.fixes[fix].edits[edit].place = moved(diagnostic.fixes[fix].edits[edit].place)
        }
      }
      return diagnostic
    }
    let present = Set(diagnostics)
    diagnostics += other.diagnostics.map(moved).filter { !present.contains($0) }
    suppressed += other.suppressed.map { Suppressed(moved($0.diagnostic), reason: $0.reason, until: $0.until) }
    let codes = Set(rules.map(\.code))
    rules += other.rules.filter { !codes.contains($0.code) }
    hosts.formUnion(other.hosts)
    remarks += other.remarks
  }
}

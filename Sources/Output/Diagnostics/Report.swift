/// What is known of a rule where its findings are shown.
///
/// The catalogue of rules fills it.
package struct RuleInfo: Hashable, Sendable {
  package var code: String
  /// In kebab case: `missing-backup`.
  package var name: String
  package var title: String
  package var severity: Severity
  /// In Markdown.
  package var rationale: String
  package var citation: String

  package init(
    code: String, name: String, title: String, severity: Severity, rationale: String, citation: String
  ) {
    self.code = code
    self.name = name
    self.title = title
    self.severity = severity
    self.rationale = rationale
    self.citation = citation
  }
}

/// All that one check has to say: what every renderer is given.
package struct Report: Sendable {
  /// A finding that somebody has accepted for now.
  package struct Suppressed: Hashable, Sendable {
    package var diagnostic: Diagnostic
    package var reason: String
    /// The instant (RFC 3339) until which it is accepted.
    package var until: String

    package init(_ diagnostic: Diagnostic, reason: String, until: String) {
      self.diagnostic = diagnostic
      self.reason = reason
      self.until = until
    }
  }

  /// The program that made the report.
  package struct Tool: Hashable, Sendable {
    package var name: String
    package var version: String
    /// The address of the documentation (`Scripts/build/site`), in which each rule has a page; nil if it isn't known.
    package var reference: String?

    package init(name: String, version: String, reference: String? = nil) {
      self.name = name
      self.version = version
      self.reference = reference
    }
  }

  /// In the order in which they are shown.
  package var diagnostics: [Diagnostic]
  package var suppressed: [Suppressed]
  package var sources: SourceSet
  /// The rules that were asked, in order of code.
  package var rules: [RuleInfo]
  package var tool: Tool
  /// The instant that counted as now, in RFC 3339.
  package var instant: String
  /// What was checked and how it is, where that isn't the files: "7 hosts at 9 addresses hold".
  package var outcome: String?
  /// The hosts that findings may be about: those that differ in nothing but the host have one cause.
  package var hosts: Set<String> = []
  /// What there is to know besides findings, for formats that show nothing else of it.
  package var remarks: [String] = []
  /// What was searched for what is checked, if that is more than the policy.
  package var search: FilesRead?

  package init(
    diagnostics: [Diagnostic], suppressed: [Suppressed] = [], sources: SourceSet, rules: [RuleInfo] = [], tool: Tool,
    instant: String
  ) {
    self.diagnostics = diagnostics
    self.suppressed = suppressed
    self.sources = sources
    self.rules = rules
    self.tool = tool
    self.instant = instant
  }

  package func count(of severity: Severity) -> Int {
    diagnostics.count { $0.severity == severity }
  }

  /// The findings for formats that have no room for all: errors, then warnings, then notes, those of one severity in
  /// their order.
  package var gravestFirst: [Diagnostic] {
    Severity.allCases.reversed().flatMap { severity in diagnostics.filter { $0.severity == severity } }
  }

  /// The path of a place's file.
  ///
  /// A place that points nowhere still gets a name, since a renderer must not fail.
  package func path(of place: Place) -> String {
    let number = Int(place.file.index)
    return number < sources.files.count ? sources.files[number].path : "unknown-file"
  }

  /// "2 errors, 1 warning in 3 files, 1 finding suppressed", or the same of ``outcome``.
  package var summary: String { summary(of: diagnostics.map { FindingGroup($0) }) }

  /// The same, where findings of one cause count as one: "1 error at 42 places in 3 files".
  package func summary(of groups: [FindingGroup]) -> String {
    let found = Self.counts(of: groups)
    let accepted = suppressed.isEmpty ? "" : ", " + counted(suppressed.count, "finding") + " suppressed"
    if let outcome { return (found.isEmpty ? "" : found + ": ") + outcome + accepted }
    let files = "in " + counted(sources.files.count, "file")
    return (found.isEmpty ? "no problems" : found) + " " + files + accepted
  }

  /// "2 errors, 1 warning at 42 places"; empty if nothing was found.
  package static func counts(of groups: [FindingGroup]) -> String {
    Severity.allCases.reversed().compactMap { severity in
      let these = groups.filter { $0.first.severity == severity }
      guard !these.isEmpty else { return nil }
      let places = these.reduce(0) { $0 + 1 + $1.others.count }
      return counted(these.count, severity.rawValue) + (places > these.count ? " at \(places) places" : "")
    }.joined(separator: ", ")
  }
}

/// "1 file", "2 files"; a plural that isn't made with an `s` is given.
package func counted(_ number: Int, _ noun: String, plural: String? = nil) -> String {
  "\(number) " + (number == 1 ? noun : plural ?? noun + "s")
}

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

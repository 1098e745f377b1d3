import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRotation
import PinStudies
import PinValidator

/// What `pintle history` found: all releases, for people, programs and spreadsheets.
struct HistoryFacts {
  let history: ReleaseHistory

  func text() -> String {
    var texts = history.audiences.map { audience in
      let problems = audience.entries.reduce(0) { $0 + $1.problems.count }
      let unsafe = audience.entries.count { $0.verdictCode == DiffReport.Verdict.unsafe.rawValue }
      return "audience \(VisibleText.of(audience.name)): \(counted(audience.entries.count, "release")), "
        + (unsafe > 0 ? "\(unsafe) unsafe, " : "") + counted(problems, "problem") + "\n\n" + table(audience.entries)
        + notes(audience.entries)
    }
    if !history.rejected.isEmpty {
      texts.append(
        "not listed: \(counted(history.rejected.count, "rejected file"))\n\n"
          + history.rejected.map { Self.lines(of: $0.failure) }.joined())
    }
    return texts.joined(separator: "\n")
  }

  /// How many errors of a release are shown in text; all of its codes are in the other formats.
  private static let errorsShown = 5

  /// The dates in columns, and the rest of each release in lines below them.
  private func table(_ entries: [ReleaseHistory.Entry]) -> String {
    var dates = Table()
    dates.add("serial", "issued", "refresh after", "expires")
    for entry in entries {
      let loaded = entry.release.loaded
      let epoch = entry.release.epoch > 1 ? " (epoch \(entry.release.epoch))" : ""
      dates.add("\(loaded.serial)\(epoch)", "\(loaded.issued)", "\(loaded.refreshAfter)", "\(loaded.expires)")
    }
    let lines = dates.text().split(separator: "\n")
    return lines[0] + "\n"
      + zip(lines.dropFirst(), entries).map { line, entry in
        let commit = entry.release.manifest.provenance.commit.map { "commit " + VisibleText.of($0) } ?? "no commit"
        var text = "\(line)\n        \(entry.summary)\n"
        text += "        signed by \(entry.signerNames.joined(separator: ", "))\n        \(commit)\n"
        if case .notChecked(let reason?) = entry.verdict {
          text += "        why not: \(VisibleText.of(reason))\n"
        }
        if case .recomputed(_, _, let errors) = entry.verdict {
          text += errors.prefix(Self.errorsShown)
            .map { "        error: \(VisibleText.of($0.message)) [\($0.code)]\n" }.joined()
          let more = errors.count - Self.errorsShown
          if more > 0 { text += "        and \(counted(more, "more error"))\n" }
        }
        if let reason = entry.whyUnsafe { text += "        \(EventDraft.unsafeTitle): \(VisibleText.of(reason))\n" }
        return text + entry.problems.map(Self.lines).joined()
      }.joined()
  }

  private static func lines(of problem: WorkFailure) -> String {
    "        problem: \(VisibleText.of(problem.message))\n"
      + (problem.help.map { "        help: \(VisibleText.of($0))\n" } ?? "")
  }

  /// What the verdicts are made of.
  private func notes(_ entries: [ReleaseHistory.Entry]) -> String {
    var notes: [String] = []
    if entries.contains(where: { if case .recomputed = $0.verdict { true } else { false } }) {
      notes.append(
        "verdicts: 'pintle diff' of the sources that the commit has, as of the issue time, without evidence")
    }
    if entries.contains(where: { if case .notChecked(nil) = $0.verdict { true } else { false } }) {
      notes.append(
        "not checked: a manifest doesn't say how long clients keep it, or which steps were planned.\n"
          + "Pass --sources DIRECTORY, the policy in its repository, to judge each release by its commit.")
    }
    return notes.isEmpty ? "" : "\n" + notes.map { $0 + "\n" }.joined()
  }

  func json() -> String {
    Facts.text("history") { writer in
      writer.objects("audiences", history.audiences) { audience, writer in
        writer.member("audience", audience.name)
        writer.objects("releases", audience.entries) { $1.history($0) }
      }
      writer.objects("rejected", history.rejected) { file, writer in
        writer.member("file", file.path)
        writer.rejection(file.failure)
      }
    }
  }

  func csv() -> String {
    let head = [
      "audience", "epoch", "serial", "issued", "refreshAfter", "expires", "signedBy", "commit", "digest", "changes",
      "verdict", "verdictText", "errors", "whyUnsafe", "problems", "file",
    ]
    let releases = history.audiences.flatMap { audience in
      audience.entries.map { entry in
        let loaded = entry.release.loaded
        return [
          audience.name, "\(entry.release.epoch)", "\(loaded.serial)", "\(loaded.issued)", "\(loaded.refreshAfter)",
          "\(loaded.expires)", entry.signerNames.joined(separator: "; "),
          entry.release.manifest.provenance.commit ?? "",
          entry.release.digest?.hex ?? "", entry.counts, entry.verdictCode, entry.reason ?? "",
          entry.errorCodes.joined(separator: "; "), entry.whyUnsafe ?? "",
          entry.problems.map(\.message).joined(separator: "; "), entry.release.path ?? "",
        ]
      }
    }
    let rejected = history.rejected.map { file in
      Array(repeating: "", count: head.count - 6) + ["rejected", "", "", "", file.failure.message, file.path]
    }
    return ([head] + releases + rejected).map(CommaSeparated.line).joined()
  }
}

extension ReleaseHistory.Entry {
  fileprivate var signerNames: [String] { signers.map { $0.name.map(VisibleText.of) ?? $0.keyID.hex } }

  /// `safe, 1 warning: 4 host entries, 1 changed`.
  fileprivate var summary: String {
    switch verdict {
    case .first: "first release: \(counts)"
    case .recomputed(.unsafe, let headline, _):
      headline + " (recomputed without evidence; it may have been planned with some)"
    case .recomputed(_, let headline, _): headline
    case .notChecked: "not checked: \(counts)"
    }
  }

  /// The changes in one line.
  fileprivate var counts: String {
    changes?.counts ?? counted(release.loaded.entryCount, "host entry", plural: "host entries")
  }

  fileprivate var verdictCode: String {
    switch verdict {
    case .first: "first"
    case .recomputed(let verdict, _, _): verdict.rawValue
    case .notChecked: "not-checked"
    }
  }

  /// The codes of the errors because of which it is unsafe.
  fileprivate var errorCodes: [String] {
    if case .recomputed(_, _, let errors) = verdict { Set(errors.map(\.code)).sorted() } else { [] }
  }

  /// Why the verdict is what it is.
  fileprivate var reason: String? {
    switch verdict {
    case .first: nil
    case .recomputed(_, let headline, _): headline
    case .notChecked(let reason): reason ?? "no sources given"
    }
  }
}

extension JSONWriter {
  /// One release of a history; in an object.
  fileprivate mutating func history(_ entry: ReleaseHistory.Entry) {
    member("file", entry.release.path)
    member("epoch", entry.release.epoch)
    digest("digest", entry.release.digest)
    release("manifest", entry.release.manifest)
    signers("signedBy", entry.signers)
    member("summary", entry.counts)
    if let changes = entry.changes { self.changes("changes", changes) }
    member("verdict", entry.verdictCode)
    member("reason", entry.reason)
    if case .recomputed = entry.verdict { array("errors", entry.errorCodes) }
    member("whyUnsafe", entry.whyUnsafe)
    objects("problems", entry.problems) { $1.failure($0) }
  }
}

package import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
package import PinRotation

/// A diff for programs, as `schemas/diff.schema.json` describes it.
///
/// Members may be added; none is removed, renamed or given another meaning without another `version`.
struct DiffJSON {
  let diff: DiffReport

  func text() -> String {
    JSONWriter.document("pintle-diff", by: diff.report.tool) { writer in
      writer.member("at", diff.report.instant)
      writer.member("until", diff.study.scenario.end)
      writer.member("verdict", diff.verdict)
      addSummary(to: &writer)
      addBaseline(to: &writer)
      JSONRenderer().addFindings(of: diff.report, to: &writer)
      writer.changes("changes", diff.changes)
    }
  }

  private func addSummary(to writer: inout JSONWriter) {
    let changes = diff.changes
    writer.object("summary") { writer in
      writer.counts(of: diff.report)
      writer.member("entriesBefore", changes.entriesBefore)
      writer.member("entriesAfter", changes.entriesAfter)
      writer.object("changes") { writer in
        let risks = changes.hosts.map(\.risk) + changes.settings.map(\.risk) + changes.denials.map(\.risk)
        for risk in ChangeRisk.allCases.reversed() { writer.member(risk.name, risks.count { $0 == risk }) }
      }
    }
  }

  private func addBaseline(to writer: inout JSONWriter) {
    writer.object("baseline") { writer in
      writer.member("window", diff.study.scenario.window)
      writer.objects("releases", diff.study.question.released) { release, writer in
        writer.member("name", release.name)
        writer.member("serial", release.serial)
        writer.member("issued", release.issued)
        writer.member("digest", release.digest.map { "sha256:" + $0.hex })
      }
      if let assessment = diff.study.world.assessment {
        writer.object("evidence") { writer in
          writer.member("begun", assessment.begun)
          writer.member("ended", assessment.ended)
          writer.member("servers", assessment.targets.count)
        }
      }
      writer.adoption(of: diff.study)
      writer.array("blindSpots", diff.blindSpots)
    }
  }
}

extension JSONWriter {
  /// What a manifest changes of the one before.
  package mutating func changes(_ name: String, _ changes: ManifestChanges) {
    object(name) { writer in
      writer.objects("settings", changes.settings) { setting, writer in
        writer.member("field", setting.field)
        writer.member("risk", setting.risk.name)
        writer.member("before", setting.before)
        writer.member("after", setting.after)
      }
      writer.objects("denials", changes.denials) { denial, writer in
        writer.member("denied", denial.isDenied)
        writer.member("risk", denial.risk.name)
        writer.object("key") { $0.add(denial.key) }
        writer.member("reason", denial.key.denied)
      }
      writer.objects("hosts", changes.hosts) { $1.add($0) }
    }
  }

  private mutating func add(_ change: HostChange) {
    member("host", change.host.text)
    member("port", change.port)
    member("risk", change.risk.name)
    switch change.kind {
    case .added(let entry):
      member("change", "added")
      add(entry)
      add(change.others)
    case .removed(let entry):
      member("change", "removed")
      add(entry)
      add(change.others)
    case .changed(let fields):
      member("change", "changed")
      add(fields)
    }
  }

  private mutating func add(_ entry: Manifest.HostEntry) {
    object("entry") { writer in
      for field in EntryField.allCases { writer.member(field.memberName, entry[field]) }
      writer.member("hasTrust", entry.trust != nil)
    }
  }

  private mutating func add(_ others: [OtherEntry]) {
    objects("others", others) { other, writer in
      writer.member("entry", other.label)
      writer.add(other.changes)
    }
  }

  private mutating func add(_ fields: [EntryChange]) {
    objects("fields", fields) { field, writer in
      writer.add(field.field)
      writer.member("risk", field.risk.name)
    }
  }

  private mutating func add(_ field: EntryChange.Field) {
    switch field {
    case .value(let field, let before, let after):
      member("field", field.rawValue)
      member("before", before)
      member("after", after)
    case .keys(let keys):
      member("field", "keys")
      for (name, list) in [
        ("added", keys.added), ("removed", keys.removed), ("repositioned", keys.repositioned),
        ("activated", keys.activated), ("retired", keys.retired),
      ] {
        objects(name, list) { $1.add($0) }
      }
    case .trust(let trust):
      member("field", "trust." + trust.field)
      array("before", trust.before)
      array("after", trust.after)
    }
  }

  /// A field; one that has no value is left out.
  package mutating func member(_ name: String, _ value: FieldValue) {
    switch value {
    case .none: break
    case .flag(let flag): member(name, flag)
    case .number(let number): member(name, number)
    case .text(let text): member(name, text)
    case .list(let items): array(name, items)
    }
  }

  /// A key as plans and diffs name it.
  mutating func add(_ key: Manifest.Key) {
    member("name", key.name)
    member("pin", key.pin)
    member("position", key.position)
  }
}

import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules

/// A diff for programs, as `schemas/diff.schema.json` describes it.
///
/// Members may be added; none is removed, renamed or given another meaning without another `version`.
struct DiffJSON {
  let diff: DiffReport

  func text() -> String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("format", "pintle-diff")
      writer.member("version", 1)
      writer.object("tool") { writer in
        writer.member("name", diff.report.tool.name)
        writer.member("version", diff.report.tool.version)
      }
      writer.member("at", diff.report.instant)
      writer.member("until", diff.study.scenario.end.description)
      writer.member("verdict", diff.verdict.rawValue)
      addSummary(to: &writer)
      addBaseline(to: &writer)
      JSONRenderer().addFindings(of: diff.report, to: &writer)
      writer.changes("changes", diff.changes)
    }
    return writer.text + "\n"
  }

  private func addSummary(to writer: inout JSONWriter) {
    writer.object("summary") { writer in
      writer.member("errors", diff.report.count(of: .error))
      writer.member("warnings", diff.report.count(of: .warning))
      writer.member("notes", diff.report.count(of: .note))
      writer.member("suppressed", diff.report.suppressed.count)
      writer.member("entriesBefore", diff.changes.entriesBefore)
      writer.member("entriesAfter", diff.changes.entriesAfter)
      writer.object("changes") { writer in
        let risks =
          diff.changes.hosts.map(\.risk) + diff.changes.settings.map(\.risk) + diff.changes.denials.map(\.risk)
        for risk in ChangeRisk.allCases.reversed() { writer.member(risk.name, risks.count { $0 == risk }) }
      }
    }
  }

  private func addBaseline(to writer: inout JSONWriter) {
    writer.object("baseline") { writer in
      writer.member("window", Int(diff.study.scenario.window))
      writer.array("releases") { writer in
        for release in diff.study.question.released {
          writer.object { writer in
            writer.member("name", release.name)
            if let serial = release.serial { writer.member("serial", Int(serial)) }
            writer.member("issued", release.issued.description)
            if let digest = release.digest { writer.member("digest", "sha256:" + digest.hex) }
          }
        }
      }
      if let assessment = diff.study.world.assessment {
        writer.object("evidence") { writer in
          writer.member("begun", assessment.begun.description)
          writer.member("ended", assessment.ended.description)
          writer.member("servers", assessment.targets.count)
        }
      }
      writer.array("blindSpots") { writer in
        for spot in diff.blindSpots { writer.member(nil, spot) }
      }
    }
  }
}

extension JSONWriter {
  /// What a manifest changes of the one before.
  mutating func changes(_ name: String, _ changes: ManifestChanges) {
    object(name) { writer in
      writer.array("settings") { writer in
        for setting in changes.settings {
          writer.object { writer in
            writer.member("field", setting.field)
            writer.member("risk", setting.risk.name)
            writer.member("before", setting.before)
            writer.member("after", setting.after)
          }
        }
      }
      writer.array("denials") { writer in
        for denial in changes.denials {
          writer.object { writer in
            writer.member("denied", denial.isDenied)
            writer.member("risk", denial.risk.name)
            writer.key("key", denial.key)
            if let reason = denial.key.denied { writer.member("reason", reason) }
          }
        }
      }
      writer.array("hosts") { writer in
        for host in changes.hosts { writer.hostChange(host) }
      }
    }
  }

  private mutating func hostChange(_ change: HostChange) {
    object { writer in
      writer.member("host", change.host.text)
      if let port = change.port { writer.member("port", Int(port)) }
      writer.member("risk", change.risk.name)
      switch change.kind {
      case .added(let entry):
        writer.member("change", "added")
        writer.entry(entry)
        writer.others(change.others)
      case .removed(let entry):
        writer.member("change", "removed")
        writer.entry(entry)
        writer.others(change.others)
      case .changed(let fields):
        writer.member("change", "changed")
        writer.fields(fields)
      }
    }
  }

  private mutating func entry(_ entry: Manifest.HostEntry) {
    object("entry") { writer in
      writer.member("mode", entry.mode.rawValue)
      writer.member("includeSubdomains", entry.includeSubdomains)
      if let set = entry.keySet { writer.member("keySet", set) }
      writer.member("require", entry.requirement.rawValue)
      if let expires = entry.expires { writer.member("expires", expires.description) }
      if let action = entry.onExpiry { writer.member("onExpiry", action.rawValue) }
      writer.texts("reportURIs", entry.reportURIs)
      writer.member("hasTrust", entry.trust != nil)
    }
  }

  private mutating func others(_ others: [OtherEntry]) {
    array("others") { writer in
      for other in others {
        writer.object { writer in
          writer.member("entry", other.label)
          writer.fields(other.changes)
        }
      }
    }
  }

  private mutating func fields(_ fields: [EntryChange]) {
    array("fields") { writer in
      for field in fields {
        writer.object { writer in
          writer.add(field.field)
          writer.member("risk", field.risk.name)
        }
      }
    }
  }

  private mutating func add(_ field: EntryChange.Field) {
    switch field {
    case .mode(let before, let after): turn("mode", before.rawValue, after.rawValue)
    case .includeSubdomains(let before, let after):
      member("field", "include-subdomains")
      member("before", before)
      member("after", after)
    case .keys(let keys):
      member("field", "keys")
      for (name, list) in [
        ("added", keys.added), ("removed", keys.removed), ("repositioned", keys.repositioned),
        ("activated", keys.activated), ("retired", keys.retired),
      ] {
        array(name) { writer in
          for key in list { writer.key(nil, key) }
        }
      }
    case .requirement(let before, let after): turn("require", before.rawValue, after.rawValue)
    case .expires(let before, let after): turn("expires", before?.description, after?.description)
    case .onExpiry(let before, let after): turn("on-expiry", before?.rawValue, after?.rawValue)
    case .reportURIs(let before, let after):
      member("field", "report-uris")
      texts("before", before)
      texts("after", after)
    case .trust(let trust):
      member("field", "trust." + trust.field)
      texts("before", trust.before)
      texts("after", trust.after)
    }
  }

  /// A field with one value; one that has none is left out.
  private mutating func turn(_ field: String, _ before: String?, _ after: String?) {
    member("field", field)
    if let before { member("before", before) }
    if let after { member("after", after) }
  }

  mutating func texts(_ name: String, _ items: [String]) {
    array(name) { writer in
      for item in items { writer.member(nil, item) }
    }
  }

  private mutating func key(_ name: String?, _ key: Manifest.Key) {
    object(name) { writer in
      writer.member("name", key.name)
      writer.member("pin", key.pin.description)
      if let position = key.position { writer.member("position", position.rawValue) }
    }
  }
}

package import Diagnostics
import PinFormat

extension RenewalRecord {
  /// Reads a record that a path leads to.
  ///
  /// - Throws: ``WorkFailure`` if it can't be read, or isn't such a record.
  package static func read(path: String) throws(WorkFailure) -> RenewalRecord {
    let bytes = try InputFile.read(path, limit: sizeLimit)
    do {
      return try RenewalRecord(reading: bytes)
    } catch {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(path))' isn't a record of renewals: \(error.message)",
        help: "Make it again: pintle check --renewals PATH --record FILE.")
    }
  }

  /// What is wrong with a record, as a clause.
  package struct Problem: Error, Hashable, Sendable {
    package let message: String
  }

  /// Reads a record: a function of its bytes alone, which rejects unknown fields.
  package init(reading bytes: [UInt8]) throws(Problem) {
    var limits = LocatedJSON.Limits()
    limits.bytes = Self.sizeLimit
    limits.depth = 8
    let root: LocatedJSON.Value
    do { root = try LocatedJSON(bytes, limits: limits).root } catch { throw Problem(message: error.message) }
    guard root["format"]?.text == Self.format else { throw Problem(message: "its 'format' isn't '\(Self.format)'") }
    guard root["version"]?.written == "1", root["version"]?.text == nil else {
      throw Problem(message: "its 'version' isn't 1, the only one that this pintle reads")
    }
    try Self.check(root, has: ["format", "version", "tool", "checked", "hosts"], optional: ["files", "search"])
    guard let tool = root["tool"] else { throw Problem(message: "'tool' is missing") }
    try Self.check(tool, has: ["name", "version"], optional: [])
    guard let checked = root["checked"]?.text.flatMap({ Instant($0.utf8) }) else {
      throw Problem(message: "'checked' isn't a time in UTC, such as 2027-06-01T12:00:00Z")
    }
    guard let items = root["hosts"]?.items else { throw Problem(message: "'hosts' isn't a list") }
    var hosts: [Host] = []
    for item in items { hosts.append(try Self.host(item)) }
    var files: [File] = []
    if let list = root["files"] {
      guard let items = list.items else { throw Problem(message: "'files' isn't a list") }
      for item in items {
        try Self.check(item, has: ["file", "sha256"], optional: [])
        guard let path = item["file"]?.text, !path.isEmpty, let digest = item["sha256"]?.text,
          SHA256Digest(hex: digest.utf8) != nil
        else {
          throw Problem(message: "line \(item.place.start.line): 'file' and 'sha256' aren't a path and 64 digits")
        }
        files.append(File(path: path, digest: digest))
      }
    }
    self.init(checked: checked, hosts: hosts, files: files, search: try root["search"].map(Self.search))
  }

  private static func search(_ value: LocatedJSON.Value) throws(Problem) -> FilesRead {
    try check(value, has: ["files", "otherNames", "passedOver"], optional: [])
    func count(_ field: StaticString) throws(Problem) -> Int {
      guard let item = value[field], item.text == nil, let number = item.written.flatMap({ Int($0) }), number >= 0
      else {
        throw Problem(message: "line \(value.place.start.line): '\(field)' isn't a number from 0")
      }
      return number
    }
    guard let items = value["passedOver"]?.items else { throw Problem(message: "'passedOver' isn't a list") }
    var passedOver: [FilesRead.PassedOver] = []
    for item in items {
      try check(item, has: ["file", "reason"], optional: [])
      guard let path = item["file"]?.text, !path.isEmpty, let reason = item["reason"]?.text, !reason.isEmpty else {
        throw Problem(message: "line \(item.place.start.line): 'file' and 'reason' aren't texts")
      }
      passedOver.append(FilesRead.PassedOver(path, reason))
    }
    return FilesRead(try count("files"), otherNames: try count("otherNames"), passedOver: passedOver)
  }

  private static func host(_ item: LocatedJSON.Value) throws(Problem) -> Host {
    let line = item.place.start.line
    try check(item, has: ["host", "answer"], optional: ["tool", "file", "line", "because"])
    func problem(_ field: String, _ expected: String) -> Problem {
      Problem(message: "line \(line): '\(field)' isn't \(expected)")
    }
    func isHost(_ name: String) -> Bool {
      CertificateName.host(name).map { name == ($0.isWildcard ? "*." : "") + $0.host.text } ?? false
    }
    guard let name = item["host"]?.text, name == anyHost || isHost(name) else {
      throw problem("host", "a host in lower case")
    }
    guard let answer = item["answer"]?.text.flatMap({ RenewalSetting.Answer(rawValue: $0) }) else {
      throw problem("answer", RenewalSetting.Answer.allCases.map(\.rawValue).listed("or"))
    }
    var found = Host(name: name, answer: answer)
    if let tool = item["tool"] {
      guard let known = tool.text.flatMap({ RenewalSetting.Tool(rawValue: $0) }) else {
        throw problem("tool", RenewalSetting.Tool.allCases.map(\.rawValue).listed("or"))
      }
      guard let file = item["file"]?.text, !file.isEmpty else { throw problem("file", "the path of a file") }
      guard item["line"]?.text == nil, let number = item["line"]?.written.flatMap({ Int($0) }), number > 0 else {
        throw problem("line", "a number from 1")
      }
      (found.tool, found.file, found.line) = (known, file, number)
      if let because = item["because"] {
        guard let text = because.text, !text.isEmpty else { throw problem("because", "a text") }
        found.because = text
      }
    } else if item["because"] != nil || answer != .unknown || name == anyHost || item["file"] != nil
      || item["line"] != nil
    {
      throw problem("tool", "given, though the other fields need it")
    }
    return found
  }

  private static func check(
    _ value: LocatedJSON.Value, has required: Set<String>, optional: Set<String>
  ) throws(Problem) {
    guard let members = value.members else {
      throw Problem(message: "line \(value.place.start.line): \(value.noun) where an object should be")
    }
    let names = Set(members.compactMap(\.name.text))
    if let missing = required.subtracting(names).min() {
      throw Problem(message: "line \(value.place.start.line): '\(missing)' is missing")
    }
    if let unknown = members.first(where: { !required.union(optional).contains($0.name.text ?? "") }) {
      throw Problem(
        message: "line \(unknown.name.place.start.line): unknown field '\(VisibleText.of(unknown.name.text ?? ""))'")
    }
  }
}

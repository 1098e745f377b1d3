package import Diagnostics
import OpenSSLKit
package import PinFormat

/// What `pintle check --renewals` found out about the renewals of hosts, kept for `diff` and `simulate`.
///
/// Its format is described by `schemas/renewals.schema.json`.
package struct RenewalRecord: Sendable {
  /// The name of a setting of which it isn't known which hosts it is for.
  package static let anyHost = "*"

  /// One name, and what a setting says about it; without a setting, what isn't known.
  package struct Host: Hashable, Sendable {
    /// As certificates name hosts: `*.example.com` is each name one label below; or ``anyHost``.
    package var name: String
    package var answer: RenewalSetting.Answer
    package var tool: RenewalSetting.Tool?
    package var file: String?
    package var line: Int?
    /// The setting that decides, as a clause.
    package var because: String?

    package init(
      name: String, answer: RenewalSetting.Answer, tool: RenewalSetting.Tool? = nil, file: String? = nil,
      line: Int? = nil, because: String? = nil
    ) {
      self.name = name
      self.answer = answer
      self.tool = tool
      self.file = file
      self.line = line
      self.because = because
    }
  }

  /// A file that the answers rest on.
  package struct File: Hashable, Sendable {
    package let path: String
    /// The SHA-256 digest of its bytes, in hexadecimal digits.
    package let digest: String

    package init(path: String, digest: String) {
      self.path = path
      self.digest = digest
    }

    /// Nil if its bytes weren't read.
    package init?(_ file: SourceSet.File) {
      guard !file.bytes.isEmpty, let digest = try? SHA256.digest(of: file.bytes) else { return nil }
      self.init(path: file.path, digest: SHA256Digest(digest).hex)
    }
  }

  package static let format = "pintle-renewals"
  /// Settings change without a trace in the record, so it counts for about the life of one certificate.
  package static let maximumAge: Int64 = 90 * 86_400
  package static let sizeLimit = 16 << 20

  package let checked: Instant
  package let hosts: [Host]
  /// Sorted; empty in a record of an older version.
  package let files: [File]
  /// What was read to find the settings; nil in a record of an older version.
  package let search: FilesRead?
  private let answers: [String: RenewalSetting.Answer]

  package init(checked: Instant, hosts: [Host], files: [File] = [], search: FilesRead? = nil) {
    self.checked = checked
    self.search = search
    self.files = Array(Set(files)).sorted { $0.path < $1.path }
    self.hosts = Array(Set(hosts)).sorted { Self.order($0).lexicographicallyPrecedes(Self.order($1)) }
    // A host that no setting covers here may be covered by another record.
    answers = Dictionary(hosts.lazy.filter { $0.tool != nil }.map { ($0.name, $0.answer) }) { max($0, $1) }
  }

  private static func order(_ host: Host) -> [String] {
    let line = String(host.line ?? 0)
    let padded = String(repeating: "0", count: max(0, 10 - line.utf8.count)) + line
    return [host.name, host.file ?? "", padded, host.tool?.rawValue ?? "", host.answer.rawValue, host.because ?? ""]
  }

  /// Whether the next renewal keeps the key of a host: by all settings whose certificates are for it.
  package func keepsKey(_ host: HostName) -> Bool {
    let found = [host.text, CertificateName.wildcard(above: host)].compactMap { name in name.flatMap { answers[$0] } }
    return !found.isEmpty && (found + [answers[Self.anyHost] ?? .keeps]).allSatisfy { $0 == .keeps }
  }

  /// Why the record can't be used at an instant, as a clause; nil if it can.
  package func objection(at instant: Instant) -> String? {
    if checked.secondsSinceEpoch > instant.secondsSinceEpoch + 86_400 { return "it was made later, on \(checked)" }
    let age = instant.secondsSinceEpoch - checked.secondsSinceEpoch
    guard age >= Self.maximumAge else { return nil }
    return "it was made on \(checked), \(age / 86_400) days ago; the limit is \(Self.maximumAge / 86_400) days"
  }

  /// Which of the files has changed since, as a clause; nil if none has, or none of them is on this machine.
  package func change(read: (String) -> [UInt8]?) -> String? {
    let now = files.map { file in (file, bytes: read(file.path)) }
    guard now.contains(where: { $0.bytes != nil }) else { return nil }
    return now.lazy.compactMap { file, bytes in
      let path = VisibleText.of(file.path)
      guard let bytes else { return "'\(path)' doesn't exist any more" }
      return File(SourceSet.File(path: file.path, bytes: bytes)) == file ? nil : "'\(path)' has changed since"
    }.first
  }

  /// The file, for other commands and for people.
  package var json: String {
    JSONWriter.document(Self.format, by: .pintle) { writer in
      writer.member("checked", checked)
      writer.objects("hosts", hosts) { host, writer in
        writer.member("host", host.name)
        writer.member("answer", host.answer)
        writer.member("tool", host.tool)
        writer.member("file", host.file)
        writer.member("line", host.line)
        writer.member("because", host.because)
      }
      if !files.isEmpty {
        writer.objects("files", files) { file, writer in
          writer.member("file", file.path)
          writer.member("sha256", file.digest)
        }
      }
      if let search { writer.member(search) }
    }
  }
}

/// Names as certificates have them.
package enum CertificateName {
  /// The wildcard that covers a host, which is in the leftmost label only (RFC 6125 section 6.4.3); nil for an address.
  package static func wildcard(above host: HostName) -> String? {
    guard !host.isAddress, let dot = host.text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    return "*" + host.text[dot...]
  }

  /// A name, or the name behind `*.`, in canonical form; nil for what isn't a host.
  package static func host(_ text: String) -> (host: HostName, isWildcard: Bool)? {
    let isWildcard = text.hasPrefix("*.")
    guard let host = try? HostName(canonicalising: isWildcard ? String(text.dropFirst(2)) : text),
      !isWildcard || !host.isAddress
    else { return nil }
    return (host, isWildcard)
  }
}

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

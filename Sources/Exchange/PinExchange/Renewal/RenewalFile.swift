import Diagnostics
import PinFormat
import PinPolicy

/// A file of another tool's settings, and where its lines are.
struct RenewalFile {
  let path: String
  let bytes: [UInt8]
  let id: FileID
  let offsets: LineOffsets
  /// What variables are in all files.
  var definitions: RenewalDefinitions

  init(path: String, bytes: [UInt8], id: FileID, definitions: RenewalDefinitions = RenewalDefinitions()) {
    self.path = path
    self.bytes = bytes
    self.id = id
    self.definitions = definitions
    offsets = LineOffsets(bytes)
  }

  init(_ file: SourceSet.File) { self.init(path: file.path, bytes: file.bytes, id: FileID(0)) }

  /// The last part of the path; a template of Jinja is read as the file that is made of it.
  var name: String { Self.withoutTemplate(path).split(separator: "/").last.map(String.init) ?? path }

  static func withoutTemplate(_ path: some StringProtocol) -> String {
    String(path.hasSuffix(".j2") ? path.dropLast(3) : path[...])
  }

  /// Whether its commands run again and again: a unit, a crontab or a hook.
  var isScheduled: Bool {
    Self.isScheduled(path) || (path.contains(".service.d/") || path.contains(".container.d/"))
      || [".service", ".cron", ".conf", "crontab", "cli.ini"].contains(where: name.hasSuffix)
  }

  /// Whether a folder is one of crontabs or hooks, as the parts of its path say.
  static func isScheduled(_ path: some StringProtocol) -> Bool {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast().contains {
      $0.hasPrefix("cron") || $0 == "renewal-hooks"
    }
  }

  /// The name without what is behind its last dot.
  var stem: String { name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name }

  /// The folder that it is in, ended by a slash; empty for the one that pintle runs in.
  var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  func place(_ range: Range<Int>) -> Place { offsets.visiblePlace(of: range, in: id) }

  /// Whether a text is in it.
  func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard let first = wanted.first, bytes.count >= wanted.count else { return false }
    var start = 0
    while let found = bytes[start...].firstIndex(of: first) {
      if bytes[found...].starts(with: wanted) { return true }
      start = found + 1
    }
    return false
  }

  /// The lines without their breaks and the white space around them, each with its bytes in the file.
  var lines: [(text: Substring, range: Range<Int>)] {
    var lines: [(Substring, Range<Int>)] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      var range = start..<end
      while let first = range.first, Self.isBlank(bytes[first]) { range.removeFirst() }
      while let last = range.last, Self.isBlank(bytes[last]) { range.removeLast() }
      lines.append((Substring(decoding: bytes[range], as: UTF8.self), range))
      start = end + 1
    }
    return lines
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

extension RenewalSetting {
  /// Names that a comma separates.
  static func names(_ list: some StringProtocol) -> [String] {
    list.split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
  }
}

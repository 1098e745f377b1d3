import Diagnostics
import PinFormat

/// Writes the source file that a developer would have written.
struct OkHttpSource {
  enum Language {
    case kotlin
    case java
  }

  let list: FittedPinList
  private let language: Language
  /// Of the object or class.
  let name: String
  let package: String?

  static let documentation =
    "/** The public keys that servers may present: a host's chain must contain one of its keys. */\n"

  /// The most hosts in one function: a method of the JVM has at most 65,535 bytes of code (JVMS section 4.7.3).
  private static let hostsInFunction = 100

  init(_ list: FittedPinList, _ settings: ExportSettings, in language: Language) throws(ExchangeError) {
    self.list = list
    self.language = language
    name = settings.values[.name] ?? "CertificatePins"
    package = settings.values[.package]
    guard SourceIdentifier.isValid(name) else {
      throw ExchangeError(
        .invalidValue, "'\(VisibleText.of(name))' can't name a class: it takes letters, digits and '_', and no keyword")
    }
    guard package.map(SourceIdentifier.isPackage) ?? true else {
      throw ExchangeError(
        .invalidValue,
        "'\(VisibleText.of(package ?? ""))' can't name a package: it takes names with dots between them, such as "
          + "'com.example.net'")
    }
  }

  func file() -> ExchangedFile {
    let text = language == .kotlin ? kotlin() : java()
    let suffix = language == .kotlin ? ".kt" : ".java"
    return ExchangedFile(name: name + suffix, bytes: Array(text.utf8))
  }

  func head() -> String {
    list.head("Public-key pins for OkHttp").map { $0.isEmpty ? "//\n" : "// \($0)\n" }.joined() + "\n"
  }

  /// The pinned hosts, so many together that the JVM takes them in one method.
  func groups() -> [[PinList.Host]] {
    let pinned = list.list.hosts.filter { $0.mode != .off }
    return stride(from: 0, to: pinned.count, by: Self.hostsInFunction).map { start in
      Array(pinned[start..<min(start + Self.hostsInFunction, pinned.count)])
    }
  }

  /// A host that a pattern with two asterisks is for.
  var watched: String? {
    list.list.hosts.first { $0.mode != .off && $0.subdomains == .all }?.host.text
  }

  /// One call of `add` for each pattern of a host.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - receiver: What is before the dot; empty in a chain of calls.
  ///   - indent: The spaces before the call, and those that its arguments have more.
  ///   - end: What ends the call.
  /// - Returns: Whole lines.
  func calls(
    _ host: PinList.Host, on receiver: String = "", indent: (Int, more: Int), end: String = ")"
  ) -> String {
    let outer = String(repeating: " ", count: indent.0)
    let inner = outer + String(repeating: " ", count: indent.more)
    let backup = Set(host.keySet.map { list.list.keySets[$0].backup } ?? []).map { list.list.keys[$0].name }
    let keys = list.list.keys(of: host)
    var text = ""
    for pattern in OkHttpPattern.patterns(of: host) {
      text += "\(outer)\(receiver).add(\n\(inner)\"\(pattern)\",\n"
      for (number, key) in keys.enumerated() {
        let isLast = number == keys.count - 1
        text += "\(inner)\"\(key.pin)\"" + (isLast ? (language == .java ? end : "") : ",")
        text += " // " + FittedPinList.harmless((backup.contains(key.name) ? "backup: " : "") + key.name) + "\n"
      }
      if language == .kotlin { text += outer + end + "\n" }
    }
    return text
  }
}

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

extension OkHttpSource {
  /// A class that holds the pinner.
  func java() -> String {
    var text = head() + (package.map { "package \($0);\n\n" } ?? "")
    if watched != nil { text += "import java.util.Collections;\nimport javax.net.ssl.SSLPeerUnverifiedException;\n" }
    text += "import okhttp3.CertificatePinner;\n\n" + Self.documentation + "public final class \(name) {\n"
    let groups = groups()
    if groups.count > 1 {
      text += "    public static final CertificatePinner CERTIFICATE_PINNER = build();\n"
    } else {
      text += "    public static final CertificatePinner CERTIFICATE_PINNER = new CertificatePinner.Builder()\n"
      for host in groups.joined() { text += calls(host, indent: (12, more: 8)) }
      text += "            .build();\n"
    }
    if let watched {
      text += """

            static {
                // Before OkHttp 4.3.0 a pattern with two asterisks matches nothing, and nothing would be pinned.
                if (!isPinned("\(watched)")) {
                    throw new IllegalStateException("OkHttp 4.3.0 or later is needed");
                }
            }

            private static boolean isPinned(String host) {
                try {
                    CERTIFICATE_PINNER.check(host, Collections.emptyList());
                    return false;
                } catch (SSLPeerUnverifiedException e) {
                    return true;
                }
            }

        """
    }
    if groups.count > 1 { text += javaFunctions(groups) }
    return text + "\n    private \(name)() {}\n}\n"
  }

  private func javaFunctions(_ groups: [[PinList.Host]]) -> String {
    var text = "\n    private static CertificatePinner build() {\n"
    text += "        CertificatePinner.Builder builder = new CertificatePinner.Builder();\n"
    for number in groups.indices { text += "        addHosts\(number + 1)(builder);\n" }
    text += "        return builder.build();\n    }\n"
    for (number, group) in groups.enumerated() {
      text += "\n    private static void addHosts\(number + 1)(CertificatePinner.Builder builder) {\n"
      for host in group { text += calls(host, on: "builder", indent: (8, more: 8), end: ");") }
      text += "    }\n"
    }
    return text
  }
}

extension OkHttpSource {
  /// An object that holds the pinner.
  func kotlin() -> String {
    var text = head() + (package.map { "package \($0)\n\n" } ?? "")
    text += "import okhttp3.CertificatePinner\n"
    if watched != nil { text += "import javax.net.ssl.SSLPeerUnverifiedException\n" }
    text += "\n" + Self.documentation + "object \(name) {\n"
    text += "    val certificatePinner: CertificatePinner = CertificatePinner.Builder()\n"
    let groups = groups()
    if groups.count > 1 {
      for number in groups.indices { text += "        .apply { addHosts\(number + 1)(this) }\n" }
    } else {
      for host in groups.joined() { text += calls(host, indent: (8, more: 4)) }
    }
    text += "        .build()\n"
    if let watched {
      text += """

            init {
                // Before OkHttp 4.3.0 a pattern with two asterisks matches nothing, and nothing would be pinned.
                check(isPinned("\(watched)")) { "OkHttp 4.3.0 or later is needed" }
            }

            private fun isPinned(host: String): Boolean =
                try {
                    certificatePinner.check(host, emptyList())
                    false
                } catch (e: SSLPeerUnverifiedException) {
                    true
                }

        """
    }
    if groups.count > 1 {
      for (number, group) in groups.enumerated() {
        text += "\n    private fun addHosts\(number + 1)(builder: CertificatePinner.Builder) {\n"
        for host in group { text += calls(host, on: "builder", indent: (8, more: 4)) }
        text += "    }\n"
      }
    }
    return text + "}\n"
  }
}

/// The patterns of `CertificatePinner`: a name, `*.name` for one label more, `**.name` for the name and all below it.
enum OkHttpPattern {
  /// Those that cover what a host's entry covers.
  static func patterns(of host: PinList.Host) -> [String] {
    // OkHttp accepts an IPv6 address with or without brackets; version 3 only with them.
    let name = host.host.kind == .ipv6 ? "[\(host.host.text)]" : host.host.text
    return switch host.subdomains {
    case .none: [name]
    case .direct: [name, "*." + name]
    case .all: ["**." + name]
    }
  }
}

/// Names in Kotlin and Java source: letters, digits and underscores in ASCII, and no word of either language, so that
/// one name does in both.
enum SourceIdentifier {
  private static let most = 128

  /// The words that can't be names (Kotlin's hard keywords; JLS section 3.9).
  private static let words: Set<String> = [
    "abstract", "as", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
    "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "fun", "goto",
    "if", "implements", "import", "in", "instanceof", "int", "interface", "is", "long", "native", "new", "null",
    "object", "package", "private", "protected", "public", "return", "short", "static", "strictfp", "super", "switch",
    "synchronized", "this", "throw", "throws", "transient", "true", "try", "typealias", "typeof", "val", "var", "void",
    "volatile", "when", "while", "_",
  ]

  static func isValid(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, !isDigit(first), text.utf8.count <= most, !words.contains(String(text)) else {
      return false
    }
    return text.utf8.allSatisfy(isPart)
  }

  /// Whether a text is names with dots between them.
  static func isPackage(_ text: String) -> Bool {
    text.utf8.count <= most && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isValid)
  }

  static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: isDigit(byte)
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

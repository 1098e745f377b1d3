import Diagnostics
import PinPolicy

/// What variables of templates and scripts are, wherever in the files that is written.
///
/// Only values that concern a tool are kept: its program or image, a command of it, or the folder of its keys.
struct RenewalDefinitions {
  /// By `name`, or `parent.name` as deep as the field is.
  private var values: [String: String] = [:]
  /// The tools of Docker Compose's services, by their names: `docker compose run NAME` runs them.
  private var services: [String: RenewalSetting.Tool] = [:]

  init() {}

  init(_ files: [RenewalFile]) {
    var left = files.filter { RenewalCommand.mayHave($0) || $0.contains("{{") }.map { Self.found(in: $0) }
    for (names, value) in left.joined() {
      let path = names.first?.split(separator: ".") ?? []
      guard path.count > 2, path.last == "image", path[path.count - 3] == "services" else { continue }
      // `${IMAGE:-certbot/certbot}`
      services[String(path[path.count - 2])] = RenewalCommand.tool(
        of: String(value.split { "${}".contains($0) }.last ?? ""))
    }
    // A value may have a variable that is defined in another file.
    for _ in 0..<Self.mostNested {
      let before = values.count
      left = left.map { found in
        found.filter { names, value in
          guard concernsTool(expanded(value, braces: true)) else { return true }
          for name in names { values[name] = values[name] ?? value }
          return false
        }
      }
      if values.count == before { break }
    }
  }

  private static let mostNested = 4
  /// Longer texts aren't the value of a variable for a path or program.
  private static let longest = 400

  func with(_ name: String, _ value: String) -> RenewalDefinitions {
    var copy = self
    copy.values[name] = value
    return copy
  }

  var isEmpty: Bool { values.isEmpty }

  /// Whether a file may use one of them.
  func areUsed(in file: RenewalFile) -> Bool {
    if !services.isEmpty, file.contains("compose") { return true }
    guard !values.isEmpty, file.contains("{{") || file.contains("$") else { return false }
    return values.keys.contains { file.contains(String($0.split(separator: ".").last ?? "")) }
  }

  private func concernsTool(_ value: String) -> Bool {
    let words = value.split(whereSeparator: \.isWhitespace).map(String.init)
    let program = words.firstIndex { RenewalCommand.tool(of: $0) != nil }
    // `sudo certbot renew`, not a text about certbot.
    return program == 0
      || program != nil && ["sudo", "docker", "podman", "exec", "env", "/usr/bin/env"].contains(words[0])
      || RenewalWay.removals.contains { KeyMaker.isStored(value, by: $0.tool) }
  }

  /// The service that a command of Docker Compose runs, if that is a tool's.
  func service(in words: [String]) -> (tool: RenewalSetting.Tool, start: Int)? {
    guard !services.isEmpty, words.contains(where: { $0.hasSuffix("compose") }),
      let run = words.firstIndex(where: { $0 == "run" || $0 == "exec" }),
      let start = words[run...].firstIndex(where: { services[$0] != nil }), let tool = services[words[start]]
    else { return nil }
    return (tool, start)
  }

  /// The value of a shell's variable.
  subscript(name: String) -> String? { values[name] }

  /// A text with the values of templates, `{{ name | filter }}`, and with `braces` only of them; others stay.
  func expanded(_ text: String, braces: Bool = false) -> String {
    // Most words have neither.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "$") }) else { return text }
    var left = 16
    return expanded(text, braces, &left)
  }

  private func expanded(_ text: String, _ braces: Bool, _ left: inout Int) -> String {
    var (result, rest) = ("", text[...])
    while let sign = rest.firstIndex(where: { $0 == "{" || !braces && $0 == "$" }) {
      result += rest[..<sign]
      rest = rest[sign...]
      var (part, value): (Int, String?) = (1, nil)
      if rest.hasPrefix("{{") {
        (part, value) = template(rest)
      } else if rest.hasPrefix("$") {
        (part, value) = variable(rest)
      }
      if let value, left > 0 {
        left -= 1
        result += expanded(value, braces, &left)
      } else {
        result += rest.prefix(part)
      }
      rest = rest.dropFirst(part)
    }
    return result + rest
  }

  /// How long `{{ … }}` is, and its value.
  private func template(_ text: Substring) -> (Int, String?) {
    let inner = text.dropFirst(2).prefix(Self.longest).prefix { $0 != "}" }
    guard text[inner.endIndex...].hasPrefix("}}") else { return (2, nil) }
    // `certbot.dir`, `certbot['dir']`, `.Values.certbot.dir`, `pillar.get('certbot:dir')`
    let parts = inner.prefix { $0 != "|" }.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    for start in parts.indices {
      if let value = values[parts[start...].joined(separator: ".")] { return (inner.count + 4, value) }
    }
    guard let start = inner.firstRange(of: "default(") else { return (inner.count + 4, nil) }
    let literal = inner[start.upperBound...].prefix { $0 != ")" }.filter { !"'\" ".contains($0) }
    return (inner.count + 4, concernsTool(literal) ? literal : nil)
  }

  /// How long `$name` or `${name}` is, and its value.
  private func variable(_ text: Substring) -> (Int, String?) {
    let rest = text.dropFirst()
    let isBraced = rest.first == "{"
    let name = (isBraced ? rest.dropFirst() : rest).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    guard !isBraced || rest.dropFirst(name.count + 1).first == "}" else { return (1, nil) }
    return (1 + name.count + (isBraced ? 2 : 0), values[String(name)])
  }
}

// MARK: Where they are defined

extension RenewalDefinitions {
  private typealias Found = (names: [String], value: String)

  private static func found(in file: RenewalFile) -> [Found] {
    var found: [Found] = []
    if RenewalFiles.treeEndings.contains(where: file.name.hasSuffix) {
      for value in YAMLDocuments(file.bytes, file: file.id).values { add(value, [], to: &found) }
    }
    guard file.bytes.contains(UInt8(ascii: "=")) else { return found }
    for (text, _) in file.lines where text.utf8.count <= longest { add(assignment: text, to: &found) }
    return found
  }

  /// Fields whose own fields are variables of their names alone.
  private static let sections: Set<String> = [
    "vars", "set_fact", "ansible.builtin.set_fact", "environment", "env", "data", "stringData", "values", "with_items",
    "loop",
  ]

  private static func add(_ value: YAMLDocuments.Value, _ path: [String], to found: inout [Found]) {
    if let text = value.text {
      guard !text.isEmpty, text.utf8.count <= longest, !path.isEmpty else { return }
      var names = path.indices.dropLast().map { path[$0...].joined(separator: ".") }
      if path.count == 1 || sections.contains(path[path.count - 2]) { names.append(path[path.count - 1]) }
      found.append((names, text))
      add(assignment: text[...], to: &found)
    }
    for (name, inner) in value.fields { add(inner, path + [name.text ?? ""], to: &found) }
    for item in value.items { add(item, path, to: &found) }
  }

  /// `NAME=value` of a shell, a unit or a makefile, and Jinja's `{% set name = 'value' %}`.
  private static func add(assignment line: Substring, to found: inout [Found]) {
    guard let sign = line.firstIndex(of: "=") else { return }
    let name = line[..<sign].split { " \t:?\"'".contains($0) }.last ?? ""
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return }
    var value = line[line.index(after: sign)...].drop { $0 == " " }
    if line.hasPrefix("{%") { value = value.prefix { $0 != "%" } }
    let quote = value.first.flatMap { "'\"".contains($0) ? $0 : nil }
    let text =
      quote.map { quote in value.dropFirst().prefix { $0 != quote } } ?? value.prefix { !"\"'; \t".contains($0) }
    found.append(([String(name)], String(text)))
    // `Environment="NAME=value"`
    if quote != nil { add(assignment: text, to: &found) }
  }
}

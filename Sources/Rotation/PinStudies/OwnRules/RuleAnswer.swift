import Diagnostics
import PinPolicy

/// What a program of a rules file answered: text of somebody else's, read strictly and within limits.
///
/// Its format is described by `schemas/rule-findings.schema.json`.
struct RuleAnswer {
  /// One finding, at a place of the policy.
  struct Found {
    var code: String
    /// An index of the policy's audiences.
    var audience: Int
    var place: Place
    var severity: Severity
    var message: String
    var help: String?
  }

  /// Why an answer isn't one.
  struct Invalid: Error {
    var reason: String
    var help =
      "Have it write {\"version\": 1, \"findings\": […]} to its standard output, and nothing else; standard error counts too."
  }

  static let byteLimit = 1 << 20
  static let findingLimit = 1_000
  /// The most bytes of a text.
  static let textLimit = 2_000

  private(set) var findings: [Found] = []

  /// Reads an answer.
  ///
  /// - Parameters:
  ///   - bytes: All that the program wrote.
  ///   - codes: The codes that it may report.
  ///   - places: Where the values are that it may point to.
  /// - Throws: ``Invalid``, which says what is wrong and what to do.
  init(_ bytes: [UInt8], codes: Set<String>, _ places: PointedPlaces) throws(Invalid) {
    var limits = LocatedJSON.Limits()
    (limits.bytes, limits.depth) = (Self.byteLimit, 8)
    let json: LocatedJSON
    do { json = try LocatedJSON(bytes, limits: limits) } catch {
      throw Invalid(reason: "its answer can't be read: \(error.message)")
    }
    let root = try Self.members(of: json.root, ["version", "findings"], in: "its answer")
    guard root["version"]?.written == "1", root["version"]?.text == nil, let items = root["findings"]?.items else {
      throw Invalid(reason: "its answer has no 'version' 1, or no list 'findings'")
    }
    guard items.count <= Self.findingLimit else {
      throw Invalid(reason: "it reported \(items.count) findings; the limit is \(Self.findingLimit)")
    }
    for (number, item) in items.enumerated() {
      findings.append(try Self.found(item, in: "finding \(number + 1)", codes, places))
    }
  }

  private static func found(
    _ item: LocatedJSON.Value, in name: String, _ codes: Set<String>, _ places: PointedPlaces
  ) throws(Invalid) -> Found {
    let fields = try members(of: item, ["code", "severity", "message", "pointer", "help"], in: name)
    func text(_ field: String) throws(Invalid) -> String {
      guard let text = fields[field]?.text, !text.isEmpty, text.utf8.count <= textLimit else {
        throw Invalid(reason: "'\(field)' of \(name) is missing, or is not a text of 1 to \(textLimit) bytes")
      }
      return text
    }
    let (code, pointer) = (try text("code"), try text("pointer"))
    guard codes.contains(code) else {
      throw Invalid(
        reason: "\(name) has the code '\(VisibleText.of(code))', which 'codes:' of this program doesn't list",
        help: "List it there with a title; a code is X and three digits.")
    }
    guard let severity = Severity(rawValue: try text("severity")) else {
      throw Invalid(reason: "'severity' of \(name) is not error, warning or note")
    }
    guard let (audience, place) = places.place(of: pointer) else {
      throw Invalid(
        reason: "the pointer '\(VisibleText.of(pointer))' of \(name) doesn't lead to a value of an audience",
        help: "Use a JSON pointer (RFC 6901) into what the program was given, such as /audiences/0/hosts/2/expires.")
    }
    return Found(
      code: code, audience: audience, place: place, severity: severity, message: VisibleText.of(try text("message")),
      help: fields["help"] == nil ? nil : VisibleText.of(try text("help")))
  }

  /// The members of an object that has only known ones.
  private static func members(
    of value: LocatedJSON.Value, _ known: Set<String>, in name: String
  ) throws(Invalid) -> [String: LocatedJSON.Value] {
    guard let members = value.members else { throw Invalid(reason: "\(name) is \(value.noun), not an object") }
    var found: [String: LocatedJSON.Value] = [:]
    for member in members {
      let field = member.name.text ?? ""
      guard known.contains(field) else {
        throw Invalid(reason: "\(name) has the field '\(VisibleText.of(field))', which doesn't exist")
      }
      found[field] = member.value
    }
    return found
  }
}

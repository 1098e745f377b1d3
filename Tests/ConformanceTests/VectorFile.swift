import Foundation
import Testing

/// The folder of the vectors.
let vectors = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors")

/// One of the files of vectors, as its header says.
struct VectorFile: Sendable, CustomTestStringConvertible {
  let name: String
  var testDescription: String { name }

  /// All files that hold vectors, by name.
  static let all: [VectorFile] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: vectors.path)) ?? []
    let inputs = ["certificates.json", "signers.json", "shared.json"]
    return names.filter { $0.hasSuffix(".json") && !inputs.contains($0) }.sorted().map(VectorFile.init)
  }()

  /// The kind of vectors, the vectors, and the manifests and keysets that only they name.
  func read() throws -> (kind: String, rows: [Fields], contents: Contents) {
    var header = try Fields(file: name)
    #expect(try header.integer("format") == 1)
    #expect(try header.text("theme") + ".json" == name)
    _ = try header.text("about")
    let kind = try header.text("kind")
    let rows = try header.list("vectors").map(Fields.init)
    let contents = try Contents(&header)
    try header.finish()
    return (kind, rows, contents)
  }
}

/// The manifests and keysets of a file of vectors, by the names that rows use.
struct Contents: Sendable {
  private(set) var manifests: [String: [UInt8]] = [:]
  private(set) var keysets: [String: [UInt8]] = [:]

  init(_ file: inout Fields) throws {
    manifests = try file.fields("manifests").remaining.mapValues(Self.bytes)
    keysets = try file.fields("keysets").remaining.mapValues(Self.bytes)
  }

  /// A text in UTF-8, or any bytes in Base64.
  private static func bytes(_ value: Any) throws -> [UInt8] {
    var fields = try Fields(value)
    let bytes = fields.has("text") ? Array(try fields.text("text").utf8) : try fields.base64("base64")
    try fields.finish()
    return bytes
  }

  mutating func add(_ other: Contents) {
    manifests.merge(other.manifests) { $1 }
    keysets.merge(other.keysets) { $1 }
  }
}

/// The fields of a JSON object, each taken once: what is left over is an error, so that nothing is ignored
/// silently.
struct Fields {
  private var fields: [String: Any]

  init(_ value: Any) throws {
    fields = try #require(value as? [String: Any], "an object is expected: \(value)")
  }

  init(file name: String) throws {
    let data = try Data(contentsOf: vectors.appendingPathComponent(name))
    try self.init(JSONSerialization.jsonObject(with: data))
  }

  mutating func value(_ name: String) throws -> Any {
    let value = fields.removeValue(forKey: name)
    return try #require(value, "the field \(name) is missing")
  }

  mutating func text(_ name: String) throws -> String {
    let value = try value(name)
    return try #require(value as? String, "\(name) is no text")
  }

  mutating func base64(_ name: String) throws -> [UInt8] {
    let text = try text(name)
    return Array(try #require(Data(base64Encoded: text), "\(name) is not Base64"))
  }

  mutating func optionalText(_ name: String) throws -> String? {
    let value = try value(name)
    if value is NSNull { return nil }
    return try #require(value as? String, "\(name) is no text")
  }

  mutating func integer(_ name: String) throws -> Int {
    let value = try value(name)
    return try #require(value as? Int, "\(name) is no integer")
  }

  mutating func optionalInteger(_ name: String) throws -> Int? {
    let value = try value(name)
    if value is NSNull { return nil }
    return try #require(value as? Int, "\(name) is no integer")
  }

  mutating func list(_ name: String) throws -> [Any] {
    let value = try value(name)
    return try #require(value as? [Any], "\(name) is no list")
  }

  mutating func texts(_ name: String) throws -> [String] {
    let value = try value(name)
    return try #require(value as? [String], "\(name) is no list of texts")
  }

  mutating func fields(_ name: String) throws -> Fields { try Fields(value(name)) }

  mutating func optionalFields(_ name: String) throws -> Fields? {
    let value = try value(name)
    return value is NSNull ? nil : try Fields(value)
  }

  /// True where the field is there.
  func has(_ name: String) -> Bool { fields[name] != nil }

  /// What is left, to be compared as a whole.
  var remaining: [String: Any] { fields }

  /// Fails where a field was not taken.
  func finish() throws {
    try #require(fields.isEmpty, "this runner doesn't know the fields \(fields.keys.sorted())")
  }
}

/// A JSON value as text, the fields sorted, for comparison and for messages.
func json(_ value: Any) throws -> String {
  let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
  return String(decoding: data, as: UTF8.self)
}

import Diagnostics
import PinFormat

/// A value of an Apple property list, and where it is (`plist(5)`).
struct PropertyList {
  indirect enum Value {
    /// In the order of the file; what people write may have a key twice.
    case dictionary([(key: Located<String>, value: PropertyList)])
    case array([PropertyList])
    case string(String)
    case integer(String)
    case real(String)
    case boolean(Bool)
    case date(String)
    case data(String)
  }

  var value: Value
  var place: Place

  /// Reads an XML property list: the whole file, or `key` elements and their values without what is around them.
  init(_ file: ExchangedFile) throws(ExchangeError) {
    let id = FileID(0)
    guard !file.bytes.starts(with: "bplist".utf8) else {
      throw ExchangeError(
        .notXML, "it is a binary property list", at: .beginning(of: id),
        help: "Convert it first: plutil -convert xml1 FILE, or plistutil -i FILE -o NEW.")
    }
    let root: XMLElement
    do {
      let isPart = XMLReader.firstName(file.bytes) == "key"
      root = try XMLReader.read(file.bytes, file: id, partOf: isPart ? "dict" : nil)
    } catch {
      throw ExchangeError(error)
    }
    guard root.name == "plist" else {
      self = try PropertyList(root)
      return
    }
    guard let only = root.elements.first, root.elements.count == 1 else {
      throw ExchangeError(.notXML, "its 'plist' has not one value", at: root.place)
    }
    self = try PropertyList(only)
  }

  /// The reader of XML has bounded how deep elements are nested.
  private init(_ element: XMLElement) throws(ExchangeError) {
    place = element.place
    let text = element.text?.value ?? ""
    switch element.name {
    case "dict": value = .dictionary(try Self.pairs(of: element))
    case "array":
      var items: [PropertyList] = []
      for child in element.elements { items.append(try PropertyList(child)) }
      value = .array(items)
    case "string": value = .string(text)
    case "integer": value = .integer(text)
    case "real": value = .real(text)
    case "true": value = .boolean(true)
    case "false": value = .boolean(false)
    case "date": value = .date(text)
    case "data": value = .data(text)
    default:
      throw ExchangeError(
        .notXML, "'\(VisibleText.of(element.name))' is not a value of a property list", at: element.place,
        help: "Give an Info.plist, or a part of one.")
    }
    if let text = element.text { place = text.place }
  }

  private static func pairs(
    of dictionary: XMLElement
  ) throws(ExchangeError) -> [(key: Located<String>, value: PropertyList)] {
    var pairs: [(key: Located<String>, value: PropertyList)] = []
    var key: Located<String>?
    for element in dictionary.elements {
      if let name = key {
        guard element.name != "key" else { break }
        pairs.append((name, try PropertyList(element)))
        key = nil
      } else {
        guard element.name == "key" else {
          throw ExchangeError(
            .notXML, "a value of a 'dict' has no 'key' before it", at: element.place,
            help: "Write the key before it.")
        }
        key = element.text ?? Located("", at: element.place)
      }
    }
    if let key {
      throw ExchangeError(
        .notXML, "the key '\(VisibleText.of(key.value))' has no value", at: key.place,
        help: "Write a value behind it.")
    }
    return pairs
  }
}

extension PropertyList {
  /// The pairs of a dictionary; nil for any other value.
  var pairs: [(key: Located<String>, value: PropertyList)]? {
    if case .dictionary(let pairs) = value { pairs } else { nil }
  }

  /// The items of an array; nil for any other value.
  var items: [PropertyList]? { if case .array(let items) = value { items } else { nil } }

  var string: Located<String>? { if case .string(let text) = value { Located(text, at: place) } else { nil } }

  /// The value of a key, the last one where several have it.
  subscript(key: String) -> PropertyList? { pairs?.last { $0.key.value == key }?.value }

  /// What Foundation's `boolValue` makes of it; nil for what has none.
  var truth: Bool? {
    switch value {
    case .boolean(let truth): truth
    case .integer(let text), .real(let text): Double(text).map { $0 != 0 } ?? false
    // As NSString's boolValue: after white space, a sign and zeros, one of YyTt or a digit other than 0.
    case .string(let text):
      text.drop { $0.isWhitespace || $0 == "+" || $0 == "-" || $0 == "0" }.first.map { "YyTt123456789".contains($0) }
        ?? false
    case .dictionary, .array, .date, .data: nil
    }
  }

  /// The kind of value, as messages name it.
  var kind: String {
    switch value {
    case .dictionary: "a dictionary"
    case .array: "an array"
    case .string: "a string"
    case .integer, .real: "a number"
    case .boolean: "a Boolean"
    case .date: "a date"
    case .data: "data"
    }
  }
}

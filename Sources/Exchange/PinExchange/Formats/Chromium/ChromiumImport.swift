import Diagnostics
import PinFormat

extension ImportFormat {
  /// Chromium's static pin list: `transport_security_state_static_pins.json` and `.pins`.
  ///
  /// The JSON has comments, `pinsets` (the names of keys that are allowed and of keys that are not) and `entries`
  /// (hosts and their pin sets). Until 2022 both were in `transport_security_state_static.json` beside the HSTS
  /// entries; the two may be given together. The nearest entry above a name governs it, and an entry without pins there
  /// takes its name out.
  package static let chromium = ImportFormat(
    name: "chromium", title: "Chromium's static pin list, as JSON and .pins", citation: ChromiumFormat.citation,
    files: 2...3,
    read: { files, _ throws(ExchangeError) in
      var builder = ImportBuilder()
      let list = try ChromiumList(files, into: &builder)
      var reader = ChromiumReader(list, builder)
      reader.read()
      return reader.builder.imported()
    })
}

/// The files of Chromium's list, told apart by what they hold.
struct ChromiumList {
  let keys: ChromiumPinsFile
  let documents: [LocatedJSON]

  init(_ files: [ExchangedFile], into builder: inout ImportBuilder) throws(ExchangeError) {
    var keys: ChromiumPinsFile?
    var documents: [LocatedJSON] = []
    for (number, file) in files.enumerated() {
      if Self.isJSON(file.bytes) {
        let document: LocatedJSON
        do {
          document = try LocatedJSON(file.bytes, file: FileID(number), allowsComments: true)
        } catch {
          throw ExchangeError(ExchangeError(error).code, "\(ImportWords.quoted(file.name)): \(error.message)")
        }
        guard document.root.members != nil else {
          throw ExchangeError(.invalidValue, "\(ImportWords.quoted(file.name)) holds \(document.root.noun)")
        }
        documents.append(document)
      } else if keys == nil {
        keys = try ChromiumPinsFile(file.bytes, file: FileID(number), into: &builder)
      } else {
        throw ExchangeError(.invalidValue, "two of the files are not JSON, and only one can be the .pins file")
      }
    }
    guard let keys else { throw ExchangeError(.missingField, "the .pins file isn't among them") }
    guard !documents.isEmpty else { throw ExchangeError(.missingField, "the JSON file isn't among them") }
    self.keys = keys
    self.documents = documents
  }

  /// Whether the first thing in a file is an object or a comment of JSON.
  static func isJSON(_ bytes: [UInt8]) -> Bool {
    let first = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "/")
  }
}

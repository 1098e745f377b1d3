import PinPolicy
import Testing

@testable import PinLanguageServer

@Suite struct PolicySchemaTests {
  static let places: [(path: String, title: String?)] = [
    ("version", "Format version"), ("hosts/-/port", "Port"), ("hosts/-/expires", "Expires"),
    ("hosts/-/keys/active", "Active keys"), ("keys/any-name/file", "Key file"),
    ("keys/any-name/steps/active", "Active"),
    ("key-sets/x/backup/-", "Name of a key or key set"), ("manifest/limits/max-hosts", "Most hosts"),
    ("manifest/clients", "Kinds of clients"), ("manifest/clients/-", "Kind of client"),
    ("hosts/-/trust/exceptions/-/until", "Until"), ("hosts/-/nothing", nil), ("hosts/host", nil), ("x", nil),
  ]

  @Test(arguments: places)
  func placesOfAPolicyHaveTheirWords(path: String, title: String?) {
    let steps = path.split(separator: "/").map { $0 == "-" ? Outline.Step.item : .field(String($0)) }
    #expect(FieldSchema.at(steps)?.title == title)
  }
}

import PinFormat
import PinRotation
import Testing

/// `diff`, `show` and `sign` show what is listed as a field, and nothing else of an entry or a header.
@Suite("The fields of a manifest")
struct ManifestFieldTests {
  @Test func eachFieldOfAnEntryIsListed() throws {
    let names = Mirror(reflecting: try SmallManifest.entry("a.example.com")).children.compactMap(\.label)
    // A host and port are what an entry is found by; trust is compared part by part.
    #expect(Set(names) == Set(EntryField.allCases.map { "\($0)" } + ["host", "port", "trust"]))
  }

  @Test func eachFieldOfAHeaderIsListed() throws {
    let manifest = try SmallManifest.manifest([SmallManifest.entry("a.example.com")])
    let parts = [Mirror(reflecting: manifest), Mirror(reflecting: manifest.provenance)]
    let names = parts.flatMap { $0.children.compactMap(\.label) }
    let lists = ["provenance", "keys", "keySets", "certificates", "hosts"]
    #expect(Set(names) == Set(HeaderField.allCases.map { "\($0)" } + lists))
  }
}

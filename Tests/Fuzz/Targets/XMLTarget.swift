import Diagnostics
import PinExchange
import PinFormat

/// XML that anybody may have written, and the importers that stand on its reader.
enum XMLTarget {
  static func run(_ bytes: [UInt8]) {
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    func isInside(_ place: Place) -> Bool {
      place.file.index == 0 && place.start.line >= 1 && Int(place.start.line) <= lines && place.start <= place.end
    }
    do {
      let root = try XMLReader.read(bytes, file: FileID(0))
      promise(isWhole(root, isInside), "each place is in the document")
      let again = try? XMLReader.read(bytes, file: FileID(0))
      promise(again == root, "two readings are the same")
      // With a root around it, it may be nested too deeply.
      guard (try? XMLReader.read(write(root), file: FileID(0)))?.name == root.name else {
        return promise(false, "what was read can be written and read")
      }
    } catch {
      promise(isInside(error.place), "a complaint has a place in the document")
    }
    let file = ExchangedFile(name: "fuzz", bytes: bytes)
    let settings = ImportSettings(at: Instant(secondsSinceEpoch: 1_795_219_200))
    for format in [ImportFormat.android, .trustKitAndroid, .trustKitIOS, .apple] {
      do {
        let imported = try format.read([file], settings)
        promise(imported.findings.allSatisfy { isInside($0.place) }, "each finding has a place in the document")
        promise(
          imported.list.hosts.allSatisfy { ($0.mode == .off) == imported.list.keys(of: $0).isEmpty },
          "a host is pinned to keys, or not at all")
      } catch {
        promise(error.place.map(isInside) ?? true, "an error's place is in the document")
      }
    }
  }

  private static func isWhole(_ element: XMLElement, _ isInside: (Place) -> Bool) -> Bool {
    isInside(element.place) && element.attributes.allSatisfy { isInside($0.value.place) }
      && element.children.allSatisfy { node in
        switch node {
        case .element(let child): isWhole(child, isInside)
        case .text(let text): isInside(text.place) && !text.value.isEmpty
        }
      }
  }

  /// The names and attributes alone: texts are trimmed when they are read.
  private static func write(_ root: XMLElement) -> [UInt8] {
    var writer = XMLWriter(indentation: " ")
    func write(_ element: XMLElement) {
      writer.start(element.name, element.attributes.map { ($0.name, $0.value.value) })
      for child in element.elements { write(child) }
      writer.end()
    }
    write(root)
    return writer.bytes()
  }
}

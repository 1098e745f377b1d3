import PinFormat

/// Writes an Apple property list as Xcode and `plutil` do: a tab a level, keys sorted.
struct PropertyListWriter {
  /// What is written; a note is a comment before the item.
  indirect enum Item {
    case dictionary([String: Item])
    case array([Item])
    case string(String)
    case boolean(Bool)
    case noted(String, Item)
  }

  /// - Parameters:
  ///   - item: The value of the whole list.
  ///   - head: The lines of the comment at its head.
  /// - Returns: The file.
  static func bytes(_ item: Item, head: [String]) -> [UInt8] {
    var writer = XMLWriter(indentation: "\t", declaration: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    writer.verbatim(
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">")
    writer.comment(head)
    writer.verbatim("<plist version=\"1.0\">")
    write(item, to: &writer)
    writer.verbatim("</plist>")
    return writer.bytes()
  }

  private static func write(_ item: Item, to writer: inout XMLWriter) {
    switch item {
    case .dictionary(let pairs):
      writer.start("dict")
      for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
        writer.element("key", text: key)
        write(value, to: &writer)
      }
      writer.end()
    case .array(let items):
      writer.start("array")
      for item in items { write(item, to: &writer) }
      writer.end()
    case .string(let text): writer.element("string", text: text)
    case .boolean(let truth): writer.empty(truth ? "true" : "false")
    case .noted(let note, let item):
      writer.comment([note])
      write(item, to: &writer)
    }
  }
}

extension PropertyListWriter {
  /// A host's keys as items, each pin once and under its name: those in use first.
  static func pins(
    of host: PinList.Host, in list: PinList, where isMeant: (PinList.Key) -> Bool = { _ in true },
    item: (PinList.Key) -> Item
  ) -> [Item] {
    guard let number = host.keySet else { return [] }
    let set = list.keySets[number]
    var seen: Set<Pin> = []
    var items: [Item] = []
    for (keys, suffix) in [(set.active, ""), (set.backup, ", backup")] {
      for key in keys.map({ list.keys[$0] }) where isMeant(key) && seen.insert(key.pin).inserted {
        items.append(.noted(key.name + suffix, item(key)))
      }
    }
    return items
  }
}

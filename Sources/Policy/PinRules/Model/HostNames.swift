import Diagnostics
import PinFormat
import PinPolicy

/// The names that host entries speak of: which entries each has, and which name is above which.
struct HostNames: Sendable {
  /// One name.
  struct Name: Sendable {
    /// Where its entries are in the order of names; those without a port first, then by port.
    fileprivate(set) var first: Int32
    fileprivate(set) var count: Int32 = 0
    private var aboveNumber: Int32 = -1
    private var narrowEntry: Int32 = -1
    /// Where the ports are that entries for its subdomains name.
    fileprivate var ports: Range<Int32> = 0..<0

    fileprivate init(first: Int32) {
      self.first = first
    }

    /// The nearest name above it that has entries.
    fileprivate(set) var above: Int? {
      get { aboveNumber < 0 ? nil : Int(aboveNumber) }
      set { aboveNumber = newValue.map { Int32($0) } ?? -1 }
    }

    /// The first of its entries that is pinned and leaves its subdomains out.
    fileprivate(set) var narrow: Int? {
      get { narrowEntry < 0 ? nil : Int(narrowEntry) }
      set { narrowEntry = newValue.map { Int32($0) } ?? -1 }
    }
  }

  private var table: NameTable
  private var names: [Name] = []
  private var nameOfEntry: [Int32]
  /// The entries, those of one name side by side.
  private var order: [Int32]
  /// By ``order``; -1 for an entry that names none.
  private var ports: [Int32]
  private var subdomainPorts: [UInt16] = []

  init(_ entries: [Policy.HostEntry], _ facts: HostFacts) {
    order = entries.indices.map { Int32($0) }
    // Entries of a policy are sorted already; others are sorted here.
    if !entries.indices.dropFirst().allSatisfy({ Self.isInOrder(entries, $0 - 1, $0) }) {
      order.sort { Self.isInOrder(entries, Int($0), Int($1)) }
    }
    table = NameTable(capacity: entries.count)
    nameOfEntry = Array(repeating: 0, count: entries.count)
    // Few entries have a port, and the trait is faster to check.
    ports = order.map { index in
      guard facts.traits[Int(index)].contains(.hasPort) else { return -1 }
      return entries[Int(index)].port.map { Int32($0.value) } ?? -1
    }
    for (position, index) in order.enumerated() {
      let (name, isNew) = table.insert(entries[Int(index)].host.text)
      if isNew { names.append(Name(first: Int32(position))) }
      nameOfEntry[Int(index)] = Int32(name)
      names[name].count += 1
    }
    for number in names.indices { describe(number, facts) }
  }

  subscript(name: Int) -> Name { names[name] }

  /// The name of an entry.
  func name(of entry: Int) -> Int { Int(nameOfEntry[entry]) }

  func number(of name: String) -> Int? { table.number(of: name) }

  func nearest(above name: String) -> Int? { table.nearest(above: name) }

  /// The entries of a name that name a port, or those that name none: one, unless the policy has duplicates.
  func entries(of name: Int, port: UInt16?) -> ArraySlice<Int32> {
    let wanted = port.map { Int32($0) } ?? -1
    let first = Int(names[name].first)
    let end = first + Int(names[name].count)
    let low = (first..<end).partitioningIndex { ports[$0] >= wanted }
    var high = low
    while high < end, ports[high] == wanted { high += 1 }
    return order[low..<high]
  }

  /// The ports that a name's entries for its subdomains name.
  func portsBelow(_ name: Int) -> ArraySlice<UInt16> {
    subdomainPorts[Int(names[name].ports.lowerBound)..<Int(names[name].ports.upperBound)]
  }

  private mutating func describe(_ number: Int, _ facts: HostFacts) {
    let first = Int(names[number].first)
    let start = Int32(subdomainPorts.count)
    for position in first..<first + Int(names[number].count) {
      let index = Int(order[position])
      if facts.traits[index].contains(.coversSubdomains) {
        if ports[position] >= 0 { subdomainPorts.append(UInt16(ports[position])) }
      } else if !facts.traits[index].contains(.isOff) {
        names[number].narrow = min(index, names[number].narrow ?? index)
      }
    }
    names[number].ports = start..<Int32(subdomainPorts.count)
    if !facts.traits[Int(order[first])].contains(.isAddress) {
      names[number].above = table.nearest(above: table.names[number])
    }
  }

  /// True where one entry comes before another: by name, then port, those without one first, then by number.
  private static func isInOrder(_ entries: [Policy.HostEntry], _ left: Int, _ right: Int) -> Bool {
    let one = entries[left].host.text
    let other = entries[right].host.text
    if one != other { return one.precedes(other) }
    let ports = (entries[left].port.map { Int($0.value) } ?? -1, entries[right].port.map { Int($0.value) } ?? -1)
    return (ports.0, left) < (ports.1, right)
  }
}

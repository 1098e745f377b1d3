/// A list of servers as `NO_PROXY` has it: those that are reached without a proxy, or those that are internal.
///
/// There is no standard; this is what most programs agree on. Rules are separated by commas or blanks, in any case:
///
/// - `*`: all.
/// - `example.com`: this name and all below it; `.example.com` or `*.example.com`: the names below it only.
/// - `10.0.0.5`, `2001:db8::1` or `[2001:db8::1]`: this address. `10.0.0.0/8`, `2001:db8::/32`: all that begin so (CIDR).
///   Addresses are compared with the host as it was written: a name isn't resolved first.
/// - Any of the single ones with `:PORT` behind it: on that port only.
///
/// A rule that is none of these matches nothing, so that a list made for another program can be kept.
struct ServerList: Hashable, Sendable {
  private enum Place: Hashable, Sendable {
    case all
    case name(String, isBelowOnly: Bool)
    case network(IPAddress, bits: Int)
  }

  private struct Rule: Hashable, Sendable {
    var place: Place
    var port: UInt16?
  }

  private let rules: [Rule]

  init(_ text: String) {
    rules = text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).compactMap(Self.rule)
  }

  /// Whether a rule covers the server.
  func contain(_ host: String, port: UInt16) -> Bool {
    let address = IPAddress(host)
    let name = Self.canonical(host[...])
    return rules.contains { rule in
      guard rule.port == nil || rule.port == port else { return false }
      switch rule.place {
      case .all: return true
      case .name(let suffix, let isBelowOnly):
        return address == nil && (name.hasSuffix("." + suffix) || !isBelowOnly && name == suffix)
      case .network(let network, let bits): return address.map { Self.begin($0, network, bits) } ?? false
      }
    }
  }

  private static func rule(_ text: Substring) -> Rule? {
    if let place = place(text) { return Rule(place: place, port: nil) }
    guard let endpoint = Endpoint(String(text)), let place = place(endpoint.host[...]) else { return nil }
    return Rule(place: place, port: endpoint.port)
  }

  private static func place(_ text: Substring) -> Place? {
    if text == "*" { return .all }
    if let slash = text.lastIndex(of: "/") {
      guard let network = IPAddress(unbracketed(text[..<slash])), let bits = Int(text[text.index(after: slash)...]),
        (0...network.octets.count * 8).contains(bits)
      else { return nil }
      return .network(network, bits: bits)
    }
    if let address = IPAddress(unbracketed(text)) { return .network(address, bits: address.octets.count * 8) }
    guard !text.contains(":") else { return nil }
    let name = text.hasPrefix("*.") ? text.dropFirst() : text
    let suffix = canonical(name.drop { $0 == "." })
    return suffix.isEmpty || suffix.contains("*") ? nil : .name(suffix, isBelowOnly: name.hasPrefix("."))
  }

  private static func unbracketed(_ text: Substring) -> String {
    text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
  }

  /// Lower case, without the root's dot.
  private static func canonical(_ name: Substring) -> String {
    (name.hasSuffix(".") ? name.dropLast() : name).lowercased()
  }

  /// True where two addresses of one kind begin with the same bits.
  private static func begin(_ address: IPAddress, _ network: IPAddress, _ bits: Int) -> Bool {
    guard address.octets.count == network.octets.count else { return false }
    let whole = bits / 8
    guard address.octets.prefix(whole) == network.octets.prefix(whole) else { return false }
    guard bits % 8 > 0 else { return true }
    return (address.octets[whole] ^ network.octets[whole]) >> UInt8(8 - bits % 8) == 0
  }
}

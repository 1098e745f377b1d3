import PinExchange
import PinFormat
import PinPolicy
import Testing

/// The result of a connection.
enum ModelAnswer: Hashable {
  case allowed
  case blocked
  case notPinned
}

/// A connection that a policy or a target decides on; the chain begins with the leaf.
struct Connection: Hashable {
  var host: String
  var port: UInt16
  var chain: [Pin]
  var instant: Instant

  /// The names above the host, the nearest first.
  var namesAbove: [String] {
    guard (try? HostName(canonicalising: host))?.isAddress == false else { return [] }
    return host.indices.filter { host[$0] == "." }.map { String(host[host.index(after: $0)...]) }
  }
}

/// What a policy answers (docs/policy.md, "Which entry applies"), reckoned from the list and by nothing that exports it.
struct PolicyModel {
  let list: PinList

  func entry(for connection: Connection) -> PinList.Host? {
    func own(_ name: String, isAbove: Bool) -> PinList.Host? {
      let here = list.hosts.filter { $0.host.text == name && (!isAbove || $0.subdomains == .all) }
      return here.first { $0.port == connection.port } ?? here.first { $0.port == nil }
    }
    return own(connection.host, isAbove: false)
      ?? connection.namesAbove.lazy.compactMap { own($0, isAbove: true) }.first
  }

  func answer(to connection: Connection) -> ModelAnswer {
    let otherwise: ModelAnswer = list.unpinnedHosts == .deny ? .blocked : .notPinned
    guard let entry = entry(for: connection), entry.mode != .off else { return otherwise }
    var observes = entry.mode == .reportOnly
    if let expires = entry.expires, connection.instant >= expires {
      switch entry.onExpiry {
      case .block: return .blocked
      case .unpinned: return otherwise
      case .reportOnly: observes = true
      case .enforce, nil: break
      }
    }
    let denied = Set(list.deniedKeys.map(\.pin))
    guard denied.isDisjoint(with: connection.chain) else { return .blocked }
    let keys = list.keys(of: entry)
    let matches = connection.chain.enumerated().map { number, pin in
      keys.contains { $0.pin == pin && Self.allows($0.position, number, of: connection.chain.count) }
    }
    let isSatisfied =
      entry.requirement == .any ? matches.contains(true) : matches[0] && matches.dropFirst().contains(true)
    return isSatisfied || observes ? .allowed : .blocked
  }

  private static func allows(_ position: KeyPosition?, _ number: Int, of count: Int) -> Bool {
    switch position {
    case nil: true
    case .leaf: number == 0
    case .root: number > 0 && number == count - 1
    case .intermediate: number > 0 && number < count - 1
    case .ca: number > 0
    }
  }
}

/// What the readers of exported files decide, each by its own rules, from the content of the file.
enum TargetModel: String, CaseIterable, CustomTestStringConvertible {
  case android
  case trustKit
  case apple
  case okHttp
  case chromium
  case curl

  var testDescription: String { rawValue }

  var format: ExportFormat {
    switch self {
    case .android: .android
    case .trustKit: .trustKitIOS
    case .apple: .apple
    case .okHttp: .okHttpKotlin
    case .chromium: .chromium
    case .curl: .curl
    }
  }

  func read(_ files: [ExchangedFile]) throws -> PinList {
    guard self != .okHttp else { return try WrittenText.okHttp(files[0]) }
    guard self != .curl else { return try WrittenText.curl(files[0]) }
    let format = try #require(ImportFormat.all.first { $0.name == self.format.name })
    return try format.read(files, ImportSettings(at: PinListScene.instant)).list
  }

  func answer(_ file: PinList, to connection: Connection) -> ModelAnswer {
    let entries = entries(file, for: connection)
    guard let entry = entries.first, entry.mode != .off else { return .notPinned }
    if let expires = entry.expires, connection.instant >= expires { return .notPinned }
    let keys = entries.flatMap { file.keys(of: $0) }
    let pins = Set(keys.map(\.pin))
    var isSatisfied = connection.chain.contains { pins.contains($0) }
    switch self {
    case .curl: isSatisfied = pins.contains(connection.chain[0])
    case .chromium where !Set(file.deniedKeys.map(\.pin)).isDisjoint(with: connection.chain): isSatisfied = false
    case .apple:
      let leaf = Set(keys.filter { $0.owner == .server }.map(\.pin))
      let above = Set(keys.filter { $0.owner == .certificateAuthority }.map(\.pin))
      isSatisfied =
        (leaf.isEmpty || leaf.contains(connection.chain[0]))
        && (above.isEmpty || connection.chain.dropFirst().contains { above.contains($0) })
    default: break
    }
    return isSatisfied || entry.mode == .reportOnly ? .allowed : .blocked
  }

  /// The entries whose pins count together for a host.
  private func entries(_ file: PinList, for connection: Connection) -> [PinList.Host] {
    // OkHttp's `*.name` covers only the names directly below it.
    let own = file.hosts.filter { $0.host.text == connection.host && (self != .okHttp || $0.subdomains != .direct) }
    switch self {
    case .curl: return own.filter { ($0.port ?? 443) == connection.port }
    case .okHttp:
      return own
        + connection.namesAbove.enumerated().flatMap { number, name in
          file.hosts.filter {
            $0.host.text == name && ($0.subdomains == .all || number == 0 && $0.subdomains == .direct)
          }
        }
    case .apple:
      return own.isEmpty
        ? connection.namesAbove.prefix(1).flatMap { name in
          file.hosts.filter { $0.host.text == name && $0.subdomains != .none }
        } : own
    case .chromium:
      // The nearest listed name counts, even if it doesn't cover names below it.
      if !own.isEmpty { return own }
      let nearest = connection.namesAbove.first { name in file.hosts.contains { $0.host.text == name } }
      return file.hosts.filter { $0.host.text == nearest && $0.subdomains == .all }
    case .android, .trustKit:
      if !own.isEmpty { return own }
      let nearest = connection.namesAbove.first { name in
        file.hosts.contains { $0.host.text == name && $0.subdomains == .all }
      }
      return file.hosts.filter { $0.host.text == nearest && $0.subdomains == .all }
    }
  }
}

import CLibCARES
import Glibc
import PinFormat

/// A name to resolve, and the results so far.
///
/// c-ares holds on to it until its last callback; each comes exactly once, perhaps only from `ares_destroy`.
final class ResolverQuestion {
  /// Which addresses are asked for.
  enum Family: Hashable {
    case any
    case ipv4
    case ipv6

    var number: Int32 {
      switch self {
      case .any: AF_UNSPEC
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      }
    }

    /// Before the word "addresses" in a message.
    var title: String {
      switch self {
      case .any: "other"
      case .ipv4: "IPv4"
      case .ipv6: "IPv6"
      }
    }
  }

  let name: String
  let deadline: Deadline
  var isEnded = false
  private let families: [Family]
  private var found: Set<IPAddress> = []
  /// Nil for what brought addresses.
  private var failures: [Family: NameFailure?] = [:]
  private weak var channel: ResolverChannel?

  init(_ name: String, _ families: [Family], deadline: Deadline, of channel: ResolverChannel) {
    self.name = name
    self.families = families
    self.deadline = deadline
    self.channel = channel
  }

  /// The result so far; what isn't answered has run out of time.
  var answer: NameAnswer {
    let failed = families.compactMap { family -> NameAnswer.Gap? in
      (failures[family] ?? .timedOut).map { NameAnswer.Gap(family: family, failure: $0) }
    }
    // "No such name" and "no address" are complete answers, so nothing is missing then.
    let gap = failed.first { $0.failure != .noSuchName && $0.failure != .noAddress }
    guard found.isEmpty else { return .addresses(sorted, gap) }
    // "No such name" applies to both families; "no address" only to one.
    if failed.contains(where: { $0.failure == .noSuchName }) { return .failed(.noSuchName) }
    return .failed(gap?.failure ?? .noAddress)
  }

  /// IPv4 first, each once, in numeric order.
  private var sorted: [IPAddress] {
    found.sorted { left, right in
      left.octets.count != right.octets.count
        ? left.octets.count < right.octets.count : left.octets.lexicographicallyPrecedes(right.octets)
    }
  }

  /// The argument for ``takeAnswer``, for one call.
  func context(for family: Family) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Part(question: self, family: family)).toOpaque()
  }

  /// The callback of c-ares.
  static let takeAnswer: ares_addrinfo_callback = { context, status, _, list in
    defer { if let list { ares_freeaddrinfo(list) } }
    guard let context else { return }
    let part = Unmanaged<Part>.fromOpaque(context).takeRetainedValue()
    part.question.take(status, list, of: part.family)
  }

  private func take(_ status: Int32, _ list: UnsafeMutablePointer<ares_addrinfo>?, of family: Family) {
    // While the channel is being destroyed, nobody waits for the answer.
    guard let channel, !isEnded else { return }
    if status == Int32(pintle_ares_success) {
      let addresses = Self.addresses(list)
      found.formUnion(addresses)
      failures[family] = .some(addresses.isEmpty ? .noAddress : nil)
    } else {
      failures[family] = .some(NameFailure(status: status))
    }
    if failures.count == families.count { channel.finish(self, answer) }
  }

  private static func addresses(_ list: UnsafeMutablePointer<ares_addrinfo>?) -> Set<IPAddress> {
    var found: Set<IPAddress> = []
    var next = list?.pointee.nodes
    while let node = next?.pointee {
      if let octets = octets(of: node), let address = IPAddress(octets: octets) { found.insert(address) }
      next = node.ai_next
    }
    return found
  }

  private static func octets(of node: ares_addrinfo_node) -> [UInt8]? {
    guard let address = UnsafeRawPointer(node.ai_addr) else { return nil }
    switch node.ai_family {
    case AF_INET: return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6: return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: return nil
    }
  }

  private final class Part {
    let question: ResolverQuestion
    let family: Family

    init(question: ResolverQuestion, family: Family) {
      self.question = question
      self.family = family
    }
  }
}

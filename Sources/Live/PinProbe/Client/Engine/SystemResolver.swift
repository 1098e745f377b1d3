import Glibc
import PinFormat

/// Asks the system for addresses, and waits for its answer: for the one name of a command or a proxy.
enum SystemResolver {
  /// The addresses of a host in the system's order, without doubles; at least one.
  ///
  /// The resolver has time limits of its own.
  static func addresses(of host: String) throws(TLSClientError) -> [IPAddress] {
    if let address = IPAddress(host) { return [address] }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else {
      let reason = String(cString: gai_strerror(status))
      throw TLSClientError(.nameNotResolved, "'\(host)' has no address: \(reason)")
    }
    defer { freeaddrinfo(list) }
    var addresses: [IPAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = address(entry), !addresses.contains(address) { addresses.append(address) }
      next = entry.ai_next
    }
    guard !addresses.isEmpty else { throw TLSClientError(.nameNotResolved, "'\(host)' has no address") }
    return addresses
  }

  private static func address(_ entry: addrinfo) -> IPAddress? {
    guard let pointer = UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch entry.ai_family {
    case AF_INET:
      let address = pointer.loadUnaligned(as: sockaddr_in.self).sin_addr
      return withUnsafeBytes(of: address) { IPAddress(octets: Array($0)) }
    case AF_INET6:
      let address = pointer.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return withUnsafeBytes(of: address) { IPAddress(octets: Array($0)) }
    default: return nil
    }
  }
}

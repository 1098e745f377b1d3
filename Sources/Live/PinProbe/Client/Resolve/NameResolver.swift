import PinFormat

/// Asks DNS for the addresses of many names at once.
package struct NameResolver: Sendable {
  /// Most addresses that are kept of a name, the first in their order.
  package static let maximumAddresses = 64

  private let servers: [Endpoint]

  /// Takes the DNS servers to ask; none for what the system is set up with, its hosts file included.
  ///
  /// - Throws: ``TLSClientError`` where a server isn't given by its address.
  package init(servers: [Endpoint]) throws(TLSClientError) {
    for server in servers where IPAddress(server.host) == nil {
      throw TLSClientError(.local, "a DNS server is given by its address, which '\(server.host)' isn't")
    }
    self.servers = servers
  }

  /// Finds the addresses of names, all that DNS has, IPv4 and IPv6.
  ///
  /// Names are taken as they are: no search list is tried, so that they mean the same on every machine. An address
  /// stands for itself. Where the caller named servers, only these are asked and the hosts file isn't read; `localhost`
  /// is 127.0.0.1 then, as what is below it always is (RFC 6761 section 6.3). Where only one of the two questions, A
  /// and AAAA, is answered, that answer counts, and says that the other is missing.
  ///
  /// - Parameters:
  ///   - names: Each is asked for once, however often it is there.
  ///   - jobs: How many are asked for at once.
  ///   - timeout: How long each may take, repetitions and further servers included; a quarter more where all servers
  ///     refused, for finding out how.
  ///   - isCancelled: Asked several times a second; from then on, what isn't answered ends as `cancelled`.
  /// - Returns: For each name its addresses and what is missing of them, or why there are none: `nameNotResolved` with
  ///   a message that tells "no such name" from "not to be asked".
  /// - Throws: ``TLSClientError`` where nothing can be asked at all.
  package func addresses(
    of names: [String], jobs: Int, timeout: Duration, isCancelled: @Sendable () -> Bool = { false }
  ) throws(TLSClientError) -> [String: Result<ResolvedName, TLSClientError>] {
    var results: [String: Result<ResolvedName, TLSClientError>] = [:]
    var questions: [String] = []
    for name in names where results[name] == nil {
      if let known = known(name) {
        results[name] = known
      } else {
        // Replaced by the answer; it stays if resolving is cancelled.
        results[name] = .failure(NameFailure.cancelled)
        questions.append(name)
      }
    }
    var unclear: [String: NameAnswer] = [:]
    if !questions.isEmpty {
      let channel = try ResolverChannel(servers: servers, timeout: timeout, endsAtRefusal: false)
      channel.resolve(questions, jobs: jobs, isCancelled: isCancelled) { name, answer in
        if answer.isUnclear { unclear[name] = answer }
        results[name] = answer.result
      }
    }
    if !unclear.isEmpty {
      // After a refusal c-ares tries the next server, and doesn't report the refusal. So resolve again, stopping at the
      // first one.
      let channel = try ResolverChannel(servers: servers, timeout: timeout / 4, endsAtRefusal: true)
      channel.resolve(unclear.keys.sorted(), jobs: jobs, isCancelled: isCancelled) { name, answer in
        if let before = unclear[name], answer.isClearer(than: before) { results[name] = answer.result }
      }
    }
    return results
  }

  /// What needs no asking.
  private func known(_ name: String) -> Result<ResolvedName, TLSClientError>? {
    if let address = IPAddress(name) { return .success(ResolvedName([address])) }
    let bytes = name.utf8
    guard !bytes.isEmpty, bytes.count <= 254, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return .failure(NameFailure.notAName.error)
    }
    let lower = name.lowercased()
    guard lower.hasSuffix(".localhost") || lower == "localhost" && !servers.isEmpty else { return nil }
    return IPAddress("127.0.0.1").map { .success(ResolvedName([$0])) }
  }
}

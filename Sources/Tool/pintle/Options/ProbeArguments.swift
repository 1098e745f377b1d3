import ArgumentParser
import PinFormat
import PinPolicy
import PinProbe
import PinRules

extension KeyFamily: ExpressibleByArgument {}

/// `HOST` or `HOST:PORT` on the command line; a host may be written in U-labels.
struct HostArgument: ExplainedArgument {
  static let howTo = """
    Write one name or IP address, and its port where that isn't 443, without a scheme, path or wildcard: \
    api.example.com, api.example.com:8443, [2001:db8::1]:443.
    """

  let wish: ProbePlan.Wish

  init?(argument: String) {
    if let host = Self.host(argument) {
      wish = ProbePlan.Wish(host: host)
    } else if let endpoint = Endpoint(argument), let host = Self.host(endpoint.host) {
      wish = ProbePlan.Wish(host: host, port: endpoint.port)
    } else {
      return nil
    }
  }

  /// The canonical host of a written one, an IPv6 address in brackets or without.
  static func host(_ text: String) -> HostName? { try? InternationalName.host(text) }
}

/// `HOST:PORT:ADDRESS[:PORT]` on the command line.
struct DetourArgument: ExplainedArgument {
  static let howTo = """
    Write the host, its port, and the IP address to connect to, with another port where it has one: \
    api.example.com:443:10.0.0.5:8443, api.example.com::[2001:db8::1].
    """

  let detour: Detour
  /// As it was written, for messages.
  let text: String

  init?(argument: String) {
    guard let parts = Detour.parts(of: argument) else { return nil }
    text = argument
    var host: HostName?
    if !parts.host.isEmpty {
      guard let written = HostArgument.host(parts.host) else { return nil }
      host = written
    }
    detour = Detour(host: host, port: parts.port, address: parts.address, addressPort: parts.addressPort)
  }
}

/// `ADDRESS[:PORT]` of a DNS server on the command line.
struct ResolverArgument: ExplainedArgument {
  static let howTo = "Write the IP address of a DNS server: 10.0.0.53, 10.0.0.53:5353, [2001:db8::53]:5353."

  let endpoint: Endpoint

  init?(argument: String) {
    if IPAddress(argument) != nil {
      endpoint = Endpoint(host: argument, port: 53)
    } else if let written = Endpoint(argument), IPAddress(written.host) != nil {
      endpoint = written
    } else {
      return nil
    }
  }
}

/// `PORT=PROTOCOL` on the command line; `none` where TLS comes first.
struct StartTLSArgument: ExplainedArgument {
  static let howTo = "Write a port and imap, ldap, pop3, postgres, smtp or none: 2525=smtp."

  let port: UInt16
  let startTLS: StartTLS?

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let port = UInt16(parts[0]), port > 0 else { return nil }
    self.port = port
    startTLS = StartTLS(rawValue: String(parts[1]))
    if startTLS == nil, parts[1] != "none" { return nil }
  }
}

/// `NUMBER/COUNT` on the command line.
struct ShardArgument: ExplainedArgument {
  static let howTo = "Write which part of how many, counted from 1: 3/10, up to 10/10."

  let shard: Evidence.Shard

  init?(argument: String) {
    guard let shard = Evidence.Shard(argument) else { return nil }
    self.shard = shard
  }
}

/// `95%` or `40` on the command line.
struct MinimumSuccessArgument: ExplainedArgument {
  static let howTo = "Write a percentage of the hosts, up to 100%, or how many of them: 95%, 40."

  let minimum: MinimumSuccess

  /// Every host.
  static let all = MinimumSuccessArgument(minimum: .all)

  private init(minimum: MinimumSuccess) {
    self.minimum = minimum
  }

  init?(argument: String) {
    let isPercentage = argument.hasSuffix("%")
    let digits = isPercentage ? argument.dropLast() : argument[...]
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(digits), !isPercentage || number <= 100
    else { return nil }
    minimum = isPercentage ? .percent(number) : .count(number)
  }

  var defaultValueDescription: String {
    switch minimum {
    case .count(let number): "\(number)"
    case .percent(let number): "\(number)%"
    }
  }
}

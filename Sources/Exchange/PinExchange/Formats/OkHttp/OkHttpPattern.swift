import PinFormat

/// The patterns of `CertificatePinner`: a name, `*.name` for one label more, `**.name` for the name and all below it.
enum OkHttpPattern {
  /// Those that cover what a host's entry covers.
  static func patterns(of host: PinList.Host) -> [String] {
    // OkHttp accepts an IPv6 address with or without brackets; version 3 only with them.
    let name = host.host.kind == .ipv6 ? "[\(host.host.text)]" : host.host.text
    return switch host.subdomains {
    case .none: [name]
    case .direct: [name, "*." + name]
    case .all: ["**." + name]
    }
  }
}

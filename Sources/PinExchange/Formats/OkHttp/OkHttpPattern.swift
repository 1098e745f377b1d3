import PinFormat

/// The patterns of `CertificatePinner`: a name, `*.name` for one label more, `**.name` for the name and all below it.
enum OkHttpPattern {
  /// Those that cover what a host's entry covers.
  ///
  /// - Throws: ``ExchangeError`` where an entry covers all names below the host and not the host, which no pattern does.
  static func patterns(of host: PinList.Host) throws(ExchangeError) -> [String] {
    // OkHttp takes an IPv6 address with brackets and without, its third series with them only.
    let name = host.host.kind == .ipv6 ? "[\(host.host.text)]" : host.host.text
    switch (host.subdomains, host.coversItself) {
    case (.none, _): return [name]
    case (.direct, true): return [name, "*." + name]
    case (.direct, false): return ["*." + name]
    case (.all, true): return ["**." + name]
    case (.all, false):
      throw ExchangeError(
        .invalidValue, "'\(name)' has an entry for the names below it alone, which no pattern of OkHttp stands for")
    }
  }
}

import PinFormat
import PinPolicy

/// The hosts that TrustKit takes.
enum TrustKitHosts {
  /// Refuses a list with hosts at which TrustKit stops the app when it starts.
  ///
  /// On iOS, `parse_configuration.m` raises if no public suffix ends the name, and if one would be pinned with its
  /// subdomains; on Android, `DomainValidator` knows the public top-level domains alone.
  static func requireRegistered(_ list: PinList) throws(ExchangeError) {
    for host in list.hosts {
      if let reason = reason(toStopAt: host) {
        throw ExchangeError(.invalidValue, "\(reason): leave the host out, or give the others with --host")
      }
    }
  }

  /// Why TrustKit stops an app that pins a host; nil if it doesn't.
  static func reason(toStopAt host: PinList.Host) -> String? {
    guard let last = host.host.text.split(separator: ".").last,
      let top = try? HostName(canonicalising: String(last)), PublicSuffixList.section(of: top) != nil
    else { return "TrustKit stops an app that pins '\(host.host.text)', because no public top-level domain ends it" }
    guard host.subdomains != .none, PublicSuffixList.section(of: host.host) != nil else { return nil }
    return
      "TrustKit stops an app that pins all names below '\(host.host.text)', because anybody may register one"
  }
}

import CLibCARES
import PinFormat

/// Why a name has no address, as far as DNS tells.
enum NameFailure: Hashable {
  case noSuchName
  case noAddress
  case serverFailed
  case serverRefused
  case unreachable
  case timedOut
  case notAName
  case unreadable
  case noMemory
  /// What c-ares says of anything else.
  case other(String)

  static let cancelled = TLSClientError(.cancelled, "probing was stopped before it was looked up")

  init(status: Int32) {
    switch Int(status) {
    case pintle_ares_not_found: self = .noSuchName
    case pintle_ares_no_data: self = .noAddress
    case pintle_ares_server_failed: self = .serverFailed
    case pintle_ares_refused, pintle_ares_not_implemented: self = .serverRefused
    case pintle_ares_connection_refused: self = .unreachable
    case pintle_ares_timeout: self = .timedOut
    case pintle_ares_bad_name, pintle_ares_bad_query, pintle_ares_bad_string: self = .notAName
    case pintle_ares_unreadable_question, pintle_ares_bad_response: self = .unreadable
    case pintle_ares_no_memory: self = .noMemory
    default: self = .other(String(cString: ares_strerror(status)))
    }
  }

  var error: TLSClientError {
    switch self {
    case .noSuchName: TLSClientError(.nameNotResolved, "DNS has no such name (NXDOMAIN)")
    case .noAddress: TLSClientError(.nameNotResolved, "the name is in DNS without an address, neither A nor AAAA")
    case .serverFailed:
      TLSClientError(.nameNotResolved, "the DNS server failed (SERVFAIL): DNSSEC or the zone's own servers, say")
    case .serverRefused: TLSClientError(.nameNotResolved, "the DNS server refuses to answer for this name (REFUSED)")
    case .unreachable: TLSClientError(.nameNotResolved, "no DNS server can be reached")
    case .timedOut: TLSClientError(.nameNotResolved, "no DNS server answered in time")
    case .notAName: TLSClientError(.nameNotResolved, "this is not a valid DNS name")
    case .unreadable: TLSClientError(.nameNotResolved, "the DNS server's answer can't be read")
    case .noMemory: TLSClientError(.local, "there was no memory for asking DNS")
    case .other(let reason): TLSClientError(.nameNotResolved, "DNS could not be queried: \(reason)")
    }
  }
}

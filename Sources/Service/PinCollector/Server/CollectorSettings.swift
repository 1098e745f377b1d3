#if Collector
/// How a collector is set up.
public struct CollectorSettings: Sendable {
  /// Where reports are stored.
  public enum Storage: Hashable, Sendable {
    /// A SQLite file; its folder has to be there.
    case sqlite(path: String)
    /// A PostgreSQL database: what libpq takes, `host=… dbname=…` or a `postgresql://` address.
    case postgres(String)
  }

  /// A certificate chain and its key, both PEM files.
  public struct TLS: Hashable, Sendable {
    /// The file of the certificates, the server's own first.
    public var certificates: String
    /// The file of the private key.
    public var key: String

    /// Names the files.
    public init(certificates: String, key: String) {
      self.certificates = certificates
      self.key = key
    }
  }

  /// The address to listen on: an IP address or a host name.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 for any that is free.
  public var port = 8464
  /// Nil for plain HTTP, as behind a proxy.
  public var tls: TLS?
  /// Where reports are stored.
  public var storage: Storage
  /// How much is kept.
  public var limits = StorageLimits()
  /// How many reports are taken.
  public var rates = RateLimits()
  /// How many questions are answered: they cost more than reports, and anybody who guesses tokens asks often.
  public var readRates = RateLimits(perAddress: 5, burstPerAddress: 100, overall: 50, burstOverall: 200)
  /// The most bytes of a report.
  public var maximumBody = 1 << 20
  /// The most bytes of bodies in memory at once.
  public var maximumBytesInFlight = 64 << 20
  /// The most connections at once; beyond that, the slowest is closed.
  public var maximumConnections = 512
  /// The most connections of one address; on a proxy's connections, the most requests at once for one address.
  public var maximumConnectionsPerAddress = 64
  /// How many reports may wait to be stored.
  public var maximumWaiting = 1_024
  /// How many seconds a request may take to arrive, and a client to take something of its answer.
  public var requestSeconds: Int64 = 15
  /// How many seconds a connection may be silent before and between requests.
  public var idleSeconds: Int64 = 15
  /// The domains whose reports are taken, with all that is below them; empty for any.
  public var acceptedHosts: [String] = []
  /// What readers have to know; nil where anybody may read who can connect.
  public var readToken: String?
  /// Whether `X-Forwarded-For` says who a client is: only behind a proxy that adds to it.
  public var trustsForwarded = false
  /// The proxies that are believed about it; empty for anybody who connects.
  public var trustedProxies: [AddressRange] = []
  /// The names that the collector is asked by, beside its address.
  public var hostNames: [String] = []
  /// Where a line of JSON for each report goes: a file, or `-` for standard output.
  public var forward: String?

  /// Settings with the defaults for everything else.
  public init(storage: Storage) {
    self.storage = storage
  }
}
#endif

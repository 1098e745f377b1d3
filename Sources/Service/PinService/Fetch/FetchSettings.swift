#if Service
/// Where manifests and keysets are fetched from, and how often.
public struct FetchSettings: Sendable {
  /// The URLs of the manifest file, in order of preference: the next is asked where one has nothing to take.
  public var urls: [String]
  /// Where the keysets are that follow the one in force: URLs with one `{version}` in place of the number, such as
  /// `https://pins.example.com/keysets/{version}.keyset.json`; all are asked before each fetch of a manifest.
  ///
  /// None where the store has fixed signers.
  public var keysetURLs: [String]
  /// Whether `http` URLs are taken.
  ///
  /// Manifests and keysets are signed, so nobody on the way can change one or bring back a lower serial. But over plain
  /// http anybody on the way can see which policy is fetched, hold updates back until the manifest is stale, and choose
  /// which valid release a new client gets.
  public var allowsPlainHTTP: Bool
  /// The time between fetches while the manifest is fresh; one is due at its `refresh-after` at the latest.
  public var interval: Duration
  /// The time between fetches from the manifest's `refresh-after` on, while there is nothing newer.
  public var dueInterval: Duration
  /// How much later than planned a fetch may be, so that a fleet doesn't ask at once: 0 to 100 percent of the interval.
  public var jitterPercent: Int
  /// The wait after a round in which all URLs failed; doubled with each further one.
  public var firstRetry: Duration
  /// The most that the wait grows to.
  public var longestRetry: Duration
  /// The most that a server's `Retry-After` is heeded; without a manifest in force, also at most ``longestRetry``.
  public var longestRetryAfter: Duration
  /// How long one URL may take, from the name lookup to the last byte, redirects included; of keysets, how long all that
  /// is asked of one mirror in a round may take.
  public var deadline: Duration
  /// How many times as many bytes as the file of the manifest in force are downloaded at most.
  public var downloadGrowth: Int
  /// The most bytes that are downloaded where that is less than this, as long as the store takes so many.
  public var leastDownloadLimit: Int

  /// Takes URLs, and for the rest: hourly, every five minutes once due, 10 % jitter, retries after 10 seconds up to
  /// 15 minutes, `Retry-After` up to an hour, a deadline of 60 seconds, https only, four times as many bytes as the
  /// manifest in force has, but 8 MiB at least.
  public init(urls: [String]) {
    self.urls = urls
    keysetURLs = []
    allowsPlainHTTP = false
    interval = .seconds(3_600)
    dueInterval = .seconds(300)
    jitterPercent = 10
    firstRetry = .seconds(10)
    longestRetry = .seconds(900)
    longestRetryAfter = .seconds(3_600)
    deadline = .seconds(60)
    downloadGrowth = 4
    leastDownloadLimit = 8 << 20
  }

  /// For how many seconds a server's `Retry-After` is heeded at most: a client that can't decide asks sooner.
  func longestPatience(inForce isAnything: Bool) -> Int64 {
    let (asked, own) = (longestRetryAfter.components.seconds, longestRetry.components.seconds)
    return isAnything ? asked : min(asked, own)
  }

  /// The most bytes of a manifest that are downloaded: where none is in force, as many as the store takes.
  ///
  /// - Parameters:
  ///   - bytes: How many bytes the file of the manifest in force has.
  ///   - most: How many the store takes.
  /// - Returns: The limit.
  func downloadLimit(inForce bytes: Int?, most: Int) -> Int {
    guard let bytes else { return most }
    let (grown, isTooMuch) = bytes.multipliedReportingOverflow(by: max(1, downloadGrowth))
    return isTooMuch ? most : min(most, max(leastDownloadLimit, grown))
  }
}
#endif

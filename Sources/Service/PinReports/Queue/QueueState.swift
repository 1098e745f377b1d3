import OpenSSLKit
import PinFormat
import PinValidator

/// What a ``ReportQueue`` knows.
///
/// The files follow it: it goes on where a disk doesn't.
struct QueueState: Sendable {
  /// The most days whose counts are kept apart.
  static let maximumDays = 8
  private static let maximumProblems = 100

  let settings: ReportSettings
  let folder: ReportFolder
  /// Oldest first.
  var reports: [QueuedReport] = []
  var nextNumber: UInt64 = 1
  var memory = ReportMemory()
  var pace: QueuePace
  var days: [Int64: DayCounts] = [:]
  /// The deliveries under way, also those whose report has been dropped since.
  var underWay: [Delivery.ID: UnderWay] = [:]
  var problems: [String] = []
  var delivered: Int64 = 0
  var repeated: Int64 = 0
  var dropped: [DropReason: Int64] = [:]

  /// A delivery that hasn't been answered for.
  struct UnderWay: Sendable {
    let uri: String
    let began: Instant
  }

  var limits: ReportLimits { settings.limits }

  var status: ReportQueue.Status {
    ReportQueue.Status(
      reports: reports.count, bytes: reports.reduce(0) { $0 + $1.fileBytes },
      pending: reports.reduce(0) { $0 + $1.pendingCount }, delivered: delivered, repeated: repeated, dropped: dropped)
  }

  mutating func takeProblems() -> [String] {
    defer { problems = [] }
    return problems
  }

  mutating func complain(_ problem: String) {
    if problems.count < Self.maximumProblems { problems.append(problem) }
  }

  /// The counts of a day, which are begun where there are none.
  mutating func withCounts(of day: Int64, _ change: (inout DayCounts) -> Void) {
    var day = day
    // A clock that jumps must not fill the memory.
    if days[day] == nil, days.count >= Self.maximumDays, let latest = days.keys.max() { day = latest }
    var counts = days[day] ?? DayCounts(day: day, name: settings.random())
    change(&counts)
    days[day] = counts
  }

  /// Counts what never arrives.
  mutating func drop(_ reason: DropReason, _ count: Int64 = 1, at now: Instant) {
    guard count > 0 else { return }
    dropped[reason, default: 0].add(count)
    withCounts(of: now.day) { $0.dropped[reason, default: 0].add(count) }
  }

  /// Writes one of the files, where there is room for it.
  @discardableResult
  mutating func keep(_ bytes: [UInt8]?, as name: String, at now: Instant) -> Bool {
    guard let bytes else {
      complain("libcrypto could not compute a digest for '\(name)'")
      return false
    }
    guard makeRoom(for: bytes.count, at: now) else {
      complain("no room for '\(name)': all files in '\(folder.path)' may have \(limits.queueBytes) bytes")
      return false
    }
    do throws(FileError) {
      try folder.write(bytes, to: name)
      return true
    } catch {
      complain(error.message)
      return false
    }
  }
}

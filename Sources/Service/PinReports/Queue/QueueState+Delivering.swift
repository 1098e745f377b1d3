import PinFormat
import PinValidator

extension QueueState {
  /// The report that was tried least, of those the oldest, to an address that may be tried now.
  mutating func nextDelivery(at now: Instant) -> Delivery? {
    underWay = underWay.filter { now.seconds(since: $0.value.began) < limits.unfinishedSeconds }
    while let (index, address) = due(at: now) {
      guard pace.bucket.take(at: now) else { return nil }
      let report = reports[index]
      guard let body = body(of: report) else {
        complain("the report in '\(folder.path)/\(report.fileName)' is damaged; the file is set aside")
        folder.setAside(report.fileName)
        discard(at: index, .corrupt, at: now)
        keepCounts(at: now)
        continue
      }
      let id = Delivery.ID(report: report.number, address: address)
      let target = report.addresses[address]
      underWay[id] = UnderWay(uri: target.uri, began: now)
      return Delivery(
        id: id, uri: target.uri, mediaType: report.mediaType, body: body, earlierAttempts: target.attempts)
    }
    return nil
  }

  func nextDeliveryTime(at now: Instant) -> Instant? {
    var busyUntil: [String: Instant] = [:]
    for delivery in underWay.values {
      let until = delivery.began.adding(seconds: limits.unfinishedSeconds)
      busyUntil[delivery.uri] = max(busyUntil[delivery.uri] ?? until, until)
    }
    var earliest: Instant?
    for address in reports.lazy.flatMap(\.addresses) where address.state == .pending {
      let time = max(ready(address, at: now), now, busyUntil[address.uri] ?? now)
      earliest = min(earliest ?? time, time)
    }
    var bucket = pace.bucket
    bucket.refill(at: now)
    return earliest.map { max($0, bucket.nextToken(at: now)) }
  }

  mutating func finished(_ id: Delivery.ID, _ outcome: DeliveryOutcome, at now: Instant) {
    let wasUnderWay = underWay.removeValue(forKey: id) != nil
    // A delivery counts even if nobody waited for the answer any more.
    guard wasUnderWay || outcome == .delivered, let index = reports.firstIndex(where: { $0.number == id.report }),
      reports[index].addresses.indices.contains(id.address), reports[index].addresses[id.address].state == .pending
    else { return }
    let uri = reports[index].addresses[id.address].uri
    let attempts = min(reports[index].addresses[id.address].attempts + 1, QueuedReport.maximumAttempts)
    reports[index].addresses[id.address].attempts = attempts
    switch outcome {
    case .delivered:
      reports[index].addresses[id.address].state = .delivered
      pace.pauses[uri] = nil
      delivered.add(1)
    case .rejected:
      reports[index].addresses[id.address].state = .rejected
      pace.pauses[uri] = nil
      drop(.rejected, at: now)
    case .retryLater(let asked):
      let own = Backoff.seconds(failures: attempts, asked: asked, limits, random: settings.random())
      reports[index].addresses[id.address].notBefore = now.adding(seconds: own)
      var pause = pace.pauses[uri] ?? QueuePace.Pause(failures: 0, until: now)
      pause.failures = min(pause.failures + 1, 64)
      let all = Backoff.seconds(failures: pause.failures, asked: asked, limits, random: settings.random())
      pause.until = now.adding(seconds: all)
      pace.pauses[uri] = pause
    }
    if reports[index].isFinished {
      folder.remove(reports[index].fileName)
      reports.remove(at: index)
    } else {
      rewrite(reports[index], at: now)
    }
    let used = Set(reports.flatMap { $0.addresses.map(\.uri) })
    pace.pauses = pace.pauses.filter { used.contains($0.key) }
    // Last, because writing may drop reports.
    if outcome == .rejected { keepCounts(at: now) }
    keep(pace.file(), as: QueuePace.fileName, at: now)
  }

  /// The delivery to make next.
  private func due(at now: Instant) -> (report: Int, address: Int)? {
    let busy = Set(underWay.values.map(\.uri))
    var best: (report: Int, address: Int)?
    for (number, report) in reports.enumerated() {
      for (index, address) in report.addresses.enumerated()
      where address.state == .pending && !busy.contains(address.uri) && ready(address, at: now) <= now {
        guard let found = best else {
          best = (number, index)
          continue
        }
        if address.attempts < reports[found.report].addresses[found.address].attempts { best = (number, index) }
      }
    }
    return best
  }

  /// From when on an address may be tried.
  ///
  /// A time that no pause reaches comes from a clock that was set back since.
  private func ready(_ address: QueuedReport.Address, at now: Instant) -> Instant {
    let farthest = now.adding(seconds: max(limits.longestRetrySeconds, limits.aggregateJitterSeconds))
    let time = max(address.notBefore, pace.pauses[address.uri]?.until ?? address.notBefore)
    return time > farthest ? now : time
  }

  private func body(of report: QueuedReport) -> [UInt8]? {
    guard let bytes = (try? folder.read(report.fileName, limit: 16 << 20)) ?? nil,
      let found = QueuedReport.read(bytes, number: report.number), found.report.digest == report.digest
    else { return nil }
    return found.body
  }

  /// Writes the report's file again, so that a restart knows where it has been.
  private mutating func rewrite(_ report: QueuedReport, at now: Instant) {
    guard let file = body(of: report).flatMap({ report.file(body: $0) }) else { return }
    // If there is no room, this report may be the one that is dropped.
    makeRoom(for: file.count, at: now)
    if reports.contains(where: { $0.number == report.number }) { keep(file, as: report.fileName, at: now) }
  }

  private mutating func keepCounts(at now: Instant) {
    guard let counts = days[now.day] else { return }
    keep(counts.file(), as: counts.fileName, at: now)
  }
}

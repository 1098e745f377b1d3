import OpenSSLKit
import PinFormat
import PinValidator

extension QueueState {
  /// Takes over what was recorded, under a version of the keyset.
  mutating func collect(_ recorded: [Recorded], keysetVersion: Int64?, at now: Instant) {
    var changed: Set<Int64> = []
    let before = dropped
    memory.prune(at: now, within: limits.repeatAfterSeconds)
    for part in recorded {
      for period in part.periods {
        withCounts(of: period.day) { $0.add(period, keysetVersion: keysetVersion) }
        changed.insert(period.day)
      }
      drop(.busy, part.uncounted, at: now)
      drop(.recorderFull, part.lost, at: now)
    }
    // In the order in which they occurred, not by shard.
    let incidents = recorded.flatMap { $0.incidents }.sorted {
      ($0.value.first, $0.key.digest) < ($1.value.first, $1.key.digest)
    }
    var seen: Set<SHA256Digest> = []
    for (key, incident) in incidents {
      withCounts(of: incident.day) { $0.add(incident) }
      // Several shards may have recorded the same chain.
      if settings.reportsMismatches, seen.insert(key.digest).inserted { report(incident, key.digest, at: now) }
    }
    if !incidents.isEmpty { keep(memory.file(), as: ReportMemory.fileName, at: now) }
    closeDays(before: now.day, at: now)
    giveUp(at: now)
    if dropped != before { changed.insert(now.day) }
    for counts in days.values where changed.contains(counts.day) { keep(counts.file(), as: counts.fileName, at: now) }
  }

  /// Queues the report on one chain, unless it was reported lately.
  private mutating func report(_ incident: Incident, _ digest: SHA256Digest, at now: Instant) {
    guard let report = MismatchReport(incident.handshake, incident.decision, at: incident.first),
      let manifest = incident.decision.manifest, let entry = incident.decision.verdict.context.entry
    else { return }
    guard !memory.has(digest, at: now, within: limits.repeatAfterSeconds) else { return repeated.add(1) }
    memory.remember(digest, at: now, atMost: limits.rememberedChains)
    memory.markFailing(report.entry, at: now)
    let uris = report.reportURIs.prefix(ReportAddress.maximumCount)
    let eligible = uris.filter { uri in
      ReportAddress.isEligible(uri, forEntry: entry, of: manifest) {
        memory.isFailing($0, at: now, within: limits.repeatAfterSeconds)
      }
    }
    drop(.ineligibleURI, Int64(uris.count - eligible.count), at: now)
    var isRefused = false
    for format in ReportFormat.allCases {
      let recipients = eligible.filter { (settings.formatsByURI[$0] ?? settings.format) == format }
      guard !recipients.isEmpty else { continue }
      guard let body = report.encoded(as: format, from: settings.service, maximumBytes: limits.reportBytes) else {
        drop(.tooLarge, Int64(recipients.count), at: now)
        continue
      }
      if !enqueue(body, format.mediaType, to: recipients, notBefore: now, at: now) {
        drop(.notStored, Int64(recipients.count), at: now)
        isRefused = true
      }
    }
    // What couldn't be written isn't in the queue, so the next such connection has to be reported.
    if isRefused { memory.forget(digest) }
  }

  /// Turns the counts of days that are over into reports.
  private mutating func closeDays(before today: Int64, at now: Instant) {
    for day in days.keys.sorted() where day < today {
      guard let counts = days[day] else { continue }
      let wanted = settings.reportsAggregates ? counts.reports(from: settings.service, to: settings.aggregateURIs) : []
      days[day] = nil
      // Without a recipient, the dropped reports are counted in the next report.
      if wanted.isEmpty, !counts.dropped.isEmpty {
        for (reason, count) in counts.dropped { withCounts(of: today) { $0.dropped[reason, default: 0].add(count) } }
        if let counts = days[today] { keep(counts.file(), as: counts.fileName, at: now) }
      }
      var lost: [DropReason: Int64] = [:]
      for (uris, report) in wanted where !reports.contains(where: { $0.subject == report.id }) {
        for (reason, count) in enqueue(report, to: uris, at: now) { lost[reason, default: 0].add(count) }
      }
      // The disk may accept it later; until then nothing is counted as lost.
      if lost[.notStored] != nil, today - day < Self.maximumDays {
        days[day] = counts
        continue
      }
      for (reason, count) in lost { drop(reason, count, at: now) }
      folder.remove(counts.fileName)
    }
  }

  /// Queues a day's counts, and answers to how many addresses they won't go.
  private mutating func enqueue(
    _ report: AggregateReport, to uris: [String], at now: Instant
  ) -> [DropReason: Int64] {
    let recipients = uris.filter { ReportAddress.isWellFormed($0) }
    var lost: [DropReason: Int64] = [:]
    if recipients.count < uris.count { lost[.ineligibleURI] = Int64(uris.count - recipients.count) }
    guard !recipients.isEmpty else { return lost }
    guard let body = report.encoded(maximumBytes: limits.aggregateBytes) else {
      lost[.tooLarge] = Int64(recipients.count)
      return lost
    }
    let jitter = UInt64(max(0, limits.aggregateJitterSeconds)) + 1
    let notBefore = now.adding(seconds: Int64(settings.random() % jitter))
    if !enqueue(body, AggregateReport.mediaType, to: recipients, notBefore: notBefore, at: now, subject: report.id) {
      lost[.notStored] = Int64(recipients.count)
    }
    return lost
  }

  /// Puts a report on disk and into the queue; false where that isn't possible.
  private mutating func enqueue(
    _ body: [UInt8], _ mediaType: String, to uris: [String], notBefore: Instant, at now: Instant, subject: String = ""
  ) -> Bool {
    guard let digest = try? SHA256.digest(of: body) else { return false }
    let report = QueuedReport(
      number: nextNumber, subject: subject, created: now, mediaType: mediaType,
      addresses: uris.map { QueuedReport.Address(uri: $0, notBefore: notBefore) }, digest: SHA256Digest(digest),
      bodyBytes: body.count)
    guard let file = report.file(body: body) else { return false }
    while reports.count >= limits.queueReports, !reports.isEmpty { discard(at: 0, .queueFull, at: now) }
    guard keep(file, as: report.fileName, at: now) else { return false }
    nextNumber += 1
    reports.append(report)
    return true
  }

  /// Drops damaged files and then the oldest reports until the limits hold, with as many bytes more.
  ///
  /// All that is in the folder counts, no matter who put it there, also what is about to be replaced: it is the disk
  /// that must not fill up.
  ///
  /// - Returns: Whether they hold.
  @discardableResult
  mutating func makeRoom(for bytes: Int = 0, at now: Instant) -> Bool {
    while reports.count > limits.queueReports { discard(at: 0, .queueFull, at: now) }
    var excess = folder.bytes + bytes - limits.queueBytes
    guard excess > 0 else { return true }
    // If other files use all the space, dropping reports doesn't help.
    let own = reports.reduce(folder.asideBytes) { $0 + folder.size(of: $1.fileName) }
    guard excess <= own else { return false }
    while excess > 0, let freed = folder.removeAside() { excess -= freed }
    while excess > 0, let oldest = reports.first {
      excess -= folder.size(of: oldest.fileName)
      discard(at: 0, .queueFull, at: now)
    }
    return true
  }

  /// Drops reports that nobody took for too long.
  private mutating func giveUp(at now: Instant) {
    for index in reports.indices.reversed() where now.seconds(since: reports[index].created) >= limits.giveUpSeconds {
      discard(at: index, .tooOld, at: now)
    }
  }

  /// Drops one report with all the deliveries that it still has.
  mutating func discard(at index: Int, _ reason: DropReason, at now: Instant) {
    let report = reports.remove(at: index)
    folder.remove(report.fileName)
    drop(reason, Int64(report.pendingCount), at: now)
  }
}

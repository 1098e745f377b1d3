import PinFormat
import PinValidator

extension QueueState {
  /// Takes up what was left in the folder.
  ///
  /// Damaged files are set aside and counted.
  init(_ settings: ReportSettings, _ folder: ReportFolder, at now: Instant) {
    self.settings = settings
    self.folder = folder
    pace = QueuePace(settings.limits, at: now)
    let names = folder.names()
    var damaged: Int64 = 0
    for name in names where name.hasPrefix(DayCounts.prefix) {
      if let counts = load(name, DayCounts.read), counts.fileName == name {
        days[counts.day] = counts
      } else {
        complain("the counts in '\(folder.path)/\(name)' are damaged; the file is set aside")
        folder.setAside(name)
      }
    }
    for name in names where name.hasPrefix(QueuedReport.prefix) {
      guard let number = QueuedReport.number(ofFile: name) else { continue }
      nextNumber = max(nextNumber, number &+ 1)
      guard let report = load(name, { QueuedReport.read($0, number: number)?.report }) else {
        complain("the report in '\(folder.path)/\(name)' is damaged; the file is set aside")
        folder.setAside(name)
        damaged += 1
        continue
      }
      if report.isFinished { folder.remove(name) } else { reports.append(report) }
    }
    if names.contains(ReportMemory.fileName) {
      if let memory = load(ReportMemory.fileName, ReportMemory.read) {
        self.memory = memory
      } else {
        complain("what was reported lately can't be read; some of it may be reported again")
        folder.setAside(ReportMemory.fileName)
      }
    }
    if names.contains(QueuePace.fileName) {
      let limits = settings.limits
      if let pace = load(QueuePace.fileName, { QueuePace.read($0, limits) }) { self.pace = pace }
    }
    drop(.corrupt, damaged, at: now)
    makeRoom(at: now)
  }

  private mutating func load<Value>(_ name: String, _ read: ([UInt8]) -> Value?) -> Value? {
    do throws(FileError) {
      return try folder.read(name, limit: 16 << 20).flatMap(read)
    } catch {
      complain(error.message)
      return nil
    }
  }
}

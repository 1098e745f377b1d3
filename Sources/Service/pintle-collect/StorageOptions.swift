#if Collector
import ArgumentParser
import PinCollector

/// Where reports are stored, and how much is kept.
struct StorageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The SQLite file; made where it isn't there. (default: pintle-reports.sqlite)", valueName: "file"))
  var database: String?

  @Option(
    help: ArgumentHelp(
      "A PostgreSQL database instead: 'host=… dbname=…' or a postgresql:// address. A password belongs in PGPASSWORD or "
        + "a password file, since arguments can be seen by other users.", valueName: "settings"))
  var postgres: String?

  @Option(help: "How many days something is kept after it was last seen.")
  var keepDays: Int64 = 180

  @Option(help: "How many different reports are kept, and how many daily counts; beyond that the oldest go.")
  var keepReports: Int64 = 50_000

  @Option(help: "How many megabytes of reports are kept, and of daily counts; beyond that the oldest go.")
  var keepMegabytes: Int64 = 256

  func validate() throws {
    if database != nil, postgres != nil { throw ValidationError("Give --database or --postgres, not both.") }
    if database?.isEmpty ?? false { throw ValidationError("--database is the path of a file.") }
    guard (1...3_650).contains(keepDays) else { throw ValidationError("--keep-days is from 1 to 3650.") }
    guard (1...10_000_000).contains(keepReports) else { throw ValidationError("--keep-reports is from 1 to 10000000.") }
    guard (1...65_536).contains(keepMegabytes) else {
      throw ValidationError("--keep-megabytes is from 1 to 65536.")
    }
  }

  var storage: CollectorSettings.Storage {
    postgres.map { .postgres($0) } ?? .sqlite(path: database ?? "pintle-reports.sqlite")
  }

  var limits: StorageLimits {
    StorageLimits(mismatches: keepReports, aggregates: keepReports, bytes: keepMegabytes << 20, days: keepDays)
  }
}
#endif

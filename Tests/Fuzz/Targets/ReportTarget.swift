import PinCollector
import PinReports

/// What anybody may send to a collector, by each media type.
enum ReportTarget {
  static func run(_ bytes: [UInt8]) {
    for type in [nil, "application/json; charset=utf-8", AggregateReport.mediaType] {
      guard let report = try? ReportReader.read(bytes, contentType: type) else { continue }
      switch report {
      case .aggregate(let aggregate):
        let encoded = aggregate.encoded()
        let again = try? ReportReader.read(encoded, contentType: AggregateReport.mediaType)
        guard case .aggregate(let second) = again else {
          return promise(false, "what was read can be written and read")
        }
        promise(second.encoded() == encoded, "what is written is canonical")
      case .mismatch(let mismatch):
        promise(mismatch.servedPins.count <= mismatch.servedChain.count, "pins are of certificates")
        promise(mismatch.validatedPins.count <= mismatch.validatedChain.count, "pins are of certificates")
      }
    }
  }
}

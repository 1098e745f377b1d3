#if Service
import PinReports

extension ReportSettings {
  /// The keys that say how reports are kept and sent.
  private static let dependentKeys = [
    "service-name", "service-version", "format", "rfc7469-uris", "trustkit-uris", "mismatches", "aggregates",
    "aggregate-uris", "queue-bytes", "queue-reports", "burst", "seconds-per-delivery",
  ].map { "reports." + $0 }

  /// Reads how reports are kept and sent; nil where no folder for them is named.
  static func read(_ values: ConfigurationValues) throws(ServiceSettingsError) -> ReportSettings? {
    guard let directory = try values.string("reports.directory") else {
      try values.refuse(dependentKeys, without: "reports.directory")
      return nil
    }
    let name = try values.required("reports.service-name", try values.string("reports.service-name"))
    let version = try values.string("reports.service-version") ?? ""
    var settings = ReportSettings(directory: directory, service: ReportingService(name: name, version: version))
    let formats = ["rfc7469": ReportFormat.rfc7469, "trustkit": .trustKit]
    if let format = try values.choice("reports.format", formats) { settings.format = format }
    for (key, format) in [("reports.rfc7469-uris", ReportFormat.rfc7469), ("reports.trustkit-uris", .trustKit)] {
      for uri in try values.strings(key) ?? [] { settings.formatsByURI[uri] = format }
    }
    if let value = try values.flag("reports.mismatches") { settings.reportsMismatches = value }
    if let value = try values.flag("reports.aggregates") { settings.reportsAggregates = value }
    if let uris = try values.strings("reports.aggregate-uris") {
      for (index, uri) in uris.enumerated() {
        do throws(AddressError) {
          _ = try WebAddress(uri, allowsPlainHTTP: false)
        } catch {
          throw values.error("reports.aggregate-uris", "URL \(index + 1) \(error.message)")
        }
      }
      settings.aggregateURIs = uris
    }
    let most = 1 << 30
    if let value = try values.number("reports.queue-bytes", in: 4_096...most) { settings.limits.queueBytes = value }
    if let value = try values.number("reports.queue-reports", in: 1...100_000) { settings.limits.queueReports = value }
    if let value = try values.number("reports.burst", in: 1...1_000) { settings.limits.burst = value }
    if let value = try values.number("reports.seconds-per-delivery", in: 0...86_400) {
      settings.limits.secondsPerDelivery = Int64(value)
    }
    return settings
  }
}
#endif

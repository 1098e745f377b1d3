/// What a service says of itself in its reports: fixed texts of its own choice, the same on every machine.
///
/// Nothing here is read from the machine. RFC 7469's format has none of it; TrustKit's has fields that were made for
/// apps on somebody's telephone, and ``vendorIdentifier`` would tell one telephone from another there: for a service
/// it is one text for all of its instances, or stays empty.
public struct ReportingService: Hashable, Sendable {
  /// The name of the service or organisation: `reporter` of an aggregate, `app-bundle-id` of TrustKit.
  public var name: String
  /// The service's version: `app-version` of TrustKit.
  public var version: String
  /// What it runs on: `app-platform` of TrustKit.
  public var platform: String
  /// The platform's version: `app-platform-version` of TrustKit.
  public var platformVersion: String
  /// `app-vendor-id` of TrustKit, the same for all instances of the service.
  public var vendorIdentifier: String

  /// Describes a service.
  ///
  /// - Parameters:
  ///   - name: The name of the service or organisation, such as `payments-api`.
  ///   - version: The service's version; empty where it doesn't matter.
  ///   - platform: What it runs on, in TrustKit's capitals.
  ///   - platformVersion: The platform's version; empty where it doesn't matter.
  ///   - vendorIdentifier: One text for all instances of the service; empty where the collector doesn't ask for it.
  public init(
    name: String, version: String = "", platform: String = "LINUX", platformVersion: String = "",
    vendorIdentifier: String = ""
  ) {
    self.name = name
    self.version = version
    self.platform = platform
    self.platformVersion = platformVersion
    self.vendorIdentifier = vendorIdentifier
  }
}

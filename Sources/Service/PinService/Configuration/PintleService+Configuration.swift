#if Service
public import Configuration
public import Logging
public import Metrics
import PinValidator

extension PintleService {
  /// Opens a store and prepares to keep it, all by the process's configuration.
  ///
  /// - Parameters:
  ///   - configuration: The process's configuration; the keys are below `pintle`.
  ///   - logger: Where events go.
  ///   - metrics: Where counters and gauges go; the process's own unless given.
  /// - Throws: ``ServiceSettingsError``, which names the key, where a value is missing or can't be used.
  public convenience init(
    configuration: ConfigReader, logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory
  ) throws(ServiceSettingsError) {
    try self.init(
      PinStoreSettings(configuration), PintleServiceSettings(configuration), logger: logger, metrics: metrics)
  }
}
#endif

import ArgumentParser
import PinFormat

/// A TLS version on the command line.
struct TLSVersionArgument: ExpressibleByArgument {
  let version: TLSVersion

  init?(argument: String) {
    guard let version = TLSVersion(rawValue: argument) else { return nil }
    self.version = version
  }

  static var allValueStrings: [String] { TLSVersion.allCases.map(\.rawValue) }
}

import Glibc

/// The version that `--version` prints and that manifests name as their compiler's.
package enum Version {
  package static let current = "0.1.0"
  package static let compiler = "pintle " + current
}

extension Report.Tool {
  /// The environment variable with the address of the documentation.
  package static let documentationVariable = "PINTLE_DOCS"

  /// This program.
  package static let pintle = Report.Tool(
    name: "pintle", version: Version.current,
    reference: getenv(documentationVariable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 })
}

/// The version that `--version` prints and that manifests name as their compiler's.
package enum Version {
  package static let current = "0.1.0"
  package static let compiler = "pintle " + current
}

extension Report.Tool {
  /// This program.
  package static let pintle = Report.Tool(name: "pintle", version: Version.current)
}

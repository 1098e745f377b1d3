package import PinFormat

/// A format that pins are written in, as the catalogue lists it.
package struct ExportFormat: Sendable {
  /// What the command line calls it, such as `okhttp-kotlin`.
  package let name: String
  /// What people call it: `OkHttp's CertificatePinner, as Kotlin source`.
  package let title: String
  /// Where it is specified.
  package let citation: String
  /// The options that it reads.
  package let options: Set<ExportOption>
  /// What it does with each feature.
  package let support: @Sendable (PolicyFeature) -> FormatSupport
  /// The files; one, or several whose names say which is which.
  package let write: @Sendable (FittedPinList, ExportSettings) throws(ExchangeError) -> [ExchangedFile]

  package init(
    name: String, title: String, citation: String, options: Set<ExportOption> = [],
    support: @escaping @Sendable (PolicyFeature) -> FormatSupport,
    write: @escaping @Sendable (FittedPinList, ExportSettings) throws(ExchangeError) -> [ExchangedFile]
  ) {
    self.name = name
    self.title = title
    self.citation = citation
    self.options = options
    self.support = support
    self.write = write
  }
}

/// A setting that only some formats read.
package enum ExportOption: String, Hashable, Sendable, CaseIterable {
  /// The port that is meant where an entry names none.
  case port
  /// The name of the class or constant that is written.
  case name
  /// The package or name space that it is in.
  case package
  /// A path, on the machine that reads the file, of the anchors to validate with.
  case trustedCA = "trusted-ca"
}

/// What the caller says besides the pins.
package struct ExportSettings: Sendable {
  /// The instant that counts as now: lifetimes that are lengths of time begin here.
  package var instant: Instant
  package var values: [ExportOption: String]

  package init(at instant: Instant, _ values: [ExportOption: String] = [:]) {
    self.instant = instant
    self.values = values
  }
}

/// A file that is written, or was read.
package struct ExchangedFile: Hashable, Sendable {
  /// Its name without a folder; for a file that was read, its path as messages show it.
  package var name: String
  package var bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

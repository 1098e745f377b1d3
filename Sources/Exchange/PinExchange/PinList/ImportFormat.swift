package import Diagnostics
package import PinFormat

/// A format that pins are read from, as the catalogue lists it.
package struct ImportFormat: Sendable {
  /// What the command line calls it, such as `android`.
  package let name: String
  package let title: String
  /// Where it is specified.
  package let citation: String
  /// The files that it takes, in order, such as `transport_security_state_static.json` and `.pins`.
  package let files: ClosedRange<Int>
  /// The most bytes of a file.
  package let maximumBytes: Int
  private let reader: @Sendable ([ExchangedFile], ImportSettings) throws(ExchangeError) -> ImportedPins

  package init(
    name: String, title: String, citation: String, files: ClosedRange<Int> = 1...1, maximumBytes: Int = 32 << 20,
    read: @escaping @Sendable ([ExchangedFile], ImportSettings) throws(ExchangeError) -> ImportedPins
  ) {
    self.name = name
    self.title = title
    self.citation = citation
    self.files = files
    self.maximumBytes = maximumBytes
    reader = read
  }

  /// Reads files that anybody may have written.
  ///
  /// - Throws: ``ExchangeError``; for a file that has more bytes than ``maximumBytes``, before anything looks at them.
  package func read(_ files: [ExchangedFile], _ settings: ImportSettings) throws(ExchangeError) -> ImportedPins {
    for file in files where file.bytes.count > maximumBytes {
      throw ExchangeError(
        .tooLarge, "the file has \(file.bytes.count) bytes; the limit is \(maximumBytes)")
    }
    return try reader(files, settings)
  }
}

/// What the caller says besides the files.
package struct ImportSettings: Sendable {
  /// The instant that counts as now: lifetimes that are lengths of time begin here.
  package var instant: Instant

  package init(at instant: Instant) {
    self.instant = instant
  }
}

/// What was read, and what was wrong with it.
package struct ImportedPins: Sendable {
  /// Where the parts of the list are in the files that were read, as far as the importer says; for comments in the
  /// policy, and for what is found out later.
  package struct Places: Sendable {
    /// By ``PinList/Host/label``.
    package var hosts: [String: Place] = [:]
    /// By the key's name.
    package var keys: [String: Place] = [:]
    /// By the set's name.
    package var keySets: [String: Place] = [:]

    package init() {}
  }

  package var list: PinList
  package var findings: [ImportFinding]
  package var places = Places()

  package init(_ list: PinList, findings: [ImportFinding] = []) {
    self.list = list
    self.findings = findings
  }
}

/// Something that the reader of an import has to know; its place is in the file that was read.
package struct ImportFinding: Hashable, Sendable {
  /// What it is about: the code of a rule of the catalogue.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An invalid pin, which was left out.
    case unusablePin = "P901"
    /// An invalid host, or one that a policy can't name, and was left out.
    case unusableHost = "P902"
    /// A host that is there twice with different pins.
    case contradiction = "P903"
    /// Something that a policy can't say; what was written instead is stricter.
    case otherMeaning = "P904"
    /// A host with only one pin and no backup.
    case noBackup = "P905"
    /// An expiry that has passed: the file pins nothing any more.
    case expired = "P906"
    /// A pin of no key: words, a pattern, or the digest of nothing.
    case placeholderPin = "P907"
    /// A field or element that no reader of the format knows.
    case unknownField = "P908"
    /// A host that the file pins and doesn't enforce.
    case notEnforced = "P909"
    /// A part of the file that could not be read, and was left out.
    case unreadablePart = "P910"
    /// A host without pins that only speaks of other things, such as HSTS; told once, with a count.
    case nothingPinned = "P911"
    /// Trust anchors that the file only names; the policy trusts others until it has them.
    case anchorsElsewhere = "P912"
    /// A setting of the other tool that is about something else; told once for each, with a count.
    case otherSetting = "P917"
  }

  package var kind: Kind
  package var place: Place
  /// One clause, lower case, no full stop, names in single quotes.
  package var message: String
  /// What to do, as an instruction, with a full stop.
  package var help: String

  package init(_ kind: Kind, at place: Place, _ message: String, help: String) {
    self.kind = kind
    self.place = place
    self.message = message
    self.help = help
  }
}

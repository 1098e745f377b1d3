package import Diagnostics

/// Something that reading or resolving found wrong, as data: the rules of `PinRules` turn it into words.
package struct PolicyProblem: Hashable, Sendable {
  /// What is wrong.
  package enum Kind: Hashable, Sendable {
    // Reading: the bytes.
    /// The file can't be read; the reason in the operating system's words.
    case unreadableFile(reason: String)
    /// The file has a name such as `X.YAML`, which isn't that of a policy file.
    case misnamedFile
    /// The file's name is that of a file of tests, which isn't read as a part of the policy, and it has no tests.
    case notTests
    /// The file has more bytes than are read.
    case fileTooLarge(bytes: Int, limit: Int)
    /// The file isn't UTF-8, from the place on.
    case invalidUTF8
    /// The file begins with a byte order mark.
    case byteOrderMark
    /// A tab is where YAML asks for spaces.
    case tab
    /// libyaml's own complaint.
    case invalidYAML(reason: String)

    // Reading: the shape.
    case severalDocuments
    case tag(String)
    case anchor(String)
    case alias(String)
    case tooDeep(limit: Int)
    /// A mapping names a field that the format doesn't have; `known` are those it has here.
    case unknownField(name: String, within: String, known: [String])
    /// A mapping names a field or an entry twice; the related place is the first.
    case duplicateField(name: String)
    case missingField(name: String, within: String)
    /// A scalar, sequence or mapping where another one belongs.
    case wrongShape(field: String, expected: String, found: String)
    /// A scalar whose text isn't what its field takes: `no` for a date, say. `expected` describes what would do.
    case badScalar(field: String, text: String, expected: String)
    /// A text that is longer than a manifest can hold, in bytes as the manifest encodes it.
    case tooLong(field: String, bytes: Int, limit: Int)
    /// The format version isn't supported by this version of Pintle.
    case unsupportedVersion(String)
    /// A mapping has two fields of which it takes one; the related place is the first, `other`.
    case conflictingFields(name: String, other: String)
    /// The file has so many problems that reading it stopped.
    case tooManyProblems(limit: Int)
    /// A comment that begins like a suppression but isn't complete.
    case malformedSuppression(reason: String)

    // Pins and key files.
    /// A pin that isn't `sha256/` and 32 bytes of canonical Base64; the reason in words.
    case badPin(text: String, reason: String)
    /// Something shaped like a certificate's fingerprint where a pin belongs; `pin` is the right one, where a file
    /// among the policy's certificates has that fingerprint.
    case certificateFingerprint(text: String, pin: String?, file: String?)
    /// The digest of a key at hand, written in hexadecimal; `pin` is the same as a policy writes it.
    case hexadecimalPin(text: String, pin: String, file: String)
    /// A file that a policy names can't be read, leaves the policy's folder, or is too large.
    case unreadableKeyFile(path: String, reason: String)
    /// A file isn't a PEM or DER certificate, public key or request, or not the one that its field takes.
    case badKeyFile(path: String, reason: String)
    /// A file that a policy names holds a private key, which has no business beside a policy.
    case privateKeyFile(path: String)

    // Resolving.
    /// A key of this name is declared twice; the related place is the first.
    case duplicateKey(name: String)
    case duplicateKeySet(name: String)
    /// No file declares a key of this name; or some do, and the related place is the `audiences` that leave it out.
    case undefinedKey(name: String, known: [String])
    case undefinedKeySet(name: String, known: [String])
    /// A key is twice in one key set; the related place is the first.
    case repeatedKey(name: String, keySet: String)
    /// The host text isn't a host; the reason in words.
    case badHost(text: String, reason: String)
    /// The same host and port have two entries; the related place is the first.
    case duplicateHost(label: String)
    /// Several files state manifest-wide settings; the related place is the first.
    case duplicateSettings
    /// A file, entry, key set or slice names an audience that `manifest:` doesn't have.
    case undefinedAudience(name: String, known: [String])
    /// An overlay names an entry that the audience doesn't have.
    case overlayWithoutEntry(label: String, audience: String)
    /// Two overlays of an audience change one entry; the related place is the first.
    case repeatedOverlay(label: String)
    /// No entry applies to a name of a slice.
    case ungovernedHost(label: String)
    /// A name of a slice isn't pinned, or may become so, and the slice would block it, though it doesn't say that.
    case unpinnedInSlice(label: String)
    /// No file states the manifest-wide settings that building needs.
    case missingSettings
    /// There is nothing to read.
    case noPolicyFiles
  }

  package var kind: Kind
  package var place: Place
  package var related: Place?

  package init(_ kind: Kind, at place: Place, related: Place? = nil) {
    self.kind = kind
    self.place = place
    self.related = related
  }
}

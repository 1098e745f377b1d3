import Diagnostics
package import PinFormat

/// The files with what is known of authorities: those that the program was built with, and those that a user gave.
package struct AuthorityLibrary: Sendable {
  /// Whether what the program was built with counts.
  private let isEmbedded: Bool
  /// Files that a user gave; what they say of an authority replaces what the program knows of it.
  private let given: [AuthorityFile]

  /// What the program was built with.
  package static let embedded = AuthorityLibrary(isEmbedded: true, given: [])

  /// No files.
  package static let none = AuthorityLibrary(isEmbedded: false, given: [])

  private init(isEmbedded: Bool, given: [AuthorityFile]) {
    self.isEmbedded = isEmbedded
    self.given = given
  }

  /// Adds files that a user gave.
  ///
  /// - Throws: The first that is older than what it would replace: an authority, a service, or what is known of a key.
  package func adding(_ files: [AuthorityFile]) throws(OutdatedAuthorities) -> AuthorityLibrary {
    for file in files {
      for other in self.files {
        guard let reviewed = file.reviewed?.value, let newer = other.reviewed?.value, reviewed < newer,
          let name = other.name(sharedWith: file)
        else { continue }
        throw OutdatedAuthorities(authority: name, reviewed: reviewed, known: newer)
      }
    }
    return AuthorityLibrary(isEmbedded: isEmbedded, given: files + given)
  }

  /// All files; those that a user gave are first.
  package var files: [AuthorityFile] { given + (isEmbedded ? AuthorityTables.files.map { AuthorityFile($0) } : []) }

  /// All that is known on a day.
  package func all(at instant: Instant) -> Authorities {
    Authorities(files, at: instant)
  }

  /// What is known on a day of some keys, and of those that they are linked with.
  ///
  /// - Parameters:
  ///   - subjects: Names of CAs (RFC 4514) whose keys aren't at hand.
  ///   - withServices: Whether something is asked of CDNs and managed services.
  ///   - instant: The day.
  ///   - isWanted: Whether a pin is that of one of the keys.
  /// - Returns: Where a user gave files, all that is known.
  package func concerning(
    subjects: Set<String>, withServices: Bool, at instant: Instant, pins isWanted: (Pin) -> Bool
  ) -> Authorities {
    guard given.isEmpty, isEmbedded else { return all(at: instant) }
    let chosen = AuthorityTables.keys(ofSubjects: subjects, pins: isWanted)
    if chosen.isEmpty, !withServices { return .none(at: instant) }
    let files = AuthorityTables.files.lazy.map {
      AuthorityFile($0, withServices: withServices, keys: chosen)
    }
    return Authorities(files.filter { $0.reviewed != nil }, at: instant)
  }
}

extension AuthorityFile {
  /// The name of an authority or service that another file has too, or one of whose keys it has under another name.
  fileprivate func name(sharedWith other: AuthorityFile) -> String? {
    let names = Set(other.authorities.map(\.name.value))
    let pins = Set(other.authorities.flatMap(\.keys).compactMap(\.pin?.value))
    let services = Set(other.services.map(\.name.value))
    return authorities.first { authority in
      names.contains(authority.name.value) || !pins.isDisjoint(with: authority.keys.compactMap(\.pin?.value))
    }?.name.value ?? self.services.map(\.name.value).first(where: services.contains)
  }
}

/// An authorities file is older than what the program knows of the same authority.
package struct OutdatedAuthorities: Error {
  package let authority: String
  package let reviewed: Instant
  package let known: Instant
}

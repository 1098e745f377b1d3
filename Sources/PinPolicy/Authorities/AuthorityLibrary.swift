import CLibAuthorities
import Diagnostics
package import PinFormat
import Synchronization

/// The files with what is known of authorities: those that the program was built with, and those that a user gave.
package struct AuthorityLibrary: Sendable {
  private final class Text: Sendable {
    let name: String
    let bytes: [UInt8]
    private let read = Mutex<AuthorityFile?>(nil)

    init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }

    /// The file, read once: an editor checks at each keystroke.
    var file: AuthorityFile {
      read.withLock { known in
        // A test checks that each of the files can be read.
        let file = known ?? AuthorityFile.read(bytes, file: FileID(0)).file
        known = file
        return file
      }
    }

    /// Whether a run of bytes is somewhere in the text.
    func holds(_ run: String) -> Bool { next(run, from: 0) != nil }

    /// The pins of the keys.
    var pins: [Pin] {
      let bytes = bytes
      let field = "pin: "
      let length = "sha256/".utf8.count + 44
      var pins: [Pin] = []
      var start = 0
      while let found = next(field, from: start) {
        start = found + field.utf8.count
        guard bytes.count - start >= length else { break }
        if let pin = Pin(bytes.span.extracting(start..<start + length)) { pins.append(pin) }
      }
      return pins
    }

    /// Where a run of bytes begins, at an offset or behind it.
    private func next(_ run: String, from start: Int) -> Int? {
      bytes.withUnsafeBytes { text -> Int? in
        guard let base = text.baseAddress, start < text.count else { return nil }
        return pintle_authority_find(base + start, text.count - start, run, run.utf8.count).map { $0 - base }
      }
    }
  }

  private let texts: [Text]
  /// Files that a user gave; what they say of an authority replaces what the program knows of it.
  private let given: [AuthorityFile]

  /// What the program was built with.
  package static let embedded = AuthorityLibrary(
    texts: UnsafeBufferPointer(start: pintle_authority_files, count: pintle_authority_file_count).map { file in
      Text(name: String(cString: file.name), bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }, given: [])

  /// No files.
  package static let none = AuthorityLibrary(texts: [], given: [])

  private init(texts: [Text], given: [AuthorityFile]) {
    self.texts = texts
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
    return AuthorityLibrary(texts: texts, given: files + given)
  }

  /// All files, read; those that a user gave are first.
  package var files: [AuthorityFile] { given + texts.map(\.file) }

  /// The names and texts of the files that the program was built with.
  var contents: [(name: String, bytes: [UInt8])] { texts.map { ($0.name, $0.bytes) } }

  /// All that is known on a day.
  package func all(at instant: Instant) -> Authorities {
    Authorities(files, at: instant)
  }

  /// What is known on a day of the authorities of some keys.
  ///
  /// Reads only files that say something of them, since most policies name few authorities or none.
  ///
  /// - Parameters:
  ///   - subjects: Names of CAs (RFC 4514) whose keys aren't at hand.
  ///   - withServices: Whether something is asked of CDNs and managed services.
  ///   - instant: The day.
  ///   - isWanted: Whether a pin is that of one of the keys.
  /// - Returns: All that those files say; nothing where none does.
  package func concerning(
    subjects: Set<String>, withServices: Bool, at instant: Instant, pins isWanted: (Pin) -> Bool
  ) -> Authorities {
    guard given.isEmpty else { return all(at: instant) }
    // A name may be written in several lines or with escapes, but its beginning is the same.
    let beginnings = Set(subjects.map { $0.prefix { $0.isASCII && $0 != "," && $0 != "\\" } }).map(String.init)
    var chosen = Set(
      texts.indices.filter { index in
        beginnings.contains { !$0.isEmpty && texts[index].holds($0) } || texts[index].pins.contains(where: isWanted)
      })
    if withServices, let services = texts.firstIndex(where: { $0.name == "services.yaml" }) { chosen.insert(services) }
    guard !chosen.isEmpty else { return .none(at: instant) }
    if let schedules = texts.firstIndex(where: { $0.name == "stores.yaml" }) { chosen.insert(schedules) }
    chosen.formUnion(neighbours(of: chosen))
    return Authorities(chosen.sorted().map { texts[$0].file }, at: instant)
  }

  /// The files of the authorities that these name, and those that name an authority of these.
  private func neighbours(of chosen: Set<Int>) -> [Int] {
    let files = chosen.map { texts[$0].file }
    let own = Set(files.flatMap(\.authorities).map(\.name.value))
    let others = Set(files.flatMap(\.namedAuthorities)).subtracting(own)
    let runs = own.map { "key: \($0)/" } + others.map { "\n  \($0):" }
    return texts.indices.filter { index in !chosen.contains(index) && runs.contains(where: texts[index].holds) }
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

package import Diagnostics
import Glibc
import OpenSSLKit
import PinValidator

/// The text files below some paths, as `pintle find` and `pintle check --renewals` read them.
package struct FoundFiles {
  /// The most bytes of a file that is read; more than this isn't a source text.
  private static let mostBytes = 16 << 20
  /// Why a file or folder is skipped.
  package enum Omission: String, Hashable, Sendable, CaseIterable {
    case binary
    /// A certificate in DER.
    case certificate
    case hidden
    case link
    /// A socket, pipe or device.
    case special
    /// Packages of others.
    case packages = "node_modules"
  }

  /// Sorted, each once.
  package private(set) var paths: [String] = []
  /// What was not looked into.
  package private(set) var passedOver: [(path: String, why: Omission)] = []

  /// `1 binary, 2 links`.
  package static func counts(_ passedOver: [(path: String, why: Omission)]) -> String {
    Omission.allCases.compactMap { why in
      let count = passedOver.count { $0.why == why }
      return count > 0 ? FilesRead.counted(count, why.rawValue) : nil
    }.joined(separator: ", ")
  }

  private let includesHidden: Bool
  /// The folders that were searched.
  private(set) var folders: Set<FileIdentity> = []

  /// Links below the paths aren't followed.
  ///
  /// - Parameters:
  ///   - given: Files and folders.
  ///   - known: Files that are left out, by whatever path they are found.
  ///   - includesHidden: Whether hidden folders and files below the paths are looked into.
  /// - Throws: ``WorkFailure`` where a path can't be read.
  package init(below given: [String], except known: [String], includesHidden: Bool = false) throws(WorkFailure) {
    self.includesHidden = includesHidden
    for path in given {
      guard let file = FileIdentity(of: path) else { throw Self.unreadable(path, errno) }
      if file.isFolder { try add(folder: path) } else { paths.append(path) }
    }
    let known = KnownFiles(known)
    paths = Set(paths).filter { !known.contains($0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private mutating func add(folder: String) throws(WorkFailure) {
    if let identity = FileIdentity(of: folder) { folders.insert(identity) }
    let names: [String]
    do throws(FileError) {
      names = try SafeFolder(folder).names()
    } catch {
      throw Self.unreadable(folder, error.number)
    }
    for name in names where name != ".git" {
      let path = folder == "." ? name : folder.hasSuffix("/") ? folder + name : folder + "/" + name
      if name == Omission.packages.rawValue || !includesHidden && name.hasPrefix(".") {
        passedOver.append((path, name.hasPrefix(".") ? .hidden : .packages))
        continue
      }
      guard let file = FileIdentity(ofLink: path) else {
        if name.unicodeScalars.contains("\u{FFFD}") {
          throw WorkFailure(.failed, "can't read a file in '\(folder)': its name isn't UTF-8")
        }
        throw Self.unreadable(path, errno)
      }
      if file.isFolder {
        try add(folder: path)
      } else if file.isRegular {
        paths.append(path)
      } else {
        passedOver.append((path, file.isLink ? .link : .special))
      }
    }
  }

  private static func unreadable(_ path: String, _ number: Int32) -> WorkFailure {
    WorkFailure(.failed, "can't read '\(path)': \(String(cString: strerror(number)))")
  }

  /// The bytes of a file, UTF-16 as UTF-8; nil for one that isn't a text.
  package mutating func text(of path: String) throws(WorkFailure) -> [UInt8]? {
    do {
      let bytes = try WholeFile.read(path, limit: Self.mostBytes)
      if let text = Self.utf16(bytes) { return text }
      if !Self.isBinary(bytes[...]) { return bytes }
      if (try? Certificate(der: bytes)) != nil {
        passedOver.append((path, .certificate))
        return nil
      }
    } catch {
      guard Self.beginsAsBinary(path) else {
        throw WorkFailure(.failed, error.message, help: "Make it readable, or give paths that leave it out.")
      }
    }
    passedOver.append((path, .binary))
    return nil
  }

  /// The text of a file in UTF-16, which begins with its mark, or of which each second byte is zero at the beginning.
  private static func utf16(_ bytes: [UInt8]) -> [UInt8]? {
    let head = bytes.prefix(64)
    guard bytes.count.isMultiple(of: 2), head.count >= 4 else { return nil }
    func hasZeros(at parity: Int) -> Bool {
      head.indices.allSatisfy { ($0 % 2 == parity) == (head[$0] == 0) }
    }
    let isLittle = bytes.starts(with: [0xFF, 0xFE]) || hasZeros(at: 1)
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]) || hasZeros(at: 0) else { return nil }
    let units = stride(from: 0, to: bytes.count, by: 2).map { index in
      UInt16(bytes[index + (isLittle ? 1 : 0)]) << 8 | UInt16(bytes[index + (isLittle ? 0 : 1)])
    }
    let text = String(decoding: units.drop { $0 == 0xFEFF }, as: UTF16.self)
    return text.utf8.contains(0) ? nil : Array(text.utf8)
  }

  /// A binary property list counts as a text that can't be read: it is a file of settings.
  private static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.prefix(8_192).contains(0) && FileKind(binary: Array(bytes.prefix(64))) != .propertyList
  }

  /// Whether a regular file, however long, is binary.
  private static func beginsAsBinary(_ path: String) -> Bool {
    guard InputFile.isRegular(path), let file = fopen(path, "re") else { return false }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 1, count: 8_192)
    return isBinary(bytes[..<fread(&bytes, 1, bytes.count, file)])
  }
}

/// Files by their paths, and by what the paths lead to.
private struct KnownFiles {
  private let paths: Set<String>
  private let identities: Set<FileIdentity>

  init(_ paths: [String]) {
    self.paths = Set(paths)
    identities = Set(paths.compactMap { FileIdentity(of: $0) })
  }

  func contains(_ path: String) -> Bool {
    paths.contains(path) || FileIdentity(of: path).map(identities.contains) ?? false
  }
}

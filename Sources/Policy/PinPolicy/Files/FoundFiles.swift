package import Diagnostics
import Glibc
import OpenSSLKit
import PinFormat
import PinValidator

/// The text files below some paths, as `pintle find` and `pintle check --renewals` read them.
package struct FoundFiles {
  /// The most bytes of a file that is read; more than this isn't a source text.
  private static let mostBytes = 16 << 20
  /// Why a file or folder is skipped.
  package enum Omission: String, Hashable, Sendable, CaseIterable {
    case binary
    /// A certificate or public key in DER.
    case certificate
    case hidden
    case link
    /// A socket, pipe or device.
    case special
    /// Packages of others.
    case packages = "node_modules"
    case manifest, keyset, signature, schema

    /// Which of Pintle's own files it is, read as strictly as by clients: its digests are those of signers' keys,
    /// signatures and certificates, and its pins those of a released policy.
    package init?(ownFile bytes: [UInt8]) {
      switch FileKind(bytes) {
      case .manifest: self = .manifest
      case .keyset: self = .keyset
      default:
        if (try? DetachedSignature(reading: bytes)) != nil {
          self = .signature
        } else if bytes == FieldSchema.file || bytes == FieldSchema.testsFile {
          self = .schema
        } else {
          return nil
        }
      }
    }
  }

  /// Sorted, each once.
  package private(set) var paths: [String] = []
  /// Why a binary file may have something that was looked for, as the rest of a sentence: all but images and the like.
  package private(set) var opaque: [String: String] = [:]
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
  private let known: KnownFiles
  /// The folders that were searched.
  private(set) var folders: Set<FileIdentity> = []

  /// Links below the paths aren't followed.
  ///
  /// - Parameters:
  ///   - given: Files and folders.
  ///   - known: Files and folders that are left out, by whatever path they are found.
  ///   - includesHidden: Whether hidden folders and files below the paths are looked into.
  /// - Throws: ``WorkFailure`` where a path can't be read.
  package init(below given: [String], except known: [String], includesHidden: Bool = false) throws(WorkFailure) {
    self.includesHidden = includesHidden
    self.known = KnownFiles(known)
    for path in given {
      guard let file = FileIdentity(of: path) else { throw Self.unreadable(path, errno) }
      if file.isFolder { try add(folder: path) } else { paths.append(path) }
    }
    paths = Set(paths).filter { !self.known.contains($0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
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
        if !known.contains(path) { try add(folder: path) }
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

  /// The bytes of a file, UTF-16 and UTF-32 as UTF-8; nil for one that isn't a text.
  package mutating func text(of path: String) throws(WorkFailure) -> [UInt8]? {
    let head: ArraySlice<UInt8>
    do {
      let bytes = try WholeFile.read(path, limit: Self.mostBytes)
      if let text = WideText(bytes) { return text.utf8 }
      head = bytes.prefix(Self.headBytes)
      if !BinaryFile.isBinary(head) { return bytes }
      if (try? Certificate(der: bytes)) != nil || (try? PublicKey(subjectPublicKeyInfo: bytes)) != nil {
        passedOver.append((path, .certificate))
        return nil
      }
    } catch {
      guard let beginning = Self.head(of: path), BinaryFile.isBinary(beginning) else {
        throw WorkFailure(.failed, error.message, help: "Make it readable, or give paths that leave it out.")
      }
      head = beginning
    }
    passedOver.append((path, .binary))
    opaque[path] = BinaryFile.reason(head)
    return nil
  }

  private static let headBytes = 8_192

  /// How a regular file begins, however long it is.
  private static func head(of path: String) -> ArraySlice<UInt8>? {
    guard InputFile.isRegular(path), let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: headBytes)
    return bytes[..<fread(&bytes, 1, bytes.count, file)]
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

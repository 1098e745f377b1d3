package import Diagnostics
import Glibc
import PinValidator

/// The text files below some paths, as `pintle find` and `pintle acme check` read them.
package struct FoundFiles {
  /// The most bytes of a file that is read; more than this isn't a source text.
  private static let mostBytes = 16 << 20
  /// Folders of what others wrote, and of what isn't source.
  private static let leftOut: Set<String> = ["node_modules", ".git"]

  /// Sorted, each once.
  package private(set) var paths: [String] = []
  /// Binary files, which were not looked into.
  package private(set) var passedOver: [String] = []
  /// Links below the paths, which aren't followed.
  package private(set) var links: [String] = []

  private let includesHidden: Bool

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
    let names: [String]
    do throws(FileError) {
      names = try SafeFolder(folder).names()
    } catch {
      throw Self.unreadable(folder, error.number)
    }
    for name in names where (includesHidden || !name.hasPrefix(".")) && !Self.leftOut.contains(name) {
      let path = folder == "." ? name : folder.hasSuffix("/") ? folder + name : folder + "/" + name
      guard let file = FileIdentity(ofLink: path) else {
        if name.unicodeScalars.contains("\u{FFFD}") {
          throw WorkFailure(.failed, "can't read a file in '\(folder)': its name isn't UTF-8")
        }
        throw Self.unreadable(path, errno)
      }
      if file.isFolder { try add(folder: path) } else if file.isRegular { paths.append(path) }
      if file.isLink { links.append(path) }
    }
  }

  private static func unreadable(_ path: String, _ number: Int32) -> WorkFailure {
    WorkFailure(.failed, "can't read '\(path)': \(String(cString: strerror(number)))")
  }

  /// The bytes of a file; nil for one that isn't a text.
  package mutating func text(of path: String) throws(WorkFailure) -> [UInt8]? {
    do {
      let bytes = try WholeFile.read(path, limit: Self.mostBytes)
      if !Self.isBinary(bytes[...]) { return bytes }
    } catch {
      guard Self.beginsAsBinary(path) else {
        throw WorkFailure(.failed, error.message, help: "Make it readable, or give paths that leave it out.")
      }
    }
    passedOver.append(path)
    return nil
  }

  private static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.prefix(8_192).contains(0) }

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

  package init(_ paths: [String]) {
    self.paths = Set(paths)
    identities = Set(paths.compactMap { FileIdentity(of: $0) })
  }

  package func contains(_ path: String) -> Bool {
    paths.contains(path) || FileIdentity(of: path).map(identities.contains) ?? false
  }
}

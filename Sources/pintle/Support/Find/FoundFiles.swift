import Diagnostics
import Glibc
import PinValidator

/// The text files below some paths, as `pintle find` reads them.
struct FoundFiles {
  /// The most bytes of a file that is read; more than this is no source text.
  private static let mostBytes = 16 << 20
  /// Folders of what others wrote, and of what isn't source.
  private static let leftOut: Set<String> = ["node_modules"]

  /// Sorted, each once.
  private(set) var paths: [String] = []
  /// Files that were not looked into: binary, too long, or not readable.
  private(set) var passedOver: [String] = []

  /// Links below the paths aren't followed, and hidden folders and files aren't looked into.
  init(below given: [String]) throws(CommandFailure) {
    for path in given {
      var status = stat()
      guard stat(path, &status) == 0 else {
        throw CommandFailure(.failed, "can't read '\(path)': \(String(cString: strerror(errno)))")
      }
      if status.st_mode & S_IFMT == S_IFDIR { try add(folder: path) } else { paths.append(path) }
    }
    paths = Set(paths).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private mutating func add(folder: String) throws(CommandFailure) {
    guard let stream = opendir(folder) else {
      throw CommandFailure(.failed, "can't read '\(folder)': \(String(cString: strerror(errno)))")
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix("."), !Self.leftOut.contains(name) else { continue }
      let path = folder == "." ? name : folder.hasSuffix("/") ? folder + name : folder + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try add(folder: path)
      case S_IFREG: paths.append(path)
      default: break
      }
    }
  }

  /// The bytes of a file; nil for one that is no text.
  mutating func text(of path: String) -> [UInt8]? {
    if let bytes = try? WholeFile.read(path, limit: Self.mostBytes), !bytes.prefix(8_192).contains(0) { return bytes }
    passedOver.append(path)
    return nil
  }
}

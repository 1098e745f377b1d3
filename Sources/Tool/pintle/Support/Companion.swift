import Diagnostics
import Glibc
import PinPolicy

/// A program that is installed with `pintle`, and that it hands over to.
struct Companion {
  let name: String

  init(_ name: String) {
    self.name = name
  }

  /// Where it is: beside this program, else in the first folder of `PATH` that has it.
  ///
  /// Relative folders in `PATH` depend on the working directory, and are skipped.
  var path: String? {
    let listed = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = [ownFolder].compactMap(\.self) + listed.split(separator: ":").map(String.init)
    return folders.filter { $0.hasPrefix("/") }.map { $0 + "/" + name }.first(where: Self.isProgram)
  }

  /// Becomes the program, with these arguments; comes back only where that fails.
  func replaceThisProcess(_ path: String, arguments: [String]) -> CommandFailure {
    // This program ignores SIGPIPE, and exec keeps ignored signals ignored.
    signal(SIGPIPE, SIG_DFL)
    var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    pointers.append(nil)
    execv(path, pointers)
    let reason = String(cString: strerror(errno))
    for pointer in pointers { free(pointer) }
    return CommandFailure(.failed, "can't start '\(path)': \(reason)")
  }

  /// The folder that this program's file is in.
  private var ownFolder: String? {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0, length < buffer.count else { return nil }
    let path = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }

  private static func isProgram(_ path: String) -> Bool {
    InputFile.isRegular(path) && access(path, X_OK) == 0
  }
}

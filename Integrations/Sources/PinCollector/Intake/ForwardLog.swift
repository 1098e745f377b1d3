import Foundation
import Glibc
import Synchronization

/// Where lines for a log pipeline go: a file, to whose end they are added, or standard output.
///
/// Each line is one call of `write`, so that lines of several writers never mix. A pipeline that doesn't read holds up
/// the storing of reports, and senders are asked to come again: no line is lost in silence.
final class ForwardLog: Sendable {
  private let path: String?
  private let descriptor: Mutex<Int32>
  private let queue = DispatchQueue(label: "forward")

  /// Opens a file, which is made where it isn't there, readable by its owner only; `-` is standard output.
  init(_ path: String) throws(ForwardError) {
    self.path = path == "-" ? nil : path
    descriptor = Mutex(path == "-" ? STDOUT_FILENO : try Self.open(path))
  }

  deinit {
    if path != nil { _ = descriptor.withLock { Glibc.close($0) } }
  }

  /// Writes lines and answers why some weren't written.
  func write(_ lines: [[UInt8]]) async -> [String] {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        let problems = descriptor.withLock { descriptor in lines.compactMap { Self.write($0, to: descriptor) } }
        continuation.resume(returning: problems)
      }
    }
  }

  /// Opens the file again, for whoever renamed it to begin a new one.
  func reopen() throws(ForwardError) {
    guard let path else { return }
    let new = try Self.open(path)
    let old = descriptor.withLock { descriptor in
      let old = descriptor
      descriptor = new
      return old
    }
    Glibc.close(old)
  }

  private static func open(_ path: String) throws(ForwardError) -> Int32 {
    let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ForwardError(message: "can't open '\(path)': \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  private static func write(_ line: [UInt8], to descriptor: Int32) -> String? {
    var written = 0
    while written < line.count {
      let step = line.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { return String(cString: strerror(errno)) }
      written += step
    }
    return nil
  }
}

/// Why lines can't be forwarded.
public struct ForwardError: Error, Hashable, Sendable {
  /// What went wrong: one clause, lower case, no full stop.
  public let message: String
}

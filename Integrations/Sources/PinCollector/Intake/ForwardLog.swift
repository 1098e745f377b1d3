import Foundation
import Glibc
import Synchronization

/// Where lines for a log pipeline go: a file, to whose end they are added, or standard output.
///
/// Each line is one call of `write`, so that lines of several writers to one file never mix. A pipeline that doesn't read holds up
/// the storing of reports, and senders are asked to come again: no line is lost in silence.
final class ForwardLog: Sendable {
  private let path: String?
  private let output: Mutex<Output>
  private let queue = DispatchQueue(label: "forward")

  /// Where lines go now.
  private struct Output {
    var descriptor: Int32
    /// Whether the last line was broken off, so that the next one has to begin anew.
    var isTorn = false
  }

  /// Opens a file, which is made where it isn't there, readable by its owner only; `-` is standard output.
  init(_ path: String) throws(ForwardError) {
    self.path = path == "-" ? nil : path
    output = Mutex(Output(descriptor: path == "-" ? STDOUT_FILENO : try Self.open(path)))
  }

  deinit {
    if path != nil { _ = output.withLock { Glibc.close($0.descriptor) } }
  }

  /// Writes lines and answers why some weren't written.
  func write(_ lines: [[UInt8]]) async -> [String] {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        let problems = output.withLock { output in lines.compactMap { Self.write($0, to: &output) } }
        continuation.resume(returning: problems)
      }
    }
  }

  /// Opens the file again, for whoever renamed it to begin a new one.
  func reopen() throws(ForwardError) {
    guard let path else { return }
    let new = try Self.open(path)
    let old = output.withLock { output in
      let old = output.descriptor
      output = Output(descriptor: new)
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

  private static func write(_ line: [UInt8], to output: inout Output) -> String? {
    let line = output.isTorn ? [UInt8(ascii: "\n")] + line : line
    let descriptor = output.descriptor
    var written = 0
    while written < line.count {
      let step = line.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else {
        let problem = String(cString: strerror(errno))
        if written > 0 { output.isTorn = true }
        return problem
      }
      written += step
    }
    output.isTorn = false
    return nil
  }
}

/// Why lines can't be forwarded.
public struct ForwardError: Error, Hashable, Sendable {
  /// What went wrong: one clause, lower case, no full stop.
  public let message: String
}

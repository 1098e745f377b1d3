#if Collector
import Foundation
import Glibc
import Synchronization

/// Where lines for a log pipeline go: a file, to whose end they are added, a named pipe, or standard output.
///
/// Each line is one call of `write` to a file, so that lines of several writers never mix. A pipeline that doesn't read is
/// waited for, but not for ever: what it doesn't take in time is counted as not forwarded, and from then on nobody waits
/// until it reads again. Neither reports nor the end of the process depend on it.
final class ForwardLog: Sendable {
  private let path: String?
  private let output: Mutex<Output>
  private let patience: Duration
  private let queue = DispatchQueue(label: "forward")

  /// Where lines go now.
  private struct Output {
    var descriptor: Int32
    /// Whether it may keep a writer waiting: a pipe, a socket or a terminal.
    var isPipeline: Bool
    /// Whether the last line was broken off, so that the next one has to begin again.
    var isTorn = false
    /// Whether nobody read for too long, and nobody has since.
    var isStalled = false

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      var status = stat()
      isPipeline = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
  }

  /// Opens a file, which is made where it isn't there, readable by its owner only; `-` is standard output.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - patience: How long a pipeline is waited for that doesn't read.
  /// - Throws: ``ForwardError`` where it can't be opened, or is a named pipe that nobody reads.
  init(_ path: String, patience: Duration = .seconds(5)) throws(ForwardError) {
    self.path = path == "-" ? nil : path
    self.patience = patience
    output = Mutex(Output(path == "-" ? STDOUT_FILENO : try Self.open(path)))
  }

  deinit {
    if path != nil { _ = output.withLock { Glibc.close($0.descriptor) } }
  }

  /// Writes lines and answers why some weren't written.
  func write(_ lines: [[UInt8]]) async -> [String] {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        // One deadline for all lines, because a reader may take only a few bytes at a time.
        let deadline = ContinuousClock.now + patience
        let problems = output.withLock { output in
          lines.compactMap { Self.write($0, to: &output, until: deadline) }
        }
        continuation.resume(returning: problems)
      }
    }
  }

  /// Opens the file again, for anybody who renamed it to begin a new one.
  func reopen() throws(ForwardError) {
    guard let path else { return }
    let new = try Self.open(path)
    let old = output.withLock { output in
      let old = output.descriptor
      output = Output(new)
      return old
    }
    Glibc.close(old)
  }

  private static func open(_ path: String) throws(ForwardError) -> Int32 {
    // Without O_NONBLOCK, opening a named pipe without a reader would block the start.
    let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      let reason = errno == ENXIO ? "it has no reader" : String(cString: strerror(errno))
      throw ForwardError(message: "can't open '\(path)': \(reason)")
    }
    return descriptor
  }

  private static func write(
    _ line: [UInt8], to output: inout Output, until deadline: ContinuousClock.Instant
  ) -> String? {
    let line = output.isTorn ? [UInt8(ascii: "\n")] + line : line
    // Standard output is shared with other processes, so it must not be made non-blocking. A pipe with room accepts
    // PIPE_BUF bytes without blocking.
    let most = output.isPipeline ? Int(PIPE_BUF) : line.count
    var written = 0
    while written < line.count {
      if output.isPipeline, !hasRoom(output.descriptor, until: output.isStalled ? .now : deadline) {
        if written > 0 { output.isTorn = true }
        output.isStalled = true
        return "the reader doesn't read the lines"
      }
      let step = line.withUnsafeBytes {
        Glibc.write(output.descriptor, $0.baseAddress.map { $0 + written }, min(most, $0.count - written))
      }
      if step < 0, errno == EINTR || errno == EAGAIN && ContinuousClock.now < deadline { continue }
      guard step > 0 else {
        let problem = String(cString: strerror(errno))
        if written > 0 { output.isTorn = true }
        return problem
      }
      written += step
    }
    output.isTorn = false
    output.isStalled = false
    return nil
  }

  /// Waits until something can be written, or a write fails at once.
  private static func hasRoom(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let left = max(.zero, deadline - .now)
      let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
      var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let count = poll(&state, 1, Int32(clamping: milliseconds))
      if count < 0, errno == EINTR { continue }
      return count != 0
    }
  }
}

/// Why lines can't be forwarded.
public struct ForwardError: Error, Hashable, Sendable {
  /// What went wrong: one clause, lower case, no full stop.
  public let message: String
}
#endif

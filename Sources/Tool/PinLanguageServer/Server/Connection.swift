import Glibc

/// Runs a session over two file descriptors.
package struct Connection {
  private let input: Int32
  private let output: Int32

  package init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
  }

  /// Serves until the client says that it is over, or hangs up.
  ///
  /// - Returns: The exit status: 0 where the client asked for the shutdown first, otherwise 1.
  package func serve(_ server: LanguageServer) -> Int32 {
    var frames = FrameReader()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var isOpen = true
    while server.status == nil {
      // All available input is read before any work, because a change may be followed by another.
      while isOpen, hasInput(wait: false) { isOpen = take(&frames, &chunk, server) }
      if server.step() {
        guard write(server.takeOutput()) else { return 1 }
        continue
      }
      guard write(server.takeOutput()), server.status == nil else { break }
      // The client has closed the stream, so no answer is needed.
      guard isOpen else { return 1 }
      _ = hasInput(wait: true)
    }
    _ = write(server.takeOutput())
    return server.status ?? 1
  }

  /// Reads what is there; false at the end of the stream, or where the rest of it can't be understood.
  private func take(_ frames: inout FrameReader, _ chunk: inout [UInt8], _ server: LanguageServer) -> Bool {
    let count = Glibc.read(input, &chunk, chunk.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return true }
    guard count > 0 else { return false }
    frames.append(chunk[..<count])
    do {
      while let content = try frames.next() { server.receive(content) }
      return true
    } catch {
      server.refuse(nil, ResponseError(.parseError, error.reason))
      return false
    }
  }

  private func hasInput(wait: Bool) -> Bool {
    var one = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&one, 1, wait ? -1 : 0)
      if ready < 0, errno == EINTR { continue }
      return ready > 0
    }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let step = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { return false }
      rest = rest.dropFirst(step)
    }
    return true
  }
}

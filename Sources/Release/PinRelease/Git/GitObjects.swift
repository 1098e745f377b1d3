import Diagnostics
import PinFormat
import Synchronization

/// Objects of a repository, read one after the other by one `git cat-file --batch`.
final class GitObjects: Sendable {
  /// Why an object can't be had: a clause about it.
  struct Failure: Error {
    var reason: String
  }

  fileprivate struct Connection: ~Copyable {
    var input: Pipe
    var output: Pipe
    var child: ChildProcess
    /// What was read and not yet taken.
    var buffer: [UInt8] = []
    /// True once an answer was cut short: what comes next can't be told from it, and the next question needs another one.
    var isBroken = false

    /// git ends when its input is closed.
    mutating func end() {
      input.closeWriting()
      output.closeReading()
      _ = child.wait()
    }
  }

  private let git: GitProgram
  private let connection: Mutex<Connection>

  init(_ git: GitProgram) throws(WorkFailure) {
    self.git = git
    connection = Mutex(try Self.connect(git))
  }

  private static func connect(_ git: GitProgram) throws(WorkFailure) -> Connection {
    var input = try Pipe()
    var output = try Pipe()
    let child = try git.start(
      ["cat-file", "--batch"], input: .file(input.reading), output: output.writing, talk: .nothing)
    input.closeReading()
    output.closeWriting()
    return Connection(input: input, output: output, child: child)
  }

  deinit { connection.withLock { $0.end() } }

  /// Reads an object.
  ///
  /// - Parameters:
  ///   - id: The object's name: hexadecimal digits.
  ///   - kind: What it must be: `blob`, `commit`.
  ///   - limit: The most bytes that are taken.
  /// - Returns: Its bytes.
  /// - Throws: ``Failure`` where it isn't there, is something else, or longer.
  func read(_ id: String, _ kind: String, limit: Int) throws(Failure) -> [UInt8] {
    try connection.withLock { connection throws(Failure) in
      if connection.isBroken {
        connection.end()
        do throws(WorkFailure) { connection = try Self.connect(git) } catch { throw Failure(reason: error.message) }
      }
      do throws(Failure) {
        return try connection.read(id, kind, limit: limit)
      } catch {
        connection.isBroken = true
        throw error
      }
    }
  }
}

extension GitObjects.Connection {
  fileprivate mutating func read(_ id: String, _ kind: String, limit: Int) throws(GitObjects.Failure) -> [UInt8] {
    guard input.write(Array((id + "\n").utf8)) else { throw Self.ended }
    // "ID KIND SIZE", or "ID missing".
    let header = String(decoding: try line(), as: UTF8.self).split(separator: " ")
    guard header.count == 3, header[0] == id, let size = Int(header[2]) else {
      throw GitObjects.Failure(reason: "the repository doesn't hold it; a shallow or partial clone has to fetch it")
    }
    guard header[1] == kind else { throw GitObjects.Failure(reason: "it is a \(header[1]), not a \(kind)") }
    guard size <= limit else { throw GitObjects.Failure(reason: "it has more than \(limit) bytes") }
    try fill(to: size + 1)
    defer { buffer.removeFirst(size + 1) }
    return Array(buffer.prefix(size))
  }

  private mutating func line() throws(GitObjects.Failure) -> [UInt8] {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return Array(buffer[..<end])
      }
      guard buffer.count < 4_096 else { throw Self.ended }
      try fill(to: buffer.count + 1)
    }
  }

  private mutating func fill(to count: Int) throws(GitObjects.Failure) {
    while buffer.count < count {
      guard let chunk = Pipe.chunk(from: output.reading) else { throw Self.ended }
      buffer += chunk
    }
  }

  private static var ended: GitObjects.Failure { GitObjects.Failure(reason: "git ended before it was read") }
}

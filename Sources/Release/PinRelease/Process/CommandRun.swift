import Diagnostics
import Glibc

/// A command at work: it is given bytes, and what it answers is taken, at the same time and for a limited time.
///
/// It leads a process group of its own. However the run ends, nothing of that group is left.
struct CommandRun: ~Copyable {
  /// How a run ended.
  enum Outcome {
    /// The command ended by itself, or by a signal other than 0.
    case ended(status: Int32, signal: Int32, output: [UInt8])
    /// Its time was up.
    case late
    /// It wrote more than is taken.
    case wordy
    /// This program was asked to end meanwhile, by a signal.
    case interrupted(Int32)
    /// It wanted to read from a terminal that another job has.
    case withoutTerminal
  }

  private let child: ChildProcess
  private let terminal: ControllingTerminal?
  private let hasTerminal: Bool
  private var input: Pipe
  private var output: Pipe
  private var rest: ArraySlice<UInt8>
  private var answer: [UInt8] = []
  private let answerLimit: Int

  /// How long a command has to end after the signal.
  private static let grace = Duration.seconds(2)

  /// Starts a command by `/bin/sh` in the folder that this program is in, or a program in another folder.
  ///
  /// - Parameters:
  ///   - words: The command, as the shell reads it, and arguments that follow its own, which the shell doesn't read; or
  ///     the program and its arguments.
  ///   - folder: The folder for a program. It gets no terminal, and what it says to people is part of its output.
  ///   - bytes: What is on its standard input, which ends behind it.
  ///   - variables: What its environment has besides this program's.
  ///   - answerLimit: The most bytes that are taken of its standard output.
  /// - Returns: The running command; call `finish` on it.
  /// - Throws: ``WorkFailure`` where it can't be started.
  static func start(
    _ words: [String], in folder: String?, given bytes: [UInt8], _ variables: [String], answerLimit: Int
  ) throws(WorkFailure) -> CommandRun {
    let shell = ["/bin/sh", "-c"] + (words.count > 1 ? [words[0] + " \"$@\"", "sh"] + words.dropFirst() : words)
    var input = try Pipe()
    var output = try Pipe()
    // Recorded before the command gets the terminal, to restore it afterwards.
    let terminal = folder == nil ? ControllingTerminal() : nil
    let child: ChildProcess
    let command = folder == nil ? shell : words
    do throws(StartError) {
      child = try ChildProcess.start(
        ChildProcess.Launch(
          command: command, input: .file(input.reading), output: .file(output.writing),
          talk: folder == nil ? .inherited : .likeOutput, environment: variables, inheritsEnvironment: true,
          leadsGroup: true, folder: folder))
    } catch {
      throw WorkFailure(.failed, "can't start '\(command[0])': \(error.reason)")
    }
    input.closeReading()
    output.closeWriting()
    for end in [input.writing, output.reading] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    return CommandRun(child, terminal, input, output, bytes, answerLimit)
  }

  private init(
    _ child: ChildProcess, _ terminal: ControllingTerminal?, _ input: consuming Pipe, _ output: consuming Pipe,
    _ bytes: [UInt8], _ answerLimit: Int
  ) {
    self.child = child
    self.input = input
    self.output = output
    rest = bytes[...]
    self.answerLimit = answerLimit
    self.terminal = terminal
    hasTerminal = terminal?.isOurs ?? false
    if hasTerminal { terminal?.hand(to: child.id) }
  }

  /// Sees the command through.
  ///
  /// - Parameter limit: How long it may take; time in which the person has stopped it doesn't count.
  /// - Returns: How it ended.
  mutating func finish(within limit: Duration) -> Outcome {
    Interruption.listen(to: [SIGINT, SIGTERM, SIGHUP], endingWith: child.id)
    let outcome = attend(until: ContinuousClock.now + limit)
    if case .ended = outcome {
    } else {
      end()
    }
    // Processes that it left running would keep the terminal and the environment. The group still exists, because the
    // child isn't reaped yet.
    child.signalGroup(SIGKILL)
    if hasTerminal, terminal?.isOf(child.id) == true { terminal?.takeBack() }
    let (status, signal) = child.waitForEnd()
    let asked = Interruption.signal
    Interruption.stopListening()
    if let asked { return .interrupted(asked) }
    guard case .ended = outcome else { return outcome }
    // Only the foreground group of the terminal gets SIGINT from Control-C.
    if hasTerminal, signal == SIGINT || status == 128 + SIGINT { return .interrupted(SIGINT) }
    return .ended(status: status, signal: signal, output: answer)
  }

  private mutating func attend(until end: ContinuousClock.Instant) -> Outcome {
    var end = end
    while true {
      if let signal = Interruption.signal { return .interrupted(signal) }
      guard ContinuousClock.now < end else { return .late }
      switch child.state {
      case .running: break
      case .stopped(let signal):
        if hasTerminal {
          end += ContinuousClock().measure { resume(after: signal) }
        } else if [SIGTTIN, SIGTTOU].contains(signal) {
          return .withoutTerminal
        }
      // Stopped without our terminal: somebody may continue it before the time limit.
      case .ended:
        // Read what it wrote before it ended; other processes may still have the pipe open.
        while receive() {}
        return answer.count > answerLimit ? .wordy : .ended(status: 0, signal: 0, output: [])
      }
      exchange()
      if answer.count > answerLimit { return .wordy }
    }
  }

  /// Stops as the command was stopped, by Control-Z, and goes on with it.
  private func resume(after signal: Int32) {
    // It may have read from the terminal before the terminal was handed to it.
    let hasItByNow = [SIGTTIN, SIGTTOU].contains(signal) && terminal?.isOf(child.id) == true
    if !hasItByNow {
      let settings = terminal?.present
      if hasTerminal, terminal?.isOf(child.id) == true { terminal?.takeBack() }
      kill(0, SIGTSTP)
      if hasTerminal, let terminal, terminal.isOurs {
        // The command may be at a prompt with echo switched off.
        if let settings { terminal.restore(settings) }
        terminal.hand(to: child.id)
      }
    }
    child.signalGroup(SIGCONT)
  }

  /// Hands over and takes what can be, waiting a little.
  private mutating func exchange() {
    var ends = [
      pollfd(fd: input.writing, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: output.reading, events: Int16(POLLIN), revents: 0),
    ]
    // The end of the child isn't an event, but mostly comes with the end of its output.
    guard poll(&ends, nfds_t(ends.count), output.reading < 0 ? 5 : 50) > 0 else { return }
    if ends[0].revents != 0 { send() }
    if ends[1].revents != 0 { _ = receive() }
  }

  private mutating func send() {
    let sent = rest.withUnsafeBytes { write(input.writing, $0.baseAddress, $0.count) }
    if sent > 0 {
      rest = rest.dropFirst(sent)
    } else if errno == EINTR || errno == EAGAIN {
      return
    } else {
      // The command doesn't have to read the bytes, for example if it signs the digest in its environment.
      rest = []
    }
    if rest.isEmpty { input.closeWriting() }
  }

  /// Takes a piece of its output; false where there is none now, or no more will come.
  private mutating func receive() -> Bool {
    guard output.reading >= 0, answer.count <= answerLimit else { return false }
    var chunk = [UInt8](repeating: 0, count: 4_096)
    let count = read(output.reading, &chunk, chunk.count)
    if count < 0, errno == EINTR { return true }
    if count < 0, errno == EAGAIN { return false }
    guard count > 0 else {
      output.closeReading()
      return false
    }
    answer += chunk.prefix(count)
    return true
  }

  /// Tells the command to end, and sees to it.
  private mutating func end() {
    child.signalGroup(SIGTERM)
    child.signalGroup(SIGCONT)
    let end = ContinuousClock.now + Self.grace
    while ContinuousClock.now < end {
      if case .ended = child.state { return }
      usleep(5_000)
    }
    child.signalGroup(SIGKILL)
  }
}

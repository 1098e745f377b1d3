#if Service
import Logging
import Metrics
import PinFormat
import PinService
import PinValidator
import ServiceLifecycle
import Synchronization

/// Brings what the service's store trusts into the folder, and tells how that went: in files, and to the service manager.
final class Agent: Service {
  private let pintle: PintleService
  private let folder: MirrorFolder
  private let metricsFile: (folder: SafeFolder, name: String)?
  private let metrics: TextMetrics
  private let notify: NotifySocket?
  private let logger: Logger
  private let folderSerial: Gauge
  private let folderProblem: Gauge
  private let state: Mutex<State>

  private struct State: Sendable {
    /// The last round of an earlier process, which ended without losing the folder.
    var roundBefore: String?
    var mirrored: (manifest: LoadedManifest, described: AgentStatus.Mirrored)?
    var isReady = false
    /// The problems that were logged, so that each is logged once.
    var told: Set<String> = []
  }

  /// The longest time between two turns.
  static let interval = Duration.seconds(15)

  /// Prepares an agent.
  ///
  /// - Parameters:
  ///   - pintle: What fetches and watches.
  ///   - folder: What clients read.
  ///   - metrics: The metrics of the service.
  ///   - metricsFile: Where they are written; nowhere if nil.
  ///   - logger: Where problems go.
  /// - Throws: ``AgentError`` if the folder of the metrics or the service manager's socket can't be used.
  init(
    _ pintle: PintleService, _ folder: MirrorFolder, _ metrics: TextMetrics, metricsFile: String?, logger: Logger
  ) throws(AgentError) {
    self.pintle = pintle
    self.folder = folder
    self.metrics = metrics
    self.logger = logger
    do throws(FileError) {
      self.metricsFile = try metricsFile.map { path throws(FileError) in try WholeFile.place(of: path) }
    } catch {
      throw AgentError(error.message)
    }
    notify = try NotifySocket.find()
    folderSerial = Gauge(label: "pintle_agent_folder_serial", factory: metrics)
    folderProblem = Gauge(label: "pintle_agent_folder_problem", factory: metrics)
    // Only shown, so that a restart doesn't look like an outage.
    state = Mutex(State(roundBefore: (try? AgentStatus.read(in: folder.folder.path))?.lastRound))
  }

  /// Takes a turn whenever a manifest takes effect, and regularly, until the group shuts down.
  func run() async throws {
    let (turns, due) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observer = pintle.store.addActivationObserver { _ in due.yield() }
    let pause = min(Self.interval, notify?.watchdogInterval ?? Self.interval)
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          repeat { due.yield() } while (try? await Task.sleep(for: pause)) != nil
        }
        group.addTask {
          for await _ in turns { await blocking { self.turn() } }
        }
        await group.waitForAll()
      }
    }
    pintle.store.removeActivationObserver(observer)
    tell(["STOPPING=1"])
  }

  private func turn() {
    var problem: String?
    do throws(AgentError) {
      let manifest = try folder.update(from: pintle.store)
      state.withLock { state in
        guard let manifest, state.mirrored?.manifest !== manifest else { return }
        state.mirrored = (manifest, AgentStatus.Mirrored(manifest))
      }
    } catch {
      problem = error.message
    }
    let (mirrored, before) = state.withLock { ($0.mirrored?.described, $0.roundBefore) }
    let interval = pintle.settings.fetch.map { Int($0.interval.components.seconds) }
    let status = AgentStatus(
      of: pintle.status, mirrored: mirrored, problem: problem, interval: interval, before: before,
      at: pintle.store.settings.clock())
    folderSerial.record(mirrored?.serial ?? 0)
    folderProblem.record(problem == nil ? 0 : 1)
    let unwritten = write(status)
    log([problem].compactMap { $0 } + unwritten)
    tellManager(status)
  }

  /// Writes the status and the metrics, and returns what is wrong with that.
  private func write(_ status: AgentStatus) -> [String] {
    var problems: [String] = []
    do throws(AgentError) {
      try MirrorFolder.write(status.encoded(), to: AgentStatus.name, in: folder.folder)
    } catch { problems.append(error.message) }
    if let (folder, name) = metricsFile {
      do throws(AgentError) {
        try MirrorFolder.write(Array(metrics.text.utf8), to: name, in: folder)
      } catch { problems.append(error.message) }
    }
    return problems
  }

  private func log(_ problems: [String]) {
    let new = state.withLock { state in
      defer { state.told = Set(problems) }
      return problems.filter { !state.told.contains($0) }
    }
    for problem in new { logger.error("folder not up to date", metadata: ["reason": "\(problem)"]) }
  }

  /// The watchdog learns that this loop runs, no matter what mirrors do: a restart wouldn't bring them back.
  private func tellManager(_ status: AgentStatus) {
    guard notify != nil else { return }
    let isFirst = state.withLock { state in
      guard !state.isReady, status.manifest != nil else { return false }
      state.isReady = true
      return true
    }
    let serial = status.manifest.map { "serial \($0.serial)" } ?? "no manifest yet"
    let text = ([serial] + status.problems).joined(separator: "; ")
    tell((isFirst ? ["READY=1"] : []) + ["STATUS=\(text.prefix(500))", "WATCHDOG=1"])
  }

  private func tell(_ lines: [String]) {
    do throws(AgentError) { try notify?.send(lines) } catch {
      logger.warning("service manager not told", metadata: ["reason": "\(error.message)"])
    }
  }
}
#endif

#if Service
import PinFormat
import PinValidator

/// Walks from the keyset in force to the newest that the mirrors have, one version at a time.
///
/// Every mirror is asked in each walk, since one that has no more looks like one that hides what there is. A mirror is left
/// where it has no further version, or if it gives anything else than the next keyset: nothing is lost by
/// that, and the next mirror goes on from what was taken so far.
actor KeysetWalker {
  private let settings: FetchSettings
  private let store: PinStore
  private let requests: FileRequests
  private var mirrors: [Mirror]
  /// The most versions that are taken in one go (docs/keyset-format.md).
  static let maximumVersions = 256

  private struct Mirror {
    let template: KeysetTemplate
    var patience = Patience()
  }

  init(_ templates: [KeysetTemplate], _ settings: FetchSettings, _ requests: FileRequests, into store: PinStore) {
    mirrors = templates.map { Mirror(template: $0) }
    self.settings = settings
    self.requests = requests
    self.store = store
  }

  /// Asks the mirrors in their order; never fails as a whole.
  ///
  /// - Returns: The result.
  func walk() async -> KeysetFetch {
    var attempts: [KeysetFetch.Attempt] = []
    var taken = 0
    for index in mirrors.indices {
      var left = settings.deadline
      while taken < Self.maximumVersions, let version = nextVersion {
        let attempt = await ask(index, for: version, within: &left)
        attempts.append(attempt)
        if Task.isCancelled { return KeysetFetch(attempts: attempts) }
        switch attempt.result {
        case .activated, .taken:
          taken += 1
          continue
        case .rejected(let error) where error.code == .notStored:
          // A full or broken disk isn't the mirror's fault, and no other mirror helps.
          return KeysetFetch(attempts: attempts)
        case .none, .repeated, .rejected, .failed: break
        }
        break
      }
    }
    return KeysetFetch(attempts: attempts)
  }

  private var nextVersion: Int64? { store.keyset.map { $0.version + 1 } }

  /// Asks a mirror for a version.
  ///
  /// - Parameters:
  ///   - index: Which mirror.
  ///   - version: The version.
  ///   - left: What is left of the mirror's deadline.
  /// - Returns: The result.
  private func ask(_ index: Int, for version: Int64, within left: inout Duration) async -> KeysetFetch.Attempt {
    let address: WebAddress
    do throws(AddressError) {
      address = try mirrors[index].template.address(of: version)
    } catch {
      let failure = FetchFailure(.connection, "the URL " + error.message)
      return .init(url: mirrors[index].template.shown, version: version, result: .failed(failure))
    }
    func attempt(_ result: KeysetFetch.Result) -> KeysetFetch.Attempt {
      KeysetFetch.Attempt(url: address.shown, version: version, result: result)
    }
    if let refusal = mirrors[index].patience.refusal(at: store.now) { return attempt(.failed(refusal)) }
    let response: BoundedHTTP.Response
    do throws(FetchFailure) {
      response = try await request(address, within: &left)
    } catch {
      return attempt(.failed(error))
    }
    switch response.status {
    case 200: return attempt(await take(response.body, as: version))
    case 404, 410: return attempt(.none)
    case 304:
      return attempt(.failed(FetchFailure(.unexpectedNotModified, "304 Not Modified, where all was asked for")))
    default:
      let most = settings.longestPatience(inForce: store.validator != nil)
      mirrors[index].patience.heed(response, at: store.now, most: most)
      return attempt(.failed(FetchFailure(.status, "status \(response.status)")))
    }
  }

  /// Asks within what is left of the deadline, and takes from that what it took.
  private func request(
    _ address: WebAddress, within left: inout Duration
  ) async throws(FetchFailure) -> BoundedHTTP.Response {
    guard left > .zero else {
      throw FetchFailure(.timeout, "the keysets did not all come within \(settings.deadline)")
    }
    let (requests, deadline) = (requests, left)
    var answer: Result<BoundedHTTP.Response, FetchFailure> = .failure(FetchFailure(.connection, "nothing was asked"))
    left -= await requests.http.clock.measure {
      do throws(FetchFailure) {
        let response = try await requests.http.within(deadline) { () async throws(FetchFailure) in
          try await requests.get(address, limit: TrustedKeyset.maximumBytes)
        }
        answer = .success(response)
      } catch {
        answer = .failure(error)
      }
    }
    return try answer.get()
  }

  private func take(_ bytes: [UInt8], as version: Int64) async -> KeysetFetch.Result {
    let store = store
    let taken = await updating { () throws(UpdateError) in try store.update(keyset: bytes) }
    // Another thread or process may have updated first; then these bytes are the current version or an older one.
    let isReached = (store.keyset?.version ?? 0) >= version
    switch taken {
    case .success(.activated): return .activated
    case .success(.unchanged): return isReached ? .taken : .repeated
    case .failure(let error) where error.keysetError?.code == .olderVersion && isReached: return .taken
    case .failure(let error): return .rejected(error)
    }
  }
}
#endif

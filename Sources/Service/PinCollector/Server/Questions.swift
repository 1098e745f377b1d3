#if Collector
import HTTPTypes
import Hummingbird
import PinFormat

/// Answers questions as JSON.
struct Questions: Sendable {
  let store: CollectorStore
  let refusals: Refusals
  let now: @Sendable () -> Instant

  func add(to router: RouterGroup<CollectorContext>) {
    router.get("v1/hosts") { request, _ in
      try await answer { try await store.hosts(since: since(request), page(request)) }
    }
    router.get("v1/failures") { request, _ in
      let query = request.uri.queryParameters
      let port = try number(query["port"], "port", 1...65_535)
      let host = try text(query["host"], "host")
      return try await answer { try await store.failures(host: host, port: port, since: since(request), page(request)) }
    }
    router.get("v1/failures/:id") { _, context in
      guard let id = context.parameters.get("id", as: Int64.self) else { throw Problem.notFound }
      return try await answer {
        guard let failure = try await store.failure(id) else { throw Problem.notFound }
        return Answers.Failures(failures: [failure], next: nil)
      }
    }
    router.get("v1/entries") { request, _ in
      let entry = try text(request.uri.queryParameters["entry"], "entry")
      return try await answer { try await store.entries(entry: entry, since: since(request) / 86_400, page(request)) }
    }
    router.get("v1/manifests") { request, _ in
      try await answer { try await store.manifests(since: since(request) / 86_400) }
    }
    router.get("v1/adoption") { request, _ in
      let audience = try text(request.uri.queryParameters["audience"], "audience")
      let page = try page(request, most: PageRequest.mostAdoption, else: PageRequest.mostAdoption)
      return try await answer {
        try await store.adoption(audience: audience, since: since(request) / 86_400, at: now(), page)
      }
    }
    router.get("v1/status") { _, _ in
      try await answer { try await store.status(refused: refusals.all) }
    }
  }

  /// The second from which on is asked for: so many `days` before now, 30 unless told otherwise.
  private func since(_ request: Request) throws -> Int64 {
    let days = try number(request.uri.queryParameters["days"], "days", 1...3_650) ?? 30
    return now().adding(seconds: -days * 86_400).secondsSinceEpoch
  }

  private func page(
    _ request: Request, most: Int = PageRequest.most, else usual: Int = 100
  ) throws -> PageRequest {
    let query = request.uri.queryParameters
    let limit = try number(query["limit"], "limit", 1...Int64(most)) ?? Int64(usual)
    let after = try text(query["after"], "after")
    return PageRequest(after: after.isEmpty ? nil : after, limit: Int(limit), most: most)
  }

  /// A text that databases take; empty where there is none.
  ///
  /// One ends a text at a NUL, the other refuses it.
  private func text(_ text: Substring?, _ name: String) throws -> String {
    guard let text else { return "" }
    guard !text.utf8.contains(0) else {
      throw Problem(status: .badRequest, code: "bad-parameter", message: "\(name) has a character that no name has")
    }
    return String(text)
  }

  private func number(_ text: Substring?, _ name: String, _ range: ClosedRange<Int64>) throws -> Int64? {
    guard let text else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw Problem(
        status: .badRequest, code: "bad-parameter",
        message: "\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private func answer(_ ask: () async throws -> some Encodable) async throws -> Response {
    do {
      return JSONAnswer.response(try await ask())
    } catch let error as StorageError {
      throw Problem.storage(error)
    }
  }
}

extension Problem {
  /// The database doesn't answer, or is full; more is in the log, not here.
  static func storage(_ error: StorageError) -> Problem {
    Problem(
      status: .serviceUnavailable, code: "database-\(error.code.rawValue)",
      message: error.code == .full ? "disk full, or the database has its largest size" : "the database doesn't answer",
      retryAfter: 10)
  }
}
#endif

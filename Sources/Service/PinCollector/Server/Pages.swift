#if Collector
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PinFormat

/// Answers questions as pages for people.
struct Pages: Sendable {
  let store: CollectorStore
  let refusals: Refusals
  let now: @Sendable () -> Instant

  func add(to router: RouterGroup<CollectorContext>) {
    router.get("/") { request, _ in
      let days = days(request)
      let since = since(days)
      let order = request.uri.queryParameters["sort"].flatMap { HostOrder(rawValue: String($0)) } ?? .last
      return try await page { () throws(StorageError) in
        OverviewPage(
          hosts: try await store.hosts(since: since, by: order, limit: OverviewPage.mostHosts), order: order,
          entries: try await store.urgentEntries(since: since / 86_400, limit: PageRequest.most),
          manifests: try await store.manifests(since: since / 86_400),
          adoption: try await store.adoption(
            audience: "", since: self.since(min(days, AdoptionTables.mostDays)) / 86_400, at: now(),
            PageRequest(limit: PageRequest.mostAdoption, most: PageRequest.mostAdoption)),
          status: try await store.status(refused: refusals.all), days: days, now: now()
        ).html()
      }
    }
    router.get("hosts/:host/:port") { request, context in
      let host = context.parameters.get("host")?.removingPercentEncoding ?? ""
      guard let port = context.parameters.get("port", as: Int64.self), !host.isEmpty, !host.utf8.contains(0) else {
        throw Problem.notFound
      }
      let days = days(request)
      return try await page { () throws(StorageError) in
        let failures = try await store.failures(host: host, port: port, since: since(days), PageRequest())
        return failures.failures.isEmpty
          ? nil : HostPage(host: host, port: port, failures: failures, days: days, now: now()).html()
      }
    }
    router.get("entries") { request, _ in
      guard let entry = request.uri.queryParameters["entry"].map(String.init), !entry.isEmpty,
        !entry.utf8.contains(0)
      else {
        throw Problem.notFound
      }
      let days = days(request)
      return try await page { () throws(StorageError) in
        let entries = try await store.entries(entry: entry, since: since(days) / 86_400, PageRequest())
        return EntryPage(name: entry, entries: entries, days: days, now: now()).html()
      }
    }
  }

  private func days(_ request: Request) -> Int64 {
    let days = request.uri.queryParameters["days"].flatMap { Int64($0) } ?? 30
    return min(max(1, days), 3_650)
  }

  private func since(_ days: Int64) -> Int64 { now().adding(seconds: -days * 86_400).secondsSinceEpoch }

  private func page(_ html: () async throws(StorageError) -> String?) async throws -> Response {
    let text: String?
    do throws(StorageError) { text = try await html() } catch { throw Problem.storage(error) }
    guard let text else { throw Problem.notFound }
    return Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
#endif

#if Service
import AsyncHTTPClient
import NIOHTTP1
import PinFormat
import PinValidator

/// Asks for files, manifests and keysets alike; redirects are followed on the same host, port and scheme only.
struct FileRequests: Sendable {
  let http: BoundedHTTP
  let userAgent: String
  private static let maximumRedirects = 3

  /// Asks for a file, without a deadline of its own.
  ///
  /// - Parameters:
  ///   - start: Its URL.
  ///   - known: What the server called the bytes that are at hand; nil where all is asked for.
  ///   - limit: The most bytes that are taken.
  ///   - file: Where they are written; in memory unless given.
  /// - Returns: The response that isn't a redirect.
  /// - Throws: ``FetchFailure``.
  func get(
    _ start: WebAddress, unless known: FetchSource.Validators? = nil, limit: Int, into file: UnnamedFile? = nil
  ) async throws(FetchFailure) -> BoundedHTTP.Response {
    var address = start
    for _ in 0...Self.maximumRedirects {
      var request = HTTPClientRequest(url: address.text)
      request.headers.add(name: "user-agent", value: userAgent)
      request.headers.add(name: "accept", value: "application/json, */*;q=0.1")
      request.headers.add(name: "accept-encoding", value: "identity")
      if let tag = known?.entityTag { request.headers.add(name: "if-none-match", value: tag) }
      if let date = known?.lastModified { request.headers.add(name: "if-modified-since", value: date) }
      let response = try await http.exchange(request, limit: limit, into: file)
      guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
      guard let location = response.headers.first(name: "location") else {
        throw FetchFailure(.redirect, "a redirect of status \(response.status) leads nowhere")
      }
      guard let next = address.redirected(to: location) else {
        throw FetchFailure(.redirect, "a redirect leads to another host, port or scheme, which is not followed")
      }
      address = next
    }
    throw FetchFailure(.redirect, "there are more than \(Self.maximumRedirects) redirects")
  }
}
#endif

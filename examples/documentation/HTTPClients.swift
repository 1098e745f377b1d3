#if AsyncHTTPClient && HTTPClient
import AsyncHTTPClient
import NIOCore
import NIOSSL
import PinAsyncHTTPClient
import PinHTTPClient
import PinNIOSSL
import PinValidator

func smallClient(store: PinStore) async throws {
  let client = try PinHTTPClient(try PinnedTLS(store: store))
  let response = try await client.execute(PinHTTPRequest(host: "api.example.com", target: "/v1/status"))
  print(response.status, response.body.readableBytes)
}

func asyncHTTPClient(store: PinStore) async throws -> HTTPClientResponse {
  let client = try PinnedAsyncHTTPClient(
    store: store, options: .init(endpoints: [.init(host: "api.example.com")]))
  let response = try await client.execute(HTTPClientRequest(url: "https://api.example.com/"), timeout: .seconds(30))
  return response
}

func asyncHTTPClientWithIntermediates(store: PinStore) throws -> PinnedAsyncHTTPClient {
  let issuing = try NIOSSLCertificate.fromPEMFile("issuing.pem")
  let client = try PinnedAsyncHTTPClient(
    store: store, options: .init(endpoints: [.init(host: "api.example.com")], intermediates: issuing))
  return client
}
#endif

#if GRPC
import GRPCCore

/// A service without generated code: one method that answers with what it is asked, bytes as they are.
struct EchoService: RegistrableRPCService {
  /// Called for each call that is handled.
  var onCall: @Sendable () -> Void = {}

  static let method = MethodDescriptor(fullyQualifiedService: "pintle.tests.Echo", method: "Say")

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    router.registerHandler(
      forMethod: Self.method, deserializer: TextCoder(), serializer: TextCoder(),
      handler: { [onCall] request, _ in
        onCall()
        let messages = try await request.messages.reduce(into: "") { $0 += $1 }
        return StreamingServerResponse { writer in
          try await writer.write(messages)
          return [:]
        }
      })
  }

  /// Calls the method.
  static func say<Transport: ClientTransport>(_ text: String, on client: GRPCClient<Transport>) async throws -> String {
    try await client.unary(
      request: ClientRequest(message: text), descriptor: method, serializer: TextCoder(), deserializer: TextCoder(),
      options: .defaults, onResponse: { try $0.message })
  }
}

struct TextCoder: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes { Bytes(message.utf8) }

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> String {
    bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}
#endif

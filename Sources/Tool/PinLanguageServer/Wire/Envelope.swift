import FoundationEssentials

/// What a request is known by: a number or a text of the client's choice (JSON-RPC 2.0 section 4).
enum RequestID: Codable, Hashable {
  case number(Int)
  case text(String)

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Int.self) {
      self = .number(number)
    } else {
      self = .text(try value.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    }
  }
}

/// The outer part of a message that came in; what it carries is read by anybody who handles its method.
struct Envelope: Decodable {
  var id: RequestID?
  /// Nil in answers to what the server asked.
  var method: String?
}

/// What a method is given.
struct Carried<Parameters: Decodable>: Decodable {
  var params: Parameters
}

/// An answer, with null where there is nothing to say.
struct JSONResponse<Result: Encodable>: Encodable {
  var id: RequestID
  var result: Result?

  enum CodingKeys: CodingKey { case jsonrpc, id, result }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: CodingKeys.self)
    try object.encode("2.0", forKey: .jsonrpc)
    try object.encode(id, forKey: .id)
    // `result` must be present even if it is null (JSON-RPC 2.0 section 5).
    try object.encode(result, forKey: .result)
  }
}

/// A refusal.
struct Refusal: Encodable {
  /// Nil where not even the request's id could be read.
  var id: RequestID?
  var error: ResponseError

  enum CodingKeys: CodingKey { case jsonrpc, id, error }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: CodingKeys.self)
    try object.encode("2.0", forKey: .jsonrpc)
    try object.encode(id, forKey: .id)
    try object.encode(error, forKey: .error)
  }
}

/// Why a request isn't answered.
struct ResponseError: Error, Encodable, Hashable {
  /// The numbers of JSON-RPC 2.0 section 5.1 and of the Language Server Protocol.
  enum Code: Int, Encodable {
    case parseError = -32_700
    case invalidRequest = -32_600
    case methodNotFound = -32_601
    case invalidParameters = -32_602
    case internalError = -32_603
    case notInitialized = -32_002
    case cancelled = -32_800
    case requestFailed = -32_803
  }

  var code: Code
  var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// Something that the server says without being asked, or asks where it has an id.
struct Outgoing<Parameters: Encodable>: Encodable {
  var jsonrpc = "2.0"
  var id: RequestID?
  var method: String
  var params: Parameters

  init(id: RequestID? = nil, _ method: String, _ params: Parameters) {
    self.id = id
    self.method = method
    self.params = params
  }
}

/// JSON as messages carry it.
enum JSON {
  static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    // Encoding fails only for numbers that JSON can't represent, and no message has one.
    return (try? encoder.encode(value)).map(Array.init) ?? Array("null".utf8)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}

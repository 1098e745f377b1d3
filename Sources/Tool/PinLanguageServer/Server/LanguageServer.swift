import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

/// The language server: messages in, messages out, one after the other.
///
/// It never writes a file and never asks the network. Messages that have come in are handled before anything is checked,
/// so that of several changes only the last is.
package final class LanguageServer {
  let settings: ServerSettings
  var capabilities = ClientCapabilities()
  var options = InitializationOptions()
  var encoding = PositionEncoding.utf16
  /// The workspace's folders, as paths without `/` at their ends.
  var folders: [String] = []
  /// By path.
  var documents: [String: OpenDocument] = [:]
  /// By the path of their directory.
  var projects: [String: Project] = [:]

  /// What was seen of each text last, by path.
  var outlines: [String: (bytes: [UInt8], outline: Outline)] = [:]
  /// What the record of live servers says, by policy directory.
  var evidence: [String: JudgedEvidence] = [:]

  /// False after a program of the user's failed, until a file is saved.
  var asksOwnRules = true

  enum Stage {
    case new
    case initialized
    case shutDown
  }
  var stage = Stage.new

  /// What waits to be sent, framed.
  private var outbox: [UInt8] = []
  private var inbox: [Message] = []
  private var next = 0
  private var requests = 0

  /// The exit status, once the session is over.
  package internal(set) var status: Int32?

  private struct Message {
    var envelope: Envelope
    var bytes: [UInt8]
  }

  package init(_ settings: ServerSettings) {
    self.settings = settings
  }

  // MARK: The stream

  /// Takes a message's content, to be handled by ``step()``.
  func receive(_ content: [UInt8]) {
    let envelope: Envelope
    do {
      envelope = try JSON.decode(Envelope.self, from: content)
    } catch is DecodingError {
      // Either invalid JSON, or JSON that isn't a message.
      let isJSON = (try? JSON.decode(AnyJSON.self, from: content)) != nil
      return refuse(
        nil,
        isJSON
          ? ResponseError(.invalidRequest, "this is not a JSON-RPC 2.0 message")
          : ResponseError(.parseError, "this is not JSON"))
    } catch {
      return refuse(nil, ResponseError(.parseError, "this is not JSON"))
    }
    guard let method = envelope.method else {
      // An answer to a request of the server; nothing depends on it.
      if envelope.id == nil { refuse(nil, ResponseError(.invalidRequest, "a message without 'method' and 'id'")) }
      return
    }
    if method == "$/cancelRequest" {
      if let id = try? JSON.decode(Carried<CancelParameters>.self, from: content).params.id { cancel(id) }
      return
    }
    inbox.append(Message(envelope: envelope, bytes: content))
  }

  /// Does one thing: handles a message or, where none waits, checks one policy.
  ///
  /// False where there is nothing to do.
  func step() -> Bool {
    guard status == nil else { return false }
    if next < inbox.count {
      let message = inbox[next]
      next += 1
      if next == inbox.count {
        inbox = []
        next = 0
      }
      dispatch(message.envelope, message.bytes)
      return true
    }
    guard let root = projects.values.filter(\.needsCheck).map(\.root).min() else { return false }
    check(root)
    return true
  }

  /// What to send now.
  func takeOutput() -> [UInt8] {
    defer { outbox = [] }
    return outbox
  }

  /// Answers a request that waits, and removes it.
  private func cancel(_ id: RequestID) {
    guard let index = inbox[next...].firstIndex(where: { $0.envelope.id == id }) else { return }
    inbox.remove(at: index)
    refuse(id, ResponseError(.cancelled, "the client cancelled the request"))
  }

  // MARK: Sending

  func send(_ message: some Encodable) { outbox += Frame.of(JSON.encode(message)) }

  func answer(_ id: RequestID, _ result: (some Encodable)?) { send(JSONResponse(id: id, result: result)) }

  func refuse(_ id: RequestID?, _ error: ResponseError) { send(Refusal(id: id, error: error)) }

  func notify(_ method: String, _ parameters: some Encodable) { send(Outgoing(method, parameters)) }

  /// Asks the client for something that nothing depends on.
  func ask(_ method: String, _ parameters: some Encodable) {
    requests += 1
    send(Outgoing(id: .text("pintle-\(requests)"), method, parameters))
  }
}

/// Any JSON at all.
private struct AnyJSON: Decodable {
  init(from decoder: any Decoder) throws {}
}

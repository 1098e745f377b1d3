import PinFormat
import PinProbe

/// What a server says, turn by turn, and the dialogue that is held with it.
struct DialogueScript: Sendable {
  var startTLS: StartTLS?
  var proxy: Proxy?
  var turns: [[UInt8]]

  init(_ startTLS: StartTLS?, through proxy: Proxy? = nil, _ turns: [[UInt8]]) {
    self.startTLS = startTLS
    self.proxy = proxy
    self.turns = turns
  }

  init(_ startTLS: StartTLS?, through proxy: Proxy? = nil, _ turns: String...) {
    self.init(startTLS, through: proxy, turns.map { Array($0.utf8) })
  }

  /// What was sent, and what the dialogue wanted in the end.
  struct Outcome: Hashable {
    var sent: [[UInt8]] = []
    var end = DialogueStep.done

    var sentText: [String] { sent.map { String(decoding: $0, as: UTF8.self) } }

    var failure: TLSClientError? {
      if case .failed(let error) = end { error } else { nil }
    }
  }

  /// Holds the dialogue, each turn in pieces of so many bytes, the first piece of another size.
  func held(first: Int = .max, then size: Int = .max) -> Outcome {
    var outcome = Outcome()
    guard
      var dialogue = Dialogue(
        destination: Endpoint(host: "mail.example.com", port: 25), through: proxy, startTLS: startTLS)
    else { return outcome }
    func note(_ step: DialogueStep) -> Bool {
      outcome.end = step
      switch step {
      case .send(let bytes): outcome.sent.append(bytes)
      case .needMore: break
      case .done, .failed: return false
      }
      return true
    }
    guard note(dialogue.begin()) else { return outcome }
    for turn in turns {
      var rest = turn[...]
      var length = first
      while !rest.isEmpty {
        let piece = rest.prefix(length)
        rest = rest.dropFirst(length)
        length = size
        guard note(dialogue.receive(Array(piece))) else { return outcome }
      }
    }
    return outcome
  }

  /// Every way to cut its turns into two, and byte by byte.
  var heldInPieces: [Outcome] {
    let longest = turns.map(\.count).max() ?? 0
    return (1...max(1, longest)).map { held(first: $0) } + [held(first: 1, then: 1)]
  }
}

import PinFormat

/// What one protocol adds to a ``Dialogue``: ends when the other side agreed.
protocol DialoguePart: Sendable {
  /// What it is called when the other side doesn't agree.
  var refusal: ConnectionFailure { get }

  /// What is waited for at this moment, with its article.
  var awaited: String { get }

  /// The first message; nil if the server speaks first.
  func opening() throws(TLSClientError) -> [UInt8]?

  /// Goes on with what has been received since.
  mutating func advance(_ inbox: inout Inbox) throws(TLSClientError) -> DialoguePartStep
}

extension DialoguePart {
  var refusal: ConnectionFailure { .startTLSRefused }
}

/// What a part of a dialogue wants next.
enum DialoguePartStep {
  case send([UInt8])
  case needMore
  case done
}

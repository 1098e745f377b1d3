/// What a dialogue wants next.
package enum DialogueStep: Hashable, Sendable {
  /// Send these bytes, then read on.
  case send([UInt8])
  /// Read on.
  case needMore
  /// TLS may begin; nothing that was received is left over.
  case done
  /// It won't come to TLS.
  case failed(TLSClientError)
}

/// Everything that is sent in clear text before TLS begins: first to a proxy, then in the server's protocol.
///
/// A value without a socket: it is given what was received, in pieces of any size, and answers what to do. What the other
/// side sends is capped (``Inbox``), and a byte behind the end is a failure.
package struct Dialogue: Sendable {
  private var parts: [any DialoguePart]
  private var inbox = Inbox()

  /// Makes the dialogue that a request needs; nil where TLS comes first.
  ///
  /// - Parameters:
  ///   - request: The proxy is asked for its address, or for the name where it has none.
  ///   - proxy: The proxy that the connection goes to, where it goes to one.
  package init?(for request: HandshakeRequest, through proxy: Proxy?) {
    let host = request.address?.description ?? request.target.host
    self.init(destination: Endpoint(host: host, port: request.port), through: proxy, startTLS: request.startTLS)
  }

  /// Makes the dialogue for a server; nil where TLS comes first.
  package init?(destination: Endpoint, through proxy: Proxy?, startTLS: StartTLS?) {
    var parts: [any DialoguePart] = []
    if let proxy { parts.append(ConnectDialogue(destination: destination, proxy: proxy)) }
    switch startTLS {
    case .imap: parts.append(IMAPDialogue())
    case .ldap: parts.append(LDAPDialogue())
    case .pop3: parts.append(POP3Dialogue())
    case .postgres: parts.append(PostgresDialogue())
    case .smtp: parts.append(SMTPDialogue())
    case nil: break
    }
    guard !parts.isEmpty else { return nil }
    self.parts = parts
  }

  /// What is waited for, as in "the SMTP server's greeting": for saying what didn't come before the end or the deadline.
  package var awaited: String { parts.first?.awaited ?? "the handshake" }

  /// The failure that it is when the other side closes the connection before ``DialogueStep/done``.
  package var closed: TLSClientError {
    TLSClientError(.closed, "the connection was closed before \(awaited) came")
  }

  /// The failure that it is when the time is up before ``DialogueStep/done``.
  package var timedOut: TLSClientError {
    TLSClientError(.timedOut, "\(awaited) did not come in time")
  }

  /// Begins, once the connection is established.
  package mutating func begin() -> DialogueStep {
    guard let part = parts.first else { return .done }
    inbox.refusal = part.refusal
    return stepping { dialogue throws(TLSClientError) in try dialogue.open() }
  }

  /// Takes what was received, in pieces of any size.
  package mutating func receive(_ bytes: [UInt8]) -> DialogueStep {
    stepping { dialogue throws(TLSClientError) in
      try dialogue.inbox.append(bytes)
      return try dialogue.advance()
    }
  }

  private mutating func stepping(
    _ body: (inout Dialogue) throws(TLSClientError) -> DialogueStep
  ) -> DialogueStep {
    do throws(TLSClientError) {
      return try body(&self)
    } catch {
      return .failed(error)
    }
  }

  /// Begins with the part that is first now.
  private mutating func open() throws(TLSClientError) -> DialogueStep {
    guard let opening = try parts[0].opening() else { return try advance() }
    // If the client speaks first, the server must not have sent anything yet.
    try inbox.requireNothingBehind()
    return .send(opening)
  }

  private mutating func advance() throws(TLSClientError) -> DialogueStep {
    guard !parts.isEmpty else { return .done }
    switch try parts[0].advance(&inbox) {
    case .needMore: return .needMore
    case .send(let bytes): return .send(bytes)
    case .done: break
    }
    parts.removeFirst()
    guard let next = parts.first else {
      try inbox.requireNothingBehind()
      return .done
    }
    inbox.refusal = next.refusal
    return try open()
  }
}

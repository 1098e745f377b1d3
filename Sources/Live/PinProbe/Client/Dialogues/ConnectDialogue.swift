import PinFormat

/// CONNECT of an HTTP/1.1 proxy (RFC 9110 section 9.3.6), with Basic credentials (RFC 7617) where it has some.
struct ConnectDialogue: DialoguePart {
  let destination: Endpoint
  let proxy: Proxy
  private var status: Int?
  private var reason: [UInt8] = []

  init(destination: Endpoint, proxy: Proxy) {
    self.destination = destination
    self.proxy = proxy
  }

  var refusal: ConnectionFailure { .proxyRefused }

  var awaited: String { "the answer of the proxy \(proxy.endpoint)" }

  func opening() throws(TLSClientError) -> [UInt8]? {
    // A host name must not contain anything that ends the line, wherever it comes from.
    guard !destination.host.isEmpty, destination.host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw TLSClientError(.local, "the name can't be sent to a proxy: \(ServerWords.quoted(destination.host.utf8))")
    }
    var request = "CONNECT \(destination) HTTP/1.1\r\nHost: \(destination)\r\n"
    if let authorization = proxy.authorization { request += "Proxy-Authorization: \(authorization)\r\n" }
    return Array((request + "\r\n").utf8)
  }

  mutating func advance(_ inbox: inout Inbox) throws(TLSClientError) -> DialoguePartStep {
    while let line = try inbox.takeLine(of: "an HTTP proxy's protocol") {
      guard let status else {
        try takeStatus(line, inbox)
        continue
      }
      // Header fields don't matter: a 2xx response to CONNECT has no content (RFC 9110 section 9.3.6).
      guard line.isEmpty else { continue }
      if (200...299).contains(status) { return .done }
      guard (100...199).contains(status), status != 101 else { throw refusal(status, inbox) }
      self.status = nil
    }
    return .needMore
  }

  private mutating func takeStatus(_ line: [UInt8], _ inbox: Inbox) throws(TLSClientError) {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].count == 3,
      let status = Int(String(decoding: words[1], as: UTF8.self)), status >= 100
    else { throw inbox.isNot("an HTTP proxy's protocol", line) }
    self.status = status
    reason = words.count > 2 ? Array(words[2]) : []
    // The content of an error response isn't needed, so don't wait for it.
    if status >= 300 { throw refusal(status, inbox) }
  }

  private func refusal(_ status: Int, _ inbox: Inbox) -> TLSClientError {
    var message = "the proxy \(proxy.endpoint) won't connect to \(destination): \(status)"
    if !reason.isEmpty { message += " \(ServerWords.quoted(reason))" }
    if status == 407 {
      message +=
        proxy.authorization == nil
        ? "; it wants a user and a password: HTTPS_PROXY=http://USER:PASSWORD@\(proxy.endpoint)"
        : "; it doesn't take the user and the password of HTTPS_PROXY"
    }
    return inbox.refused(message)
  }
}

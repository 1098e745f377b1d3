import Diagnostics

extension LanguageServer {
  func dispatch(_ envelope: Envelope, _ bytes: [UInt8]) {
    let method = envelope.method ?? ""
    guard let id = envelope.id else { return notification(method, bytes) }
    do throws(ResponseError) {
      switch stage {
      case .new where method != "initialize":
        throw ResponseError(.notInitialized, "the session has not been initialized")
      case .initialized where method == "initialize":
        throw ResponseError(.invalidRequest, "the session has been initialized already")
      case .shutDown: throw ResponseError(.invalidRequest, "the server has been shut down")
      default: try request(method, id, bytes)
      }
    } catch {
      refuse(id, error)
    }
  }

  private func request(_ method: String, _ id: RequestID, _ bytes: [UInt8]) throws(ResponseError) {
    switch method {
    case "initialize": answer(id, initialize(try parameters(bytes)))
    case "shutdown":
      stage = .shutDown
      answer(id, Optional<Bool>.none)
    case "textDocument/hover": answer(id, hover(try parameters(bytes)))
    case "textDocument/completion": answer(id, completion(try parameters(bytes)))
    case "textDocument/definition": answer(id, definition(try parameters(bytes)))
    case "textDocument/references": answer(id, references(try parameters(bytes)))
    case "textDocument/prepareRename": answer(id, prepareRename(try parameters(bytes)))
    case "textDocument/rename": answer(id, try rename(try parameters(bytes)))
    case "textDocument/documentSymbol": answer(id, symbols(try parameters(bytes)))
    case "textDocument/formatting": answer(id, try formatting(try parameters(bytes)))
    case "textDocument/codeAction": answer(id, actions(try parameters(bytes)))
    case "workspace/executeCommand": answer(id, try execute(try parameters(bytes)))
    default: throw ResponseError(.methodNotFound, "there is no method '\(VisibleText.of(method))'")
    }
  }

  private func notification(_ method: String, _ bytes: [UInt8]) {
    if method == "exit" {
      // The status is 0 only if the client requested the shutdown first (LSP 3.17, "Exit Notification").
      status = stage == .shutDown ? 0 : 1
      return
    }
    // Notifications before `initialized` are ignored; an invalid one has no answer in which to report it.
    guard stage == .initialized else { return }
    switch method {
    case "initialized": begin()
    case "textDocument/didOpen": if let given: DidOpenParameters = try? parameters(bytes) { open(given) }
    case "textDocument/didChange": if let given: DidChangeParameters = try? parameters(bytes) { change(given) }
    case "textDocument/didClose": if let given: DocumentParameters = try? parameters(bytes) { close(given) }
    case "textDocument/didSave", "workspace/didChangeWatchedFiles": filesChanged()
    case "workspace/didChangeWorkspaceFolders":
      if let given: ChangedFoldersParameters = try? parameters(bytes) { foldersChanged(given) }
    default: return
    }
  }

  /// What a method is given, of the type that it takes.
  func parameters<Parameters: Decodable>(_ bytes: [UInt8]) throws(ResponseError) -> Parameters {
    do {
      return try JSON.decode(Carried<Parameters>.self, from: bytes).params
    } catch {
      throw ResponseError(.invalidParameters, "the parameters aren't those of the method")
    }
  }
}

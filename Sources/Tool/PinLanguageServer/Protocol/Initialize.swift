/// What a client says of itself at the beginning.
///
/// Whatever it leaves out, or writes in another form, it can't do.
struct InitializeParameters: Decodable {
  var folders: [String]
  var capabilities: ClientCapabilities
  var options: InitializationOptions

  enum CodingKeys: CodingKey { case rootUri, rootPath, workspaceFolders, capabilities, initializationOptions }

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: CodingKeys.self)
    if let given = try? object.decode([WorkspaceFolder].self, forKey: .workspaceFolders) {
      folders = given.map(\.uri)
    } else if let root = try? object.decode(String.self, forKey: .rootUri) {
      folders = [root]
    } else if let path = try? object.decode(String.self, forKey: .rootPath) {
      folders = [DocumentAddress.uri(of: path)]
    } else {
      folders = []
    }
    capabilities = (try? object.decode(ClientCapabilities.self, forKey: .capabilities)) ?? ClientCapabilities()
    options =
      (try? object.decode(InitializationOptions.self, forKey: .initializationOptions)) ?? InitializationOptions()
  }
}

struct WorkspaceFolder: Decodable {
  var uri: String
}

/// What a client may state for this server.
struct InitializationOptions: Decodable {
  /// A record of live servers, relative to the first workspace folder.
  var evidence: String?
  /// The address of the documentation, to whose pages findings link; if it is missing, that of the environment.
  var reference: String?
}

/// What the client understands, as far as the server asks.
struct ClientCapabilities: Decodable {
  var encodings: [String] = []
  var registersWatchers = false
  var takesSnippets = false
  var showsRelated = false
  var showsMarkdown = true
  /// Understands code actions that are more than commands.
  var takesCodeActions = false

  init() {}

  private struct General: Decodable {
    var positionEncodings: [String]?
  }

  private struct Workspace: Decodable {
    struct Watched: Decodable { var dynamicRegistration: Bool? }
    var didChangeWatchedFiles: Watched?
  }

  private struct TextDocument: Decodable {
    struct Completion: Decodable {
      struct Item: Decodable { var snippetSupport: Bool? }
      var completionItem: Item?
    }
    struct Publish: Decodable { var relatedInformation: Bool? }
    struct Hover: Decodable { var contentFormat: [String]? }
    struct Action: Decodable {
      struct Literal: Decodable {}
      var codeActionLiteralSupport: Literal?
    }
    var completion: Completion?
    var publishDiagnostics: Publish?
    var hover: Hover?
    var codeAction: Action?
  }

  enum CodingKeys: CodingKey { case general, workspace, textDocument }

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: CodingKeys.self)
    encodings = (try? object.decode(General.self, forKey: .general))?.positionEncodings ?? []
    let workspace = try? object.decode(Workspace.self, forKey: .workspace)
    registersWatchers = workspace?.didChangeWatchedFiles?.dynamicRegistration ?? false
    let text = try? object.decode(TextDocument.self, forKey: .textDocument)
    takesSnippets = text?.completion?.completionItem?.snippetSupport ?? false
    showsRelated = text?.publishDiagnostics?.relatedInformation ?? false
    // If a client doesn't declare it, assume what every client supports.
    showsMarkdown = text?.hover?.contentFormat?.contains("markdown") ?? false
    takesCodeActions = text?.codeAction?.codeActionLiteralSupport != nil
  }
}

/// What the server can do.
struct InitializeResult: Encodable {
  struct ServerInfo: Encodable {
    var name = "pintle"
    var version: String
  }

  struct Sync: Encodable {
    struct Save: Encodable { var includeText = false }
    var openClose = true
    /// Incremental.
    var change = 2
    var save = Save()
  }

  struct Completion: Encodable {
    var triggerCharacters: [String]
    var resolveProvider = false
  }

  struct Rename: Encodable {
    var prepareProvider = true
  }

  struct CodeActions: Encodable {
    var codeActionKinds: [String]
  }

  struct Commands: Encodable {
    var commands: [String]
  }

  struct Workspace: Encodable {
    struct Folders: Encodable {
      var supported = true
      var changeNotifications = true
    }
    var workspaceFolders = Folders()
  }

  struct Capabilities: Encodable {
    var positionEncoding: String
    var textDocumentSync = Sync()
    var hoverProvider = true
    var completionProvider: Completion
    var definitionProvider = true
    var referencesProvider = true
    var renameProvider = Rename()
    var documentSymbolProvider = true
    var documentFormattingProvider = true
    var codeActionProvider: CodeActions
    var executeCommandProvider: Commands
    var workspace = Workspace()
  }

  var capabilities: Capabilities
  var serverInfo: ServerInfo
}

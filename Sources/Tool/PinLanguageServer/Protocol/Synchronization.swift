struct DidOpenParameters: Decodable {
  struct Item: Decodable {
    var uri: String
    var version: Int
    var text: String
  }

  var textDocument: Item
}

struct DidChangeParameters: Decodable {
  struct Identifier: Decodable {
    var uri: String
    var version: Int?
  }

  /// A part of the text that is replaced, or all of it where no range is given.
  struct Change: Decodable {
    var range: WireRange?
    var text: String
  }

  var textDocument: Identifier
  var contentChanges: [Change]
}

struct ChangedFoldersParameters: Decodable {
  struct Event: Decodable {
    var added: [WorkspaceFolder]
    var removed: [WorkspaceFolder]
  }

  var event: Event
}

struct CancelParameters: Decodable {
  var id: RequestID
}

/// Asks the client to report files that change on disk.
struct RegistrationParameters: Encodable {
  struct Watcher: Encodable {
    var globPattern: String
  }

  struct Options: Encodable {
    var watchers: [Watcher]
  }

  struct Registration: Encodable {
    var id: String
    var method: String
    var registerOptions: Options
  }

  var registrations: [Registration]
}

struct ShowMessage: Encodable {
  /// 1 for errors, 2 for warnings, 3 for information.
  var type: Int
  var message: String
}

import Diagnostics
import PinPolicy
import PinRules
import PinValidator

extension LanguageServer {
  func initialize(_ given: InitializeParameters) -> InitializeResult {
    stage = .initialized
    capabilities = given.capabilities
    options = given.options
    folders = given.folders.compactMap { DocumentAddress.path(of: $0) }
    encoding = PositionEncoding(among: capabilities.encodings)
    return InitializeResult(
      capabilities: InitializeResult.Capabilities(
        positionEncoding: encoding.rawValue,
        completionProvider: InitializeResult.Completion(triggerCharacters: [" ", "[", ",", "/", ":"]),
        codeActionProvider: InitializeResult.CodeActions(codeActionKinds: ["quickfix", "source.fixAll"]),
        executeCommandProvider: InitializeResult.Commands(commands: ["pintle.explain"])),
      serverInfo: InitializeResult.ServerInfo(version: settings.version))
  }

  /// Asks for notifications of changed files, and looks for policies at their usual places.
  func begin() {
    if capabilities.registersWatchers {
      let watched = RegistrationParameters.Registration(
        id: "pintle-files", method: "workspace/didChangeWatchedFiles",
        registerOptions: RegistrationParameters.Options(watchers: [RegistrationParameters.Watcher(globPattern: "**/*")])
      )
      ask("client/registerCapability", RegistrationParameters(registrations: [watched]))
    }
    lookForPolicies()
  }

  // MARK: Texts

  func open(_ given: DidOpenParameters) {
    guard let path = DocumentAddress.path(of: given.textDocument.uri) else { return }
    documents[path] = OpenDocument(
      uri: given.textDocument.uri, path: path, version: given.textDocument.version, text: given.textDocument.text)
    textChanged(path)
  }

  func change(_ given: DidChangeParameters) {
    guard let path = DocumentAddress.path(of: given.textDocument.uri), documents[path] != nil else { return }
    documents[path]?.change(given.contentChanges, version: given.textDocument.version, encoding)
    textChanged(path)
  }

  func close(_ given: DocumentParameters) {
    guard let path = DocumentAddress.path(of: given.textDocument.uri),
      documents.removeValue(forKey: path) != nil
    else { return }
    outlines[path] = nil
    for root in projects.keys where path.utf8.starts(with: root.utf8) { projects[root]?.invalidate() }
    dropProjects()
  }

  /// Files changed on disk: which of them doesn't matter, since looking is cheap.
  func filesChanged() {
    evidence = [:]
    asksOwnRules = true
    for root in projects.keys { projects[root]?.invalidate() }
    for path in documents.keys { adopt(path) }
    lookForPolicies()
    dropProjects()
  }

  func foldersChanged(_ given: ChangedFoldersParameters) {
    let removed = Set(given.event.removed.compactMap { DocumentAddress.path(of: $0.uri) })
    folders.removeAll { removed.contains($0) }
    folders += given.event.added.compactMap { DocumentAddress.path(of: $0.uri) }.filter { !folders.contains($0) }
    lookForPolicies()
    dropProjects()
  }

  private func textChanged(_ path: String) {
    adopt(path)
    for root in projects.keys where path.utf8.starts(with: root.utf8) { projects[root]?.invalidate() }
  }

  // MARK: Policies

  /// The policy that a path belongs to: of several directories around it the innermost.
  func project(of path: String) -> String? {
    projects.keys.filter { path.utf8.starts(with: $0.utf8) }.max { $0.utf8.count < $1.utf8.count }
  }

  /// Begins with the policy of an open text, where it is of one.
  private func adopt(_ path: String) {
    guard let document = documents[path],
      let root = PolicyFolder.of(path, text: document.text.bytes, read: content), projects[root] == nil
    else { return }
    projects[root] = Project(root: root)
  }

  /// Policies at `policies/` of a folder, or the folder itself, are checked before anybody opens a file of them.
  private func lookForPolicies() {
    for root in folders.flatMap({ [$0 + "/policies/", $0 + "/"] }) where projects[root] == nil {
      let settings = root + "manifest.yaml"
      if content(settings).map(PolicyFolder.looksLikePolicy) == true { projects[root] = Project(root: root) }
    }
  }

  /// Ends with policies of which nothing is open any more, and which are in none of the folders.
  private func dropProjects() {
    for (root, project) in projects {
      let isOpen = documents.contains { path, document in
        path.utf8.starts(with: root.utf8)
          && PolicyFolder.of(path, text: document.text.bytes, read: content) == root
      }
      let isInFolder =
        folders.contains { root == $0 + "/" || root == $0 + "/policies/" }
        && content(root + "manifest.yaml").map(PolicyFolder.looksLikePolicy) == true
      if isOpen || isInFolder { continue }
      for (path, findings) in project.published where !findings.isEmpty { publish([], at: path) }
      projects[root] = nil
    }
  }

  /// What a policy file holds: in the editor, or on disk.
  func content(_ path: String) -> [UInt8]? {
    documents[path]?.text.bytes ?? (try? WholeFile.read(path, limit: 64 << 20, onlyRegular: true))
  }

  /// The texts that lie over the files of a directory.
  func texts(under root: String) -> [String: [UInt8]] {
    var texts: [String: [UInt8]] = [:]
    for (path, document) in documents where path.utf8.starts(with: root.utf8) { texts[path] = document.text.bytes }
    return texts
  }

  // MARK: Findings

  /// Checks a policy, and reports each file whose findings have changed, and each open text that has changed.
  func check(_ root: String) {
    let live = live(of: root)
    guard var project = projects[root] else { return }
    project.check(under: texts(under: root), live: live, own: ownRules, at: settings.clock())
    var found: [String: [WireDiagnostic]] = [:]
    for id in project.sources.ids { found[project.sources[id].path] = [] }
    for diagnostic in project.diagnostics {
      let wire = wire(diagnostic, of: &project)
      found[project.sources[diagnostic.place.file].path, default: []].append(wire)
    }
    for path in Set(found.keys).union(project.published.keys).sorted() {
      let findings = found[path] ?? []
      let version = documents[path]?.version
      // An open text is reported for each version, so that the client knows that this version was checked.
      let isNew = version != nil && version != project.versions[path]
      project.versions[path] = version
      guard isNew || findings != project.published[path] ?? [] else { continue }
      publish(findings, at: path)
    }
    project.published = found
    projects[root] = project
  }

  /// Rules of the user's own with their findings, for each audience; none while the policy can't be read as a whole.
  private func ownRules(on policies: [LoadedPolicy]) -> [[Rule]] {
    guard let ask = settings.ownRules, asksOwnRules, policies.allSatisfy(\.policy.problems.isEmpty) else { return [] }
    do throws(WorkFailure) {
      return try ask(policies, folders, settings.clock()).get()
    } catch {
      // Said once, until a file is saved: it would be said at each letter.
      asksOwnRules = false
      let text = VisibleText.of(error.message) + (error.help.map { "\n" + VisibleText.of($0) } ?? "")
      notify("window/showMessage", ShowMessage(type: 1, message: text))
      return []
    }
  }

  /// A finding as the client takes it.
  func wire(_ diagnostic: Diagnostic, of root: String) -> WireDiagnostic? {
    guard var project = projects[root] else { return nil }
    return wire(diagnostic, of: &project)
  }

  private func wire(_ diagnostic: Diagnostic, of project: inout Project) -> WireDiagnostic {
    let sources = project.sources
    var lines: [FileID: TextLines] = [:]
    for place in [diagnostic.place] + diagnostic.related.map(\.place) where lines[place.file] == nil {
      lines[place.file] = project.lines(of: place.file)
    }
    let writer = DiagnosticWriter(
      encoding: encoding, showsRelated: capabilities.showsRelated,
      reference: options.reference ?? Report.Tool.pintle.reference)
    return writer.write(
      diagnostic, lines: { lines[$0] ?? TextLines([]) }, uri: { uri(of: sources[$0].path) })
  }

  private func publish(_ findings: [WireDiagnostic], at path: String) {
    notify(
      "textDocument/publishDiagnostics",
      PublishDiagnostics(uri: uri(of: path), version: documents[path]?.version, diagnostics: findings))
  }

  /// The address of a file, as the client wrote it where it has the file open.
  func uri(of path: String) -> String { documents[path]?.uri ?? DocumentAddress.uri(of: path) }
}

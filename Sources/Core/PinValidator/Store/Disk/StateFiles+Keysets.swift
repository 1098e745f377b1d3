import PinFormat

extension StateFiles {
  /// Reads both files of keysets, walks forward over what they hold from what is trusted already, and says what is wrong.
  func loadKeysets(_ chain: KeysetChain, _ state: inout StoredState) {
    let files = Self.keysets.map { name in
      StoredKeysetFile(path: folder.full(name), content: content(of: name, limit: KeysetChain.maximumBytes, &state))
    }
    state.keysetsIdentity = files[0].identity
    var longer = chain
    longer.walk(over: files.flatMap { $0.keysets })
    state.keysets = longer
    for file in files {
      if let problem = file.problem(in: longer) { state.problems.append(problem) }
    }
    if let last = longer.beyond.last {
      state.problems.append(
        PinStore.Problem(
          code: "disconnected-keysets",
          description: "the folder has keysets up to version \(last.version), which can't be reached from version "
            + "\(longer.shipped.version), which was shipped: version \(longer.newest.version) is trusted"))
    }
    guard !longer.isOnlyShipped || files.contains(where: { $0.bytes != nil }) else { return }
    let bytes = longer.fileBytes
    state.isChainWhole = files.allSatisfy { $0.bytes == bytes }
  }
}

/// A file of keysets as it was found.
private struct StoredKeysetFile {
  let path: String
  /// Nil where it isn't there, or can't be read.
  let bytes: [UInt8]?
  let identity: FileIdentity?
  /// What could be read, with the number of its line.
  private var lines: [(number: Int, keyset: StoredKeyset)] = []
  /// The first line that isn't a keyset.
  private var spoilt: (number: Int, error: KeysetError)?

  init(path: String, content: SafeFolder.Content?) {
    self.path = path
    bytes = content?.bytes
    identity = content?.identity
    var rest = content?.bytes[...] ?? []
    var number = 0
    while bytes?.isEmpty == true && number == 0 || !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      number += 1
      // No store writes more, and checking as many as fit into the file would delay the start.
      guard number <= KeysetChain.maximumCount else {
        spoilt = spoilt ?? (number, KeysetError(.tooLarge, "there are more than \(KeysetChain.maximumCount)"))
        break
      }
      do throws(KeysetError) {
        lines.append((number, try StoredKeyset(rest[..<end])))
      } catch {
        spoilt = spoilt ?? (number, error)
      }
      rest = rest[end...].dropFirst()
    }
  }

  var keysets: [StoredKeyset] { lines.map { $0.keyset } }

  /// What is wrong with the file; nothing where it only lacks what came later.
  func problem(in chain: KeysetChain) -> PinStore.Problem? {
    var spoilt = spoilt
    for line in lines where spoilt.map({ line.number < $0.number }) ?? true {
      guard !chain.holds(line.keyset), let error = chain.fault(of: line.keyset) else { continue }
      spoilt = (line.number, error)
    }
    guard let spoilt else { return nil }
    return PinStore.Problem(
      code: spoilt.error.code.description,
      description: "the stored keysets '\(path)', line \(spoilt.number): " + spoilt.error.message)
  }
}

import OpenSSLKit

extension PinStore {
  /// Lets one writer in, over all threads and processes, after a look at what the others have done.
  ///
  /// - Parameter body: Is given the folder's files, or nil where none is to be used.
  /// - Returns: What the body answers.
  /// - Throws: What the body throws, or ``UpdateError`` of code `not-stored` where it can't be let in.
  func exclusively<Answer: Sendable>(
    _ body: (StateFiles?, inout Writer) throws(UpdateError) -> Answer
  ) throws(UpdateError) -> Answer {
    let outcome = writer.withLock { writer -> (Result<Answer, UpdateError>, [Activation]) in
      let answer = self.answer(of: body, &writer)
      defer { writer.activations = [] }
      return (answer, writer.activations)
    }
    guard let (answer, activations) = outcome else { throw UpdateError(.notStored, "there is no memory for a lock") }
    // Behind the lock, so that they may call the store.
    for activation in activations { tell(activation) }
    return try answer.get()
  }

  private func answer<Answer: Sendable>(
    of body: (StateFiles?, inout Writer) throws(UpdateError) -> Answer, _ writer: inout Writer
  ) -> Result<Answer, UpdateError> {
    guard let directory = settings.directory else {
      return outcome { () throws(UpdateError) in try body(nil, &writer) }
    }
    do throws(FileError) {
      // Opened each time, so that a folder may be made, or mounted, after the start.
      let files = try StateFiles(directory)
      return try files.folder.whileLocked {
        outcome { () throws(UpdateError) in
          try adopt(files, &writer)
          return try body(files, &writer)
        }
      }
    } catch {
      return .failure(UpdateError(.notStored, error.message + "; nothing is taken that can't be kept"))
    }
  }

  private func outcome<Answer>(_ body: () throws(UpdateError) -> Answer) -> Result<Answer, UpdateError> {
    do throws(UpdateError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  /// Takes what another process has accepted since.
  private func adopt(_ files: StateFiles, _ writer: inout Writer) throws(UpdateError) {
    // Without a manifest there, only the floors can tell.
    if let identity = files.identity, identity == writer.identity,
      writer.keysets == nil || files.keysetsIdentity == writer.keysetsIdentity
    {
      return
    }
    let state = files.load(settings, writer.keysets)
    if let hidden = state.hidden { throw UpdateError(.notStored, hidden) }
    if let time = state.time { clock.see(time) }
    if let chain = state.keysets {
      if chain.newest !== writer.keysets?.newest { try trust(chain, &writer) }
      writer.keysets = chain
    }
    writer.keysetsIdentity = state.keysetsIdentity
    writer.isChainWhole = state.isChainWhole
    try adopt(state, &writer)
    writer.identity = state.identity
    writer.isWhole = state.isWhole && state.floor == writer.floor
  }

  /// Takes the manifest, or only the floor, where it is above what is known here, or what was missing here.
  func adopt(_ state: StoredState, _ writer: inout Writer) throws(UpdateError) {
    guard let floor = state.floor else { return }
    let isHigher = writer.floor.map { $0 < floor } ?? true
    guard isHigher || floor == writer.floor else { return }
    let before = inForce.value
    if let usable = state.usable {
      let isSame = before.validator?.manifest.hasSignedBytes(of: usable.manifest) ?? false
      // The same one again may bear the signatures that were missing.
      let isBetter = !isSame || !before.isEndorsed && usable.refusal == nil
      guard isHigher || isBetter else { return }
      let validator = Validator(manifest: usable.manifest, evaluator: evaluator)
      if isSame {
        try confirm(validator, floor, isEndorsed: usable.refusal == nil, &writer)
      } else {
        _ = try take(validator, source: .stored, floor, isEndorsed: usable.refusal == nil, &writer)
      }
    } else if isHigher {
      try change { $0.highestSerial = Optional(floor).serial(inEpochOf: before.keyset) }
      writer.floor = floor
    }
  }

  /// Puts a manifest into force.
  func take(
    _ validator: Validator, source: Source, _ floor: SerialFloor, isEndorsed: Bool, _ writer: inout Writer
  ) throws(UpdateError) -> Activation {
    let before = inForce.read { $0.validator?.manifest }
    try change { state in
      state.validator = validator
      state.source = source
      state.highestSerial = Optional(floor).serial(inEpochOf: state.keyset)
      state.isEndorsed = isEndorsed
    }
    writer.floor = floor
    let activation = Activation.activated(validator.manifest, replacing: before)
    writer.activations.append(activation)
    return activation
  }

  /// Puts the manifest in force in its own place, with other signatures or in a later epoch: nobody needs to be told.
  func confirm(
    _ validator: Validator, _ floor: SerialFloor, isEndorsed: Bool, _ writer: inout Writer
  ) throws(UpdateError) {
    try change { state in
      state.validator = validator
      state.highestSerial = Optional(floor).serial(inEpochOf: state.keyset)
      state.isEndorsed = isEndorsed
    }
    writer.floor = floor
  }

  /// Replaces what readers see, all at once.
  func change(_ body: (inout InForce) -> Void) throws(UpdateError) {
    var state = inForce.value
    body(&state)
    guard inForce.replace(with: state) else {
      throw UpdateError(.notStored, "there is no memory for a lock")
    }
  }
}

import OpenSSLKit

extension PinStore {
  /// Lets one writer in, over all threads and processes, after a look at what the others have done.
  ///
  /// - Parameter body: Is given the folder's files, or nil to use none.
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
    guard let (answer, activations) = outcome else { throw unavailable }
    // After the lock is released, so that observers may call the store.
    for activation in activations { tell(activation) }
    return try answer.get()
  }

  /// Why the writers' lock can't be had.
  private var unavailable: UpdateError {
    guard writer.isLost else { return UpdateError(.notStored, "there is no memory for a lock") }
    return UpdateError(
      .inherited,
      "this process was forked while another thread updated the store; open a store of its own in each child")
  }

  private func answer<Answer: Sendable>(
    of body: (StateFiles?, inout Writer) throws(UpdateError) -> Answer, _ writer: inout Writer
  ) -> Result<Answer, UpdateError> {
    guard let directory = settings.directory else {
      return outcome { () throws(UpdateError) in try body(nil, &writer) }
    }
    do throws(FileError) {
      // Opened each time, because the folder may be created or mounted after the start.
      let files = try StateFiles(directory)
      return try files.folder.whileLocked {
        outcome { () throws(UpdateError) in
          try adopt(files, &writer)
          return try body(files, &writer)
        }
      }
    } catch {
      return .failure(UpdateError(.notStored, error.message + "; nothing is accepted that can't be stored"))
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
    if let identity = files.identity, identity == writer.identity,
      writer.keysets == nil || files.keysetsIdentity == writer.keysetsIdentity
    {
      return
    }
    try adopt(files.load(settings, writer.keysets), &writer)
  }

  /// Takes what was stored where it is above what is known here.
  func adopt(_ state: StoredState, _ writer: inout Writer) throws(UpdateError) {
    if let chain = state.keysets {
      if chain.newest !== writer.keysets?.newest { try trust(chain, &writer) }
      writer.keysets = chain
    }
    let before = inForce.value
    if let best = state.best, before.rank.map({ $0 < best.rank }) ?? true {
      let validator = Validator(manifest: best.manifest, evaluator: evaluator)
      if before.validator?.manifest.hasSignedBytes(of: best.manifest) ?? false {
        try confirm(validator, epoch: best.epoch, isEndorsed: best.refusal == nil)
      } else {
        _ = try take(validator, source: .stored, epoch: best.epoch, isEndorsed: best.refusal == nil, &writer)
      }
    }
    writer.note(state, inForce.read { $0.validator?.manifest })
  }

  /// Puts a manifest into force.
  func take(
    _ validator: Validator, source: Source, epoch: Int64, isEndorsed: Bool, _ writer: inout Writer
  ) throws(UpdateError) -> Activation {
    let before = inForce.read { $0.validator?.manifest }
    try confirm(validator, source: source, epoch: epoch, isEndorsed: isEndorsed)
    let activation = Activation.activated(validator.manifest, replacing: before)
    writer.activations.append(activation)
    return activation
  }

  /// Puts the manifest in force in its own place, with other signatures or in a later epoch: nobody needs to be told.
  func confirm(
    _ validator: Validator, source: Source? = nil, epoch: Int64, isEndorsed: Bool
  ) throws(UpdateError) {
    try change { state in
      state.validator = validator
      state.source = source ?? state.source
      state.epoch = epoch
      state.isEndorsed = isEndorsed
      state.isShipped = false
    }
  }

  /// Replaces what readers see, all at once.
  func change(_ body: (inout InForce) -> Void) throws(UpdateError) {
    var state = inForce.value
    body(&state)
    state.settleTime()
    // A new validator, so that no cached evaluation from before the change is used.
    state.validator = state.validator.map { Validator(manifest: $0.manifest, evaluator: evaluator) }
    guard inForce.replace(with: state) else {
      throw UpdateError(.notStored, "there is no memory for a lock")
    }
  }
}

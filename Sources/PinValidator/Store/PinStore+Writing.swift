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
    if let identity = files.identity, identity == writer.identity { return }
    let state = files.load(settings)
    guard !state.hidesFloor else { throw UpdateError(.notStored, Self.hiddenFloor) }
    writer.identity = state.identity
    if let time = state.time { clock.see(time) }
    guard let floor = state.floor, floor.serial > writer.floor?.serial ?? 0 else {
      writer.isWhole = state.isWhole && state.floor == writer.floor
      return
    }
    writer.isWhole = state.isWhole
    if let manifest = state.usable {
      _ = try take(Validator(manifest: manifest, evaluator: evaluator), source: .stored, floor, &writer)
    } else {
      var same = inForce.value
      same.highestSerial = floor.serial
      guard inForce.replace(with: same) else { throw Self.noMemory }
      writer.floor = floor
    }
  }

  /// Puts a manifest into force.
  func take(
    _ validator: Validator, source: Source, _ floor: SerialFloor, _ writer: inout Writer
  ) throws(UpdateError) -> Activation {
    let before = inForce.value.validator?.manifest
    guard inForce.replace(with: InForce(validator: validator, source: source, highestSerial: floor.serial)) else {
      throw Self.noMemory
    }
    writer.floor = floor
    let activation = Activation.activated(validator.manifest, replacing: before)
    writer.activations.append(activation)
    return activation
  }

  static var hiddenFloor: String {
    "the stored files can't be read, so nobody knows the highest serial that was accepted; updates are refused as long as "
      + "that is so: make them readable to this user"
  }

  private static var noMemory: UpdateError { UpdateError(.notStored, "there is no memory for a lock") }
}

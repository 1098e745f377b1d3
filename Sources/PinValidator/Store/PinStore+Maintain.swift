extension PinStore {
  /// Does what is to be done now and then, such as every ten minutes: writes down the time, takes a newer manifest or
  /// keyset that another process has stored in the same folder, and mends files that could not be written.
  ///
  /// Does nothing without a folder.
  ///
  /// - Throws: ``UpdateError`` of code `not-stored` where the folder can't be written to.
  public func maintain() throws(UpdateError) {
    guard settings.directory != nil else { return }
    try exclusively { (files, writer) throws(UpdateError) -> Void in
      guard let files else { return }
      var problems: [Problem] = []
      writer.mend(files, inForce.read { $0.validator?.manifest }, &problems)
      let instant = clock.now
      writer.keep(instant, files)
      if let problem = problems.first { throw UpdateError(.notStored, problem.description) }
      guard let time = writer.storedTime, time >= instant else {
        throw UpdateError(.notStored, "the time can't be written down in '\(settings.directory ?? "")'")
      }
    }
  }

  /// Takes the clock at its word, whatever time was seen before: for an operator who has put right a clock that was far
  /// ahead.
  ///
  /// The highest serial stays; no older manifest is taken because of it.
  ///
  /// - Throws: ``UpdateError`` of code `not-stored` where the time could not be written down; until a restart it holds.
  public func resetTime() throws(UpdateError) {
    clock.reset()
    guard settings.directory != nil else { return }
    try exclusively { (files, writer) throws(UpdateError) -> Void in
      // The files may have told the old time once more.
      clock.reset()
      guard let files else { return }
      let instant = clock.wall
      do throws(FileError) {
        try files.store(instant)
        writer.storedTime = instant
      } catch {
        throw UpdateError(.notStored, error.message)
      }
    }
  }
}

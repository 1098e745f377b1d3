extension PinStore {
  /// Does regular maintenance, for example every ten minutes: loads a newer manifest or keyset that another
  /// process has stored in the same folder, and repairs files that could not be written.
  ///
  /// Does nothing without a folder.
  ///
  /// - Throws: ``UpdateError`` of code `not-stored` where the folder can't be written to.
  public func maintain() throws(UpdateError) {
    guard settings.directory != nil else { return }
    try exclusively { (files, writer) throws(UpdateError) -> Void in
      guard let files else { return }
      var problems: [Problem] = []
      let kept = inForce.read { $0.isShipped ? nil : $0.validator?.manifest }
      writer.mend(files, kept, &problems)
      if let problem = problems.first { throw UpdateError(.notStored, problem.description) }
    }
  }
}

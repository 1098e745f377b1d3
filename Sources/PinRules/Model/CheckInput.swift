import Diagnostics
package import PinFormat
package import PinPolicy

/// All that a rule may know.
package struct CheckInput: Sendable {
  package let policy: Policy
  /// The manifest that clients now have, where the caller named one.
  package let baseline: Manifest?
  /// What the live servers showed, judged by this policy; nil where nobody asked them.
  package let live: LiveInput?
  /// What the releases before, the servers and the planned steps come to; nil where nobody named released manifests.
  package let rotation: RotationInput?
  /// The instant that counts as now.
  package let instant: Instant
  /// Which entry applies, for rules about how entries meet.
  package let hostIndex: HostIndex

  /// Which keys each key set holds, as a client sees it.
  let keySetContents: KeySetContents
  /// The key sets that pinned entries name, with these entries.
  let keySetsInUse: [KeySetUse]

  /// Fields that could not be read, for rules about what is missing.
  let unread: UnreadFields
  /// The texts, for fixes.
  let files: EditableFiles

  /// Where an entry is in ``Policy/files``, by the place of its host.
  private let written: [Place: (file: Int, host: Int)]
  private let fileNumbers: [FileID: Int]

  package init(
    policy: Policy, baseline: Manifest? = nil, live: LiveInput? = nil, rotation: RotationInput? = nil,
    at instant: Instant
  ) {
    self.policy = policy
    self.baseline = baseline
    self.live = live
    self.rotation = rotation
    self.instant = instant
    hostIndex = HostIndex(policy.hosts)
    keySetContents = KeySetContents(policy)
    keySetsInUse = KeySetUse.all(of: policy)
    var written: [Place: (file: Int, host: Int)] = [:]
    written.reserveCapacity(policy.hosts.count)
    for (number, file) in policy.files.enumerated() {
      for (index, host) in file.hosts.enumerated() {
        if let place = host.host?.place { written[place] = (number, index) }
      }
    }
    self.written = written
    fileNumbers = Dictionary(policy.files.enumerated().map { ($1.id, $0) }) { first, _ in first }
    unread = UnreadFields(of: policy)
    files = EditableFiles(policy.sources)
  }

  /// The entry as it was written, without its file's defaults.
  package func written(_ entry: Policy.HostEntry) -> ParsedHost? {
    written[entry.written.place].map { policy.files[$0.file].hosts[$0.host] }
  }

  /// True where reading had to stop in the entry, so that fields may be missing from it.
  package func isCutOff(_ entry: ParsedHost) -> Bool {
    guard let number = fileNumbers[entry.place.file], !policy.files[number].isComplete else { return false }
    return policy.files[number].hosts.last?.place == entry.place
  }
}

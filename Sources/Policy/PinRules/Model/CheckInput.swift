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
  /// Whether what authorities and stores have announced may be an error.
  ///
  /// False where a release is made or judged: a repair, or a change of something else, isn't stopped by a CA's calendar.
  package var raisesAnnouncements = true
  /// The suppressions that findings for the policy's other audiences have; nil where these weren't looked for.
  package var usedElsewhere: Set<Suppression>?
  /// Whose signatures clients have to verify, as far as the caller named them.
  package var signers: [(label: String, kind: Policy.SignerKind)] = []
  /// The names of the keyset's signers; nil where the caller named no keyset.
  package var signerNames: [String]?
  /// The options that name what clients have and whose signatures on it count, for commands in help.
  package var releaseOptions = Self.placeholders
  /// The same where nobody named files.
  package static let placeholders = ["--against", "BASELINE", "--keyset", "KEYSET"]
  /// Rules of the user's own, with what their programs found.
  package var ownRules: [Rule] = []
  /// Which entry applies, for rules about how entries meet.
  package let hostIndex: HostIndex

  /// What many rules ask of each host entry.
  let hostFacts: HostFacts
  /// What the rules ask of each key, and which pins are the same.
  let keyFacts: KeyFacts
  /// The key sets that pinned entries name, with these entries.
  let keySetsInUse: [KeySetUse]
  private let contents: Lazily<KeySetContents>
  private let knownHierarchy: Lazily<Hierarchy>
  private let knownTrustFaults: Lazily<[TrustFault]>
  private let knownKeyFaults: Lazily<[TrustFault]>
  private let allKnownKeys: Lazily<KnownKeys>
  private let knownAuthorities: Lazily<PinnedAuthorities>
  private let knownSuppressions: Lazily<[Place: [Suppression]]>

  /// Fields that could not be read, for rules about what is missing.
  let unread: UnreadFields
  /// The texts, for fixes.
  let files: EditableFiles

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
    let hostFacts = HostFacts(policy.hosts)
    self.hostFacts = hostFacts
    let hostIndex = HostIndex(policy.hosts, hostFacts)
    self.hostIndex = hostIndex
    let keyFacts = KeyFacts(policy)
    self.keyFacts = keyFacts
    keySetsInUse = KeySetUse.all(of: policy, hostFacts, keyFacts)
    contents = Lazily { KeySetContents(policy, keyFacts) }
    knownHierarchy = Lazily { Hierarchy(policy, keyFacts) }
    let end = instant.adding(seconds: policy.effectiveSettings.clientMaxAge)
    knownTrustFaults = Lazily {
      TrustFault.all(of: policy, among: hostFacts.entries(with: .hasTrust), hostIndex, at: instant, until: end)
    }
    let keySetsInUse = keySetsInUse
    let allKnownKeys = Lazily { KnownKeys(policy, live?.assessment) }
    self.allKnownKeys = allKnownKeys
    knownKeyFaults = Lazily {
      TrustFault.ofKeys(of: policy, keySetsInUse, hostIndex, allKnownKeys.value, at: instant)
    }
    knownAuthorities = Lazily { PinnedAuthorities(policy, keyFacts, keySetsInUse, at: instant) }
    knownSuppressions = Lazily { Dictionary(grouping: policy.suppressions, by: \.place) }
    fileNumbers = Dictionary(policy.files.enumerated().map { ($1.id, $0) }) { first, _ in first }
    unread = UnreadFields(of: policy)
    files = EditableFiles(policy.sources)
  }

  /// The entries that customise trust evaluation, in order; most don't.
  var hostsWithTrust: [Int] { hostFacts.entries(with: .hasTrust) }

  /// Of the pinned entries that have their `trust` from one place, their own or their file's defaults, the first: for what
  /// depends on no host.
  var firstHostsOfTrust: [Int] { trustGroups.map { $0[0] } }

  /// The pinned entries that customise trust evaluation, by where that is written.
  var trustGroups: [[Int]] {
    var groups: [[Int]] = []
    var numbers: [Place: Int] = [:]
    for index in hostFacts.entries(with: .hasTrust, without: .isOff) {
      guard let place = policy.hosts[index].trust?.place else { continue }
      if let number = numbers[place] {
        groups[number].append(index)
      } else {
        numbers[place] = groups.count
        groups.append([index])
      }
    }
    return groups
  }

  /// Which keys each key set holds, as a client sees it.
  var keySetContents: KeySetContents { contents.value }

  /// Which of the declared keys' certificates issued which.
  var hierarchy: Hierarchy { knownHierarchy.value }

  /// What clients will reject of the certificates that entries name in `trust`, each once for each place.
  var trustFaults: [TrustFault] { knownTrustFaults.value }

  /// What clients will reject of the keys that entries rely on.
  var keyFaults: [TrustFault] { knownKeyFaults.value }

  /// What is known of keys by their pins.
  var knownKeys: KnownKeys { allKnownKeys.value }

  /// What is known of the authorities of pinned keys.
  var authorities: PinnedAuthorities { knownAuthorities.value }

  /// The suppressions of each comment.
  var suppressionsByPlace: [Place: [Suppression]] { knownSuppressions.value }

  /// What was read of a file.
  func parsedFile(_ id: FileID) -> ParsedFile? { fileNumbers[id].map { policy.files[$0] } }

  /// The file that an entry is in.
  func file(of entry: Policy.HostEntry) -> ParsedFile? { parsedFile(entry.written.place.file) }

  /// The entry as it was written, without its file's defaults.
  package func written(_ entry: Policy.HostEntry) -> ParsedHost? {
    guard let number = fileNumbers[entry.written.place.file],
      let found = policy.files[number].entry(around: entry.written.place), found.host?.place == entry.written.place
    else { return nil }
    return found
  }

  /// The `trust` of an entry as it was written: its own, or its file's default.
  func writtenTrust(_ entry: Policy.HostEntry) -> ParsedTrust? {
    written(entry)?.terms.trust ?? file(of: entry)?.defaults.trust
  }

  /// True where reading had to stop in the entry, so that fields may be missing from it.
  package func isCutOff(_ entry: ParsedHost) -> Bool {
    guard let number = fileNumbers[entry.place.file], !policy.files[number].isComplete else { return false }
    return policy.files[number].hosts.last?.place == entry.place
  }
}

extension Policy {
  /// The settings that hold, whether or not a file states them.
  package var effectiveSettings: Settings {
    // The place of default settings is never used.
    settings ?? Settings(place: .beginning(of: FileID(0)), audience: nil)
  }
}

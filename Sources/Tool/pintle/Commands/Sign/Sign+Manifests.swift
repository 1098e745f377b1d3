import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinValidator

extension Sign {
  /// A manifest that was looked at, to be signed.
  private struct Turn {
    let path: String
    let ceremony: SigningCeremony
    /// What is in the file, and that with the signatures beside it.
    let draft: SignableManifest
    let joined: SignableManifest
    let apart: DetachedFiles?
    let withdrawn: WithdrawnDrafts?
    let review: SigningReview

    var present: [SHA256Digest] { joined.signatures.map(\.keyID) }
  }

  func signManifests(_ drafts: [Draft]) throws {
    let turns = try drafts.map(turn)
    try refuseTwo(turns.map { ($0.path, "'\(VisibleText.of($0.draft.manifest.audience))'") })
    for (number, turn) in turns.enumerated() {
      say(turn.path, number, of: turns.count)
      Console.say(try turn.review.text())
      try ask(number, of: turns.count)
    }
    let signers = try signingKeys.signers(known: turns.flatMap { $0.ceremony.known?.keys.map(\.publicKey) ?? [] })
    let shares =
      turns.count == 1
      ? [signers]
      : try TrustedKeyset.share(
        signers, among: turns.map { $0.ceremony.trust?.keyset }, otherwise: "nothing was signed")
    // All are signed before one is written.
    let signed = try zip(turns, shares).map(sign)
    for turn in turns { try turn.ceremony.requireUnchanged(turn.draft, writingTo: output) }
    var files: [OutputFiles.File] = []
    for (turn, signed) in zip(turns, signed) {
      if let apart = turn.apart {
        files += try apart.files(
          signed.signatures.filter { !turn.present.contains($0.keyID) }, over: turn.joined.digest)
      } else {
        files.append(try file(signed.bytes, .manifest, for: turn.path))
      }
    }
    try write(files)
    for (turn, signed) in zip(turns, signed) { try say(turn, signed, isOneOfSeveral: turns.count > 1) }
    sayNext(zip(turns, signed).map { (turn, signed) in (turn, signed.signatures.map(\.keyID)) })
  }

  /// Says how the files become releases, once all have enough signatures.
  private func sayNext(_ turns: [(turn: Turn, signatures: [SHA256Digest])]) {
    guard let trust = turns[0].turn.ceremony.trust,
      turns.allSatisfy({ turn, signatures in turn.ceremony.known.map { $0.open(signatures) == nil } ?? false })
    else { return }
    guard turns[0].turn.withdrawn == nil else { return Self.sayAssemble() }
    let isReleased = turns.contains { if case .release(.again) = $0.turn.review.comparison { true } else { false } }
    guard !detached, !isReleased, output != "-", turns[0].turn.path != "-" else { return }
    var steps: [String] = []
    var places = turns.map { output ?? $0.turn.path }
    // Of a first release, nothing says which folder is to have all of them.
    let isFirst = comparison.against == nil && turns.allSatisfy { $0.turn.draft.manifest.serial == 1 }
    if let folder = isFirst ? "released" : comparison.against, isFirst || InputFile.isFolder(folder) {
      for (number, place) in places.enumerated() {
        let manifest = turns[number].turn.draft.manifest
        let target = StarterFiles.join(AudienceFolder.path(in: folder, manifest.audience), "\(manifest.serial).json")
        if isFirst { steps.append("mkdir -p " + ShellWord.of(WholeFile.names(of: target).folder)) }
        guard place != target else { continue }
        var moved = [(place, target)]
        if turns[number].turn.review.whyUnsafe != nil, let reason = DraftReason.path(of: turns[number].turn.path) {
          moved.append((reason, DraftReason.path(of: target) ?? target))
        }
        steps += moved.map { "mv \(ShellWord.of($0)) \(ShellWord.of($1))" }
      }
      places = [folder]
    }
    var options = verification.keyset.map { ["--keyset", $0] } ?? trust.options
    if let threshold = verification.threshold { options += ["--threshold", "\(threshold)"] }
    steps.append("pintle publish TARGET " + (places + options).map(ShellWord.of).joined(separator: " "))
    Console.say("next: " + steps.joined(separator: " && "))
  }

  /// Says how drafts of a signing event become files for clients.
  static func sayAssemble() { Console.say("next: commit this, then run 'pintle event assemble'") }

  /// Reads a draft and compares it, and signs nothing yet.
  private func turn(_ file: Draft) throws -> Turn {
    let audience = (try? SignedManifest.unverifiedContent(of: file.bytes))?.audience
    if audience == nil {
      // Says what is wrong with the file, no matter who may sign it.
      let anybody = try SigningCeremony(path: file.path, trust: nil, keys: [], threshold: 1, at: time.instant)
      _ = try anybody.read(file.bytes, audience: nil, signedBy: [])
    }
    let ceremony = try SigningCeremony(path: file.path, verification: verification, audience, at: time.instant)
    let draft = try ceremony.read(file.bytes, audience: verification.audience, signedBy: signedBy)
    let apart = detached ? try DetachedFiles(of: file.path) : nil
    let (subject, withdrawn) = (SignedSubject(draft), try WithdrawnDrafts(besides: file.path))
    try withdrawn?.refuse(subject, draft.digest, at: file.path)
    let keys = ceremony.known?.members.map { (name: $0.name, id: $0.key.id, publicKey: $0.key.publicKey) } ?? []
    let counting = try withdrawn?.counting(keys, subject, draft.digest) ?? keys.map(\.id)
    let joined =
      try apart.map { (apart) throws(CommandFailure) in
        try ceremony.joined(draft, with: apart, counting: counting)
      } ?? draft
    try IssueTime.check(joined.manifest.issued, rehearsedAt: time.at)
    let compared = try ceremony.compare(
      joined, with: comparison.against, isUnasked: comparison.withoutComparison, isFirst: comparison.firstRelease,
      allowsGap: comparison.skippedRelease)
    let review = SigningReview(
      file: joined, comparison: compared, verdict: try verdict(on: joined, ceremony, compared),
      standings: SignatureStandings(known: ceremony.known, present: joined.signatures.map(\.keyID)),
      whyUnsafe: try DraftReason.read(besides: file.path), isFull: full)
    return Turn(
      path: file.path, ceremony: ceremony, draft: draft, joined: joined, apart: apart, withdrawn: withdrawn,
      review: review)
  }

  private func sign(_ turn: Turn, _ signers: [Signer]) throws -> SignedManifest {
    try SignerMistake.refuse(signers, pinnedBy: turn.joined.manifest)
    let signed = try turn.ceremony.sign(turn.joined, by: signers)
    try turn.withdrawn?.refuse(
      SignedSubject(turn.draft), turn.draft.digest,
      signedBy: signers.flatMap(\.keys).filter { signed.added.contains($0.id) }.map { key in
        (turn.ceremony.known?.name(of: key.id) ?? key.id.hex, key.id, key.publicKey)
      })
    return signed
  }

  private func say(_ turn: Turn, _ signed: SignedManifest, isOneOfSeveral: Bool) throws {
    let (known, present) = (turn.ceremony.known, turn.present)
    let about = isOneOfSeveral ? VisibleText.of(turn.path) + ": " : ""
    for id in signed.added {
      let name = known?.name(of: id) ?? id.hex
      Console.say(about + (present.contains(id) ? "\(name) had signed it before" : "signed by \(name)"))
    }
    let standing = known.map { "; " + $0.standing(signed.signatures.map(\.keyID)) } ?? ""
    Console.say("\(about)\(counted(signed.signatures.count, "signature")) in all\(standing)")
    let path = turn.apart?.path(signed.added[0]) ?? output ?? turn.path
    guard !isOneOfSeveral else { return }
    try facts.write(text: nil, json: SigningFacts(review: turn.review, signed: signed, output: path).json())
  }

  /// What `diff` says of the release, from its sources: a verdict that came with the draft would be the builder's word.
  ///
  /// A release that is compared with none is compared with its sources only, if they are named.
  private func verdict(
    on draft: SignableManifest, _ ceremony: SigningCeremony, _ comparison: SigningCeremony.Comparison
  ) throws(CommandFailure) -> ReleaseVerdict? {
    let verification = SourceVerification(of: draft, at: ceremony.path)
    if case .release(.after) = comparison {
    } else {
      if let source { _ = try verification.policy(from: PolicySource(source)) }
      if evidence.evidence != nil {
        throw CommandFailure(
          .usage,
          "--evidence is for comparing \(Input.name(ceremony.path)) with a release, and it is compared with none",
          help: "Remove --evidence.")
      }
    }
    if case .unasked = comparison { return .notChecked(because: "it is compared with no release") }
    guard case .release(.after(let last, _)) = comparison, let trust = ceremony.trust,
      let against = self.comparison.against
    else { return nil }
    guard source != nil || InputFile.isFolder("policies") else {
      return .notChecked(because: "the policy isn't here; pass it with --source")
    }
    let released = try ReleasedFiles(trust: trust).all(against, of: draft.manifest.audience)
      .prefix { $0.digest != draft.digest }
    let evidence = try self.evidence.load()
    do throws(CommandFailure) {
      let policy = try verification.policy(from: PolicySource(source ?? "policies"))
      // Not only as of its issue time, which its builder chose.
      return try ReleaseVerdict(
        of: policy, as: draft.manifest, after: last.manifest, among: Array(released),
        at: max(draft.manifest.issued, time.instant)
      ) { evidence.add(to: &$0) }
    } catch {
      // The same sources, but other bytes: it was changed after it was compiled. And what somebody names has to fit.
      guard source == nil, error.code != "other-bytes" else { throw error }
      return .notChecked(
        because: error.code == "other-sources"
          ? "the draft wasn't compiled from 'policies'; pass its policy with --source" : error.message)
    }
  }
}

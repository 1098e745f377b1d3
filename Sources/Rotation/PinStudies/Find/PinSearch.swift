package import Diagnostics
package import PinFormat
package import PinPolicy
import PinRules

/// The pins in some files, compared with a policy.
package struct PinSearch {
  /// A pin, and where it is.
  package struct Sighting {
    package var pin: Pin
    package var place: Place
    package var standing: PinStanding
    /// The names of the policy's keys that have it.
    package var keys: [String]
    /// A host that is named in the same line.
    package var host: String?
  }

  /// A pin of the policy that is in none of the files.
  package struct Missing {
    package var pin: Pin
    package var standing: PinStanding
    package var keys: [String]
    /// Where the policy says it.
    package var place: Place
  }

  package private(set) var sightings: [Sighting] = []
  /// What looks like a pin and can't be read, and files that may have some and can't be read.
  package private(set) var unread: [Located<String>] = []
  package private(set) var missing: [Missing] = []
  /// The policy's files, then those in which a pin is.
  package private(set) var sources: SourceSet
  /// How many files were read.
  package private(set) var files = 0
  package private(set) var passedOver: [(path: String, why: FoundFiles.Omission)] = []
  /// How many certificates and public keys aren't compared, in PEM or files of their own.
  package private(set) var certificates = 0

  /// - Parameters:
  ///   - paths: Files and folders to search.
  ///   - excluded: Files and folders that are left out.
  ///   - policy: What the pins are compared with.
  ///   - directory: The policy's folder; the manifests that are kept beside it are what clients had, and aren't searched.
  /// - Throws: ``WorkFailure`` where a path can't be read.
  package init(
    in paths: [String], except excluded: [String] = [], for policy: Policy, in directory: String? = nil
  ) throws(WorkFailure) {
    let kept = KeptFolders(beside: directory, unlessNamedBy: paths)
    let known = KnownPins(policy)
    // The policy's own files aren't searched: their pins are what is searched for.
    var found = try FoundFiles(below: paths, except: policy.sources.files.map(\.path) + excluded)
    var texts: [SourceSet.File] = []
    let named = Set(paths)
    for path in found.paths {
      guard let bytes = try found.text(of: path) else { continue }
      let own = FoundFiles.Omission(ownFile: bytes)
      // Other files of Pintle have no pins of servers.
      if let own, own != .manifest || kept.contain(path) {
        passedOver.append((path, own))
        continue
      }
      files += 1
      let file = FileID(policy.sources.files.count + texts.count)
      let found = own == nil ? FoundPins(in: bytes, file: file) : FoundPins(inManifest: bytes, file: file)
      certificates += found.certificates
      let pins = found.pins.map { $0.inOrder(of: known) }.filter { $0.isLikely || known[$0.pin] != nil }
      certificates += found.pins.count { $0.isOfKey && !$0.isLikely && known[$0.pin] == nil }
      guard !pins.isEmpty || !found.unread.isEmpty else { continue }
      texts.append(SourceSet.File(path: path, bytes: bytes))
      unread += found.unread
      for pin in pins {
        let entry = known[pin.pin]
        sightings.append(
          Sighting(
            pin: pin.pin, place: pin.place, standing: entry?.standing ?? .unknown,
            keys: (entry?.keys ?? []).map { policy.keys[$0].name.value }, host: pin.host))
      }
    }
    let targets = LinkTargets(found, read: found.paths)
    for (path, why) in found.passedOver {
      let reason: String? =
        switch why {
        case .binary: found.opaque[path] ?? (named.contains(path) ? "isn't a text" : nil)
        case .link: Self.unread(targets[path])
        case .certificate, .hidden, .special, .packages, .manifest, .keyset, .signature, .schema: nil
        }
      if let reason {
        unread.append(Located(reason, at: .beginning(of: FileID(policy.sources.files.count + texts.count))))
        texts.append(SourceSet.File(path: path, bytes: []))
      } else {
        passedOver.append((path, why))
      }
    }
    sources = policy.sources.adding(texts)
    certificates += passedOver.count { $0.why == .certificate }
    let seen = Set(sightings.map(\.pin))
    for pin in known.inUse where !seen.contains(pin) {
      guard let entry = known[pin], let first = entry.keys.first else { continue }
      missing.append(
        Missing(
          pin: pin, standing: entry.standing, keys: entry.keys.map { policy.keys[$0].name.value },
          place: policy.keys[first].sourcePlace))
    }
  }

  /// Why what a link leads to isn't searched; nil if it is, by its own path.
  private static func unread(_ target: LinkTargets.Target) -> String? {
    switch target {
    case .read, .nothing, .folder(isSearched: true): nil
    case .folder(isSearched: false): "is a link to a folder that isn't searched"
    case .unread: "is a link to a file that isn't searched"
    }
  }

  /// Whether something is unknown: a pin, what may be one, or all, if no file was read.
  package var hasUnknowns: Bool { count(of: .unknown) > 0 || !unread.isEmpty || files == 0 }

  /// `2 links, 1 hidden`; nil if all were searched.
  package var notSearched: String? { passedOver.isEmpty ? nil : FoundFiles.counts(passedOver) }

  package func count(of standing: PinStanding) -> Int { sightings.count { $0.standing == standing } }
}

/// The folders of a policy's repository that keep what was released: old manifests in them may have keys that are denied by
/// now.
private struct KeptFolders {
  private var folders: [String] = []

  /// Those that nobody asks for: if one is named, or something in it, it is searched.
  init(beside directory: String?, unlessNamedBy paths: [String]) {
    guard let directory, let above = InputFile.realPath(directory + "/..") else { return }
    let named = paths.compactMap(InputFile.realPath)
    folders = ["released", "event"].compactMap { InputFile.realPath("\(above)/\($0)") }.map { $0 + "/" }
      .filter { folder in !named.contains { ($0 + "/").hasPrefix(folder) } }
  }

  func contain(_ path: String) -> Bool {
    guard !folders.isEmpty, let path = InputFile.realPath(path) else { return false }
    return folders.contains { path.hasPrefix($0) }
  }
}

extension FoundPin {
  /// With the bytes of its numbers in the order in which a policy has the pin.
  fileprivate func inOrder(of known: KnownPins) -> FoundPin {
    guard let otherOrder, known[pin] == nil, known[otherOrder] != nil else { return self }
    var other = self
    other.pin = otherOrder
    return other
  }
}

// MARK: As text

extension PinSearch {
  /// A line for each pin, and what there is to say of all.
  package var text: String {
    var table = Table()
    // A file that has the same pin for many hosts gets one line for it.
    let groups = Dictionary(grouping: sightings.indices) { PinInFile(sightings[$0]) }
    for number in sightings.indices {
      guard let same = groups[PinInFile(sightings[number])], same.first == number else { continue }
      let sighting = sightings[number]
      table.add(
        position(sighting.place), sighting.standing.rawValue, sighting.pin.description,
        ([remark(on: sighting)] + also(same)).filter { !$0.isEmpty }.joined(separator: "; "))
    }
    for missing in missing {
      table.add("nowhere", missing.standing.rawValue, missing.pin.description, missing.keys.joined(separator: ", "))
    }
    var unreadable = Table()
    for part in unread { unreadable.add(position(part.place), "unreadable", "it \(part.value)") }
    return table.text() + unreadable.text() + summary + "\n"
  }

  private struct PinInFile: Hashable {
    var pin: Pin
    var file: FileID

    init(_ sighting: Sighting) { (pin, file) = (sighting.pin, sighting.place.file) }
  }

  /// `for 'a.example.com'`, and where else the file has the pin.
  private func also(_ same: [Int]) -> [String] {
    var hosts: [String] = []
    for number in same {
      if let host = sightings[number].host, !hosts.contains(host) { hosts.append(host) }
    }
    let lines = same.dropFirst().map { "\(sightings[$0].place.start.line)" }
    return (hosts.isEmpty ? [] : ["for " + ChangeGroup.list(hosts, most: 4)])
      + (lines.isEmpty
        ? [] : ["also in \(lines.count == 1 ? "line" : "lines") " + ChangeGroup.list(lines, most: 6)])
  }

  private func position(_ place: Place) -> String {
    "\(VisibleText.of(sources[place.file].path)):\(place.start.line):\(place.start.column)"
  }

  private func remark(on sighting: Sighting) -> String {
    if !sighting.keys.isEmpty { return sighting.keys.joined(separator: ", ") }
    return BadPins.description(of: sighting.pin) ?? ""
  }

  /// `6 pins in 2 of 14 files: 3 active, 1 backup, 2 unknown; 1 pin of the policy is nowhere`.
  private var summary: String {
    let places = Set(sightings.map(\.place.file)).count
    var line = "\(counted(sightings.count, "pin")) in \(places) of \(counted(files, "file"))"
    let counts = PinStanding.allCases.filter { count(of: $0) > 0 }.map { "\(count(of: $0)) \($0.rawValue)" }
    if !counts.isEmpty { line += ": " + counts.joined(separator: ", ") }
    if !unread.isEmpty { line += "; \(unread.count) that can't be read" }
    if certificates > 0 {
      line += "; \(counted(certificates, "certificate or key", plural: "certificates and keys")) not compared"
    }
    if !missing.isEmpty {
      line += "; \(counted(missing.count, "pin")) of the policy \(missing.count == 1 ? "is" : "are") nowhere"
    }
    return line
  }
}

// MARK: As findings

extension PinSearch {
  /// What there is to do, as every renderer takes it: pins without a problem aren't reported.
  package func report(at instant: Instant) -> Report {
    var diagnostics = sightings.compactMap { sighting -> Diagnostic? in
      switch sighting.standing {
      case .active, .backup, .unused: return nil
      case .denied:
        return Rule.deniedPinFound.diagnostic(
          Finding(
            at: sighting.place,
            "the policy denies this pin: it is the key '\(sighting.keys.joined(separator: "', '"))'",
            help: "Remove it, and use the pins that 'pintle export' writes."))
      case .unknown:
        let what = BadPins.description(of: sighting.pin).map { ", which \($0)" } ?? ""
        return Rule.unknownPinFound.diagnostic(
          Finding(
            at: sighting.place,
            "the policy doesn't know the pin '\(sighting.pin)'\(sighting.host.map { " for '\($0)'" } ?? "")\(what)",
            help: "Add its key to the policy, or remove the pin here."))
      }
    }
    diagnostics += unread.map { part in
      Rule.unreadablePinFound.diagnostic(
        Finding(
          at: part.place, "a pin that may be here can't be read: it \(part.value)",
          help: "Write it as 'sha256/' and Base64, or leave the file out with '--exclude'."))
    }
    diagnostics += missing.map { missing in
      Rule.pinFoundNowhere.diagnostic(
        Finding(
          at: missing.place, "the pin of '\(missing.keys.joined(separator: "', '"))' is in none of the files",
          help: "Add it where pins are written by hand, before servers present the key."))
    }
    var report = Report(
      diagnostics: diagnostics.sorted(), sources: sources, rules: Rule.findRules.map(\.info),
      tool: .pintle, instant: instant.description)
    report.remarks = [counted(files, "file") + " searched" + (notSearched.map { "; not searched: " + $0 } ?? "")]
    return report
  }
}

// MARK: As JSON

extension PinSearch {
  /// For programs, as `schemas/find.schema.json` describes it.
  package var json: String {
    JSONWriter.document("pintle-find", by: .pintle) { writer in
      writer.object("summary") { writer in
        writer.member("files", files)
        for standing in PinStanding.allCases { writer.member(standing.rawValue, count(of: standing)) }
        writer.member("unreadable", unread.count)
        writer.member("nowhere", missing.count)
        writer.member("certificates", certificates)
      }
      writer.objects("pins", sightings) { sighting, writer in
        add(sighting.place, to: &writer)
        add(sighting.pin, sighting.standing, sighting.keys, to: &writer)
        writer.member("placeholder", BadPins.description(of: sighting.pin))
        writer.member("host", sighting.host)
      }
      writer.objects("nowhere", missing) { add($0.pin, $0.standing, $0.keys, to: &$1) }
      writer.objects("unreadable", unread) { part, writer in
        add(part.place, to: &writer)
        writer.member("reason", part.value)
      }
      writer.objects("passedOver", passedOver) { file, writer in
        writer.member("file", file.path)
        writer.member("reason", file.why.rawValue)
      }
    }
  }

  private func add(_ place: Place, to writer: inout JSONWriter) {
    writer.member("file", sources[place.file].path)
    writer.member("line", place.start.line)
    writer.member("column", place.start.column)
  }

  private func add(_ pin: Pin, _ standing: PinStanding, _ keys: [String], to writer: inout JSONWriter) {
    writer.member("pin", pin)
    writer.member("standing", standing)
    writer.array("keys", keys)
  }
}
